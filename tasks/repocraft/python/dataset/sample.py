"""Which drafts become tasks, and in which categories: those of the sample a build keeps, then a seeded draw."""

import random
from collections import Counter

SMALLEST_CATEGORY = 3


class Sample:
    """Locked tasks: {id, category, file, functions} each. Without any, a build draws all its tasks anew.

    What is true of a task but where it stands is found out again, so that a changed rule changes no more than it is about.
    """

    def __init__(self, locked):
        self.locked = locked
        self.by_functions = {functions_key(entry["file"], entry["functions"]): entry for entry in locked}

    def entry_of(self, draft):
        """The locked task that consists of exactly the functions of the draft, or None."""
        return self.by_functions.get(functions_key(draft["source"]["file"], draft["functions"]))

    def parted(self, tests):
        """The tests of one file as groups: the locked tasks none of whose functions is missing; and all other tests."""
        by_key = {test.unit.key: test for test in tests}
        wanted = [[f"{entry['file']}::{name}" for name in entry["functions"]] for entry in self.locked]
        groups = [[by_key[key] for key in keys] for keys in wanted if all(key in by_key for key in keys)]
        taken = {id(test) for group in groups for test in group}
        return groups, [test for test in tests if id(test) not in taken]

    def placed(self, modules, top):
        """A category for each module: the deepest at or above it that is locked or has tasks enough of its own, else the top package.

        What is left with too few tasks is given up, deepest first.
        """
        known = {entry["category"] for entry in self.locked} | {top, *rolled_up(modules, len(modules))}
        while True:
            categories = [deepest(module, known) for module in modules]
            counts = Counter(categories)
            small = [category for category in known - {top} if counts[category] < SMALLEST_CATEGORY]
            if not small:
                return categories
            known.remove(max(small, key=lambda category: (category.count("."), category)))

    def last_numbers(self):
        """The highest number given under each stem of an id: no new task gets the id of another."""
        numbers = {}
        for entry in self.locked:
            stem, _, number = entry["id"].rpartition("-")
            numbers[stem] = max(numbers.get(stem, 0), int(number))
        return numbers


def functions_key(file, functions):
    return file, frozenset(functions)


def deepest(module, known):
    while module not in known:
        module = module.rpartition(".")[0]
    return module


def rolled_up(categories, most):
    """Dotted paths shortened to their parent until each has at least three members (the top package may have fewer).

    Then the smallest ones, deepest first, until there are at most `most`.
    """
    counts, parents = Counter(categories), {}
    while True:
        below = [category for category in counts if "." in category]
        small = [category for category in below if counts[category] < SMALLEST_CATEGORY]
        if small:
            chosen = max(small, key=lambda category: (category.count("."), category))
        elif len(counts) > most and below:
            chosen = min(below, key=lambda category: (counts[category], -category.count("."), category))
        else:
            return [rolled(category, parents) for category in categories]
        parents[chosen] = chosen.rpartition(".")[0]
        counts[parents[chosen]] += counts.pop(chosen)


def rolled(category, parents):
    while category in parents:
        category = parents[category]
    return category


def spread_over_files(tasks, settings, sample):
    """The tasks without those by which one file would have more than its share (`largestFile`, a number of tasks) of the sample."""
    most = settings.get("largestFile", 0)
    if not most:
        return tasks
    by_file = {}
    for task in tasks:
        by_file.setdefault(task["source"]["file"], []).append(task)
    chosen = {id(task) for file in by_file.values() for task in (sampled(file, most, settings["seed"], sample) if len(file) > most else file)}
    return [task for task in tasks if id(task) in chosen]


def sampled(tasks, size, seed, sample):
    """`size` tasks spread over the categories in proportion (largest remainders), in file order; all when size is 0.

    Kept ones come first, whatever their categories' shares; what is missing then is drawn from the others.
    """
    kept = [task for task in tasks if sample.entry_of(task)]
    if size and len(kept) >= size:
        tasks, kept = kept, []
    if not size or size >= len(tasks):
        return tasks
    by_category, held = {}, Counter(task["category"] for task in kept)
    for task in tasks:
        by_category.setdefault(task["category"], []).append(task)
    exact = {category: size * len(members) / len(tasks) for category, members in by_category.items()}
    least = {category: max(min(SMALLEST_CATEGORY, len(by_category[category])), held[category]) for category in exact}
    share = {category: max(least[category], int(exact[category])) for category in exact}
    for category in sorted(exact, key=lambda name: (int(exact[name]) - exact[name], name)):
        if sum(share.values()) < size and share[category] < len(by_category[category]):
            share[category] += 1
    while sum(share.values()) > size:
        open_ones = [name for name in sorted(share) if share[name] > held[name]]
        share[max(open_ones, key=lambda name: (share[name], share[name] - exact[name]))] -= 1
    chosen, keeping = list(kept), {id(task) for task in kept}
    for category in sorted(by_category):
        others = [task for task in by_category[category] if id(task) not in keeping]
        chosen += random.Random(f"{seed}/{category}").sample(others, share[category] - held[category])
    place = {id(task): number for number, task in enumerate(tasks)}
    return sorted(chosen, key=lambda task: place[id(task)])
