"""
What tests run of the library as it is: each in a process of its own, as `gold` runs them, watched by a pytest plugin (`watching`).
"""

import collections
import json
import os
import subprocess
import sys

from places import functions_of

HERE = os.path.dirname(os.path.abspath(__file__))
# Of the targets: what the tests of more than these run is their set-up, and says nothing about one of them.
FEW = 0.1


class Observed:
    """Places that tests run, as (file, line): lines of functions, and their first lines."""

    def __init__(self, tasks, places):
        self.tests = collections.defaultdict(list)
        for task in tasks:
            self.tests[task["targets"][0]].append((task["targets"], places.get(task["id"], set())))
        users = collections.Counter(place for tests in self.tests.values() for place in set().union(*(ran for _, ran in tests)))
        self.common = {place for place, count in users.items() if count > max(1, FEW * len(self.tests))}

    def of(self, target):
        """[(targets, places)] of the tests that are about a target, without what the tests of many others run as well."""
        return [(targets, places - self.common) for targets, places in self.tests[target]]


def observed(tree, library, tasks, imports, folder):
    """What tasks run of the files their targets lie in. `imports`: modules that gold imports once, before it runs any."""
    runnable = [task for task in tasks if task["functions"]]
    paths = sorted({module.path for task in tasks for target in task["targets"] for module, _ in functions_of(library, target)})
    return Observed(tasks, watched(os.path.realpath(tree), runnable, imports, paths, folder) if runnable else {})


def watched(tree, tasks, imports, paths, folder):
    by_name = {f"task_{place}": task for place, task in enumerate(tasks)}
    request = {"kind": "isolated", "hashSeed": 0, "imports": imports, "tasks": [{**task, "id": name} for name, task in by_name.items()]}
    asked, told = os.path.join(folder, "gold.json"), os.path.join(folder, "places.jsonl")
    with open(asked, "w", encoding="utf-8") as handle:
        json.dump({**request, "watched": {"tree": tree, "paths": paths, "into": told}}, handle)
    ours = {"PYTHONHASHSEED": "0", "PYTHONPATH": HERE, "PYTHONPYCACHEPREFIX": folder, "PYTEST_PLUGINS": "watching", "WATCHING": asked}
    gold = [sys.executable, "-s", os.path.join(HERE, "..", "gold"), asked, tree]
    subprocess.run(gold, env={**os.environ, **ours}, stdout=subprocess.DEVNULL, check=True)
    with open(told, encoding="utf-8") as lines:
        answers = [json.loads(line) for line in lines]
    return {by_name[answer["task"]]["id"]: {(path, line) for path, ran in answer["lines"].items() for line in ran} for answer in answers}
