"""
Guesses the values that tests hide among wrong ones (tasks/repocraft/python/runner/choices.py), as a candidate could that knows
Python's own library and reads the test as it is delivered, but does not know what the right answers are.

Usage: guess_hidden.py RUNNER TASKS.json LIBRARY [--keys N]
RUNNER: folder of the runner. TASKS: list of {"id", "test_code", "functions"}. LIBRARY: folder with Python's own library. Prints,
for each way to guess: tasks in which every hidden value was guessed, in how many of N draws, and single values guessed.
"""

import argparse
import ast
import glob
import hashlib
import json
import math
import os
import re
import sys
from collections import Counter, defaultdict

LENGTH = 6
# A run of characters in the test counts as many in the library.
IN_TEST = 300


class Runs:
    """Runs of characters of a text, and how likely one goes on: with the longest ones that are known."""

    def __init__(self):
        self.counts = [Counter() for _ in range(LENGTH + 1)]

    def add(self, text, weight=1):
        for length in range(1, LENGTH + 1):
            for run, count in Counter(text[at : at + length] for at in range(len(text) + 1 - length)).items():
                self.counts[length][run] += count * weight
        self.counts[0][""] += len(text) * weight


def log_likelihood(models, text, begin, end):
    total = 0.0
    for at in range(begin, min(len(text), end + LENGTH - 1)):
        probability = 1 / 100
        for length in range(1, LENGTH + 1):
            run = text[max(0, at + 1 - length) : at + 1]
            if len(run) < length:
                break
            before = sum(weight * model.counts[length - 1][run[:-1]] for model, weight in models)
            if before == 0:
                break
            seen = sum(weight * model.counts[length][run] for model, weight in models)
            probability = (seen + 5 * probability) / (before + 5)
        total += math.log(probability)
    return total


def by_runs(of_test, of_library):
    def guess(values, place, context):
        models = [(context["runs"], of_test), (context["library"], of_library)]
        scores = [log_likelihood(models, text, len(place[0]), len(text) - len(place[1])) for text in (place[0] + one + place[1] for one in values)]
        return scores.index(max(scores))

    return guess


def by_words(values, _place, context):
    """The one whose words and numbers stand most often in the test, then in the library."""
    scores = []
    for one in values:
        words = re.findall(r"[A-Za-z]+|\d+", one)
        scores.append(sum(math.log(1e-3 + IN_TEST * context["words"][word] + context["library_words"][word]) for word in words))
    return scores.index(max(scores))


def by_overlap(values, _place, context):
    """The one of which the longest piece stands in the test, where they differ."""

    def longest(one):
        found = 0
        for begin in range(len(one)):
            while begin + found < len(one) and one[begin : begin + found + 1] in context["text"]:
                found += 1
        return found

    scores = [longest(one) for one in values]
    return scores.index(max(scores))


def by_majority(values, place, context):
    votes = Counter(guess(values, place, context) for name, guess in WAYS.items() if name != "all of these")
    return max(range(len(values)), key=lambda at: votes[at])


def blind(values, _place, context):
    return int.from_bytes(hashlib.sha256(repr((values, context["seed"])).encode()).digest()[:4], "big") % len(values)


WAYS = {
    "blind": blind,
    "runs of test and library": by_runs(IN_TEST, 1),
    "runs of the library": by_runs(0, 1),
    "runs of the test": by_runs(1, 0),
    "words": by_words,
    "overlap": by_overlap,
    "all of these": by_majority,
}


def hidden(text):
    """(number, texts of the values, what stands before and after them) of each place in a delivered test; the text without them."""
    tree = ast.parse(text)
    lines = text.encode().split(b"\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "__among__"]
    spans = [(starts[c.lineno - 1] + c.col_offset, starts[c.end_lineno - 1] + c.end_col_offset, c) for c in calls]
    data, blank = text.encode(), text.encode()
    for begin, end, _ in sorted(spans, key=lambda span: -span[0]):
        blank = blank[:begin] + blank[end:]
    places = []
    for begin, end, call in spans:
        values = [ast.unparse(one) for one in call.args[1].elts]
        values = [repr(ast.literal_eval(one)) for one in values]
        around = data[max(0, begin - 30) : begin].decode(errors="ignore"), data[end : end + 10].decode(errors="ignore")
        places.append((ast.literal_eval(call.args[0]), values, around))
    return places, blank.decode()


def library_of(folder):
    runs, words = Runs(), Counter()
    paths = sorted(glob.glob(os.path.join(folder, "**", "*.py"), recursive=True))
    paths = [path for path in paths if not re.search("/test|/encodings/|/idlelib/|-packages/|/pydoc_data/", path)]
    text = ""
    for path in paths:
        with open(path, encoding="utf-8", errors="replace") as file:
            text += file.read()
    words.update(re.findall(r"[A-Za-z]+|\d+", text))
    runs.add(text[: 3_000_000])
    return runs, words


def main(options):
    sys.path.insert(0, options.runner)
    from choices import with_choices

    with open(options.tasks, encoding="utf-8") as file:
        tasks = json.load(file)
    library, library_words = library_of(options.library)
    tally = {way: [0.0, 0, 0] for way in WAYS}
    of_kind = defaultdict(lambda: [0, 0])
    with_values = 0
    for task in tasks:
        source, names = task["test_code"], {name.rpartition("::")[2] for name in task["functions"]}
        has_values = False
        for number in range(options.keys):
            key = hashlib.sha256(f"{task['id']} {number}".encode()).hexdigest()
            if hasattr(sys.modules["choices"], "Draws"):
                text, choices = with_choices(source, names, {"key": key, "drawnFor": source, "before": None})
            else:
                text, choices = with_choices(source, names)
            places, blank = hidden(text)
            if not places:
                break
            has_values = True
            runs = Runs()
            runs.add(blank)
            context = {"runs": runs, "library": library, "words": Counter(re.findall(r"[A-Za-z]+|\d+", blank))}
            context.update(library_words=library_words, text=blank, seed=number)
            for way, guess in WAYS.items():
                right = [guess(values, around, context) == choices.right[place] for place, values, around in places]
                if way == "runs of test and library":
                    for hit, (_, values, _) in zip(right, places, strict=True):
                        kind = f"{type(ast.literal_eval(values[0])).__name__} of {len(values)}"
                        of_kind[kind][0] += hit
                        of_kind[kind][1] += 1
                tally[way][0] += all(right) / options.keys
                tally[way][1] += sum(right)
                tally[way][2] += len(right)
        with_values += has_values
    print(f"{len(tasks)} tasks, {with_values} with hidden values")
    for way, (passed, guessed, of) in tally.items():
        print(f"{way:26} {passed:6.1f} tasks  {guessed / max(of, 1):6.1%} of values")
    for kind, (hits, of) in sorted(of_kind.items()):
        print(f"  {kind:16} {hits / of:6.1%} of {of}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("runner", "tasks", "library"):
        parser.add_argument(name)
    parser.add_argument("--keys", type=int, default=3)
    main(parser.parse_args())
