"""What tests run of the library as it is."""

import collections

# Of the targets: what the tests of more than these run is their set-up, and says nothing about one of them.
FEW = 0.1


class Observed:
    """
    Places that tests run, as (file, line): lines of functions, and their first lines. `ran`: {id: {file: [line]}}, without the
    tasks of which nothing is known.
    """

    def __init__(self, tasks, ran):
        self.tests = collections.defaultdict(list)
        for task in tasks:
            places = {(file, line) for file, lines in ran.get(task["id"], {}).items() for line in lines}
            self.tests[task["targets"][0]].append((task["targets"], places))
        users = collections.Counter(place for tests in self.tests.values() for place in set().union(*(places for _, places in tests)))
        self.common = {place for place, count in users.items() if count > max(1, FEW * len(self.tests))}

    def of(self, target):
        """[(targets, places)] of the tests that are about a target, without what the tests of many others run as well."""
        return [(targets, places - self.common) for targets, places in self.tests[target]]
