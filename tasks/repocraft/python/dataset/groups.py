"""Capability groups: the few tests of one class or file that share a subject and the first words of their names."""

import re

from filters import code_lines, is_short
from targets import stem, words_of

COMMON_WORDS = {"test", "is", "are", "not", "no", "with", "the", "a", "of", "in", "on", "to", "and", "for", "by", "does", "doesnt"}
# What the name of a regression's test is made of: `test_issue_1234`, `test_gh123`.
NUMBER = re.compile(r"^[a-z]{0,10}\d+$")
NOISE = {"test", "issue", "issues", "bug", "bugs", "gh", "pr", "ticket", "regression", "fix", "fixes"}


def subject_of(test, reference):
    """The class or function a test is mainly about: its first symbol, methods lifted to their class."""
    symbol = test.symbols[0]
    return symbol.rpartition(".")[0] if reference.kinds.get(symbol) == "method" else symbol


def grouped(tests, reference, settings):
    """Lists of tests, in file order; no list is longer than the project's `largestGroup`."""
    buckets = {}
    for test in tests:
        owner = test.unit.owner.name if test.unit.owner else ""
        place = (test.unit.module.path, owner, subject_of(test, reference))
        # A name that says nothing has nothing in common with another.
        words = telling_words(test, place)[: settings["groupWords"]] or test.unit.key
        buckets.setdefault(place + (words,), []).append(test)
    buckets = with_lone_ones_joined(buckets)
    groups = [chunk for bucket in buckets.values() for chunk in chunks(bucket, settings["largestGroup"])]
    return sorted(groups, key=lambda group: (group[0].unit.module.path, group[0].unit.node.lineno))


def telling_words(test, place):
    """Stems of the words of a test's name that its class and subject do not say already; none for the number of an issue."""
    if all(NUMBER.match(word) or word in NOISE for word in words_of(test.unit.name)):
        return ()
    said = {stem(word) for word in words_of(place[1]) + words_of(place[2].rpartition(".")[2])} | COMMON_WORDS
    words = [stem(word) for word in words_of(test.unit.name)]
    return tuple(word for word in words if word not in said) or tuple(words)


def with_lone_ones_joined(buckets):
    """Lone tests of one place pair up where their names share a word; a short one left over joins the smallest bucket."""
    places = {}
    for key, tests in buckets.items():
        places.setdefault(key[:3], []).append(tests)
    joined = {}
    for place, lists in places.items():
        rest = [tests for tests in lists if len(tests) > 1]
        for tests in paired([tests[0] for tests in lists if len(tests) == 1], place):
            if len(tests) == 1 and is_short(tests[0].text) and rest and telling_words(tests[0], place):
                smallest = min(rest, key=lambda other: (len(other), sum(len(code_lines(test.text)) for test in other)))
                smallest += tests
            else:
                rest.append(tests)
        for number, tests in enumerate(rest):
            joined[place + (number,)] = sorted(tests, key=lambda test: test.unit.node.lineno)
    return joined


def paired(lone, place):
    """Pairs by the largest share of telling words, first come first served; short tests pair even without one."""
    left, pairs = list(lone), []
    while left:
        first = left.pop(0)
        words = telling_words(first, place)
        best = max(left, key=lambda other: similarity(words, telling_words(other, place)), default=None)
        told = best is not None and words and telling_words(best, place)
        both_short = told and is_short(first.text) and is_short(best.text)
        if best is not None and (both_short or similarity(words, telling_words(best, place)) > 0):
            left.remove(best)
            pairs.append([first, best])
        else:
            pairs.append([first])
    return sorted(pairs, key=lambda tests: len(tests) == 1)


def similarity(one, other):
    return len(set(one) & set(other)) / max(1, len(set(one) | set(other)))


def chunks(tests, largest):
    """Consecutive parts of nearly equal size."""
    count = -(-len(tests) // largest)
    cuts = [round(part * len(tests) / count) for part in range(count + 1)]
    return [tests[start:end] for start, end in zip(cuts, cuts[1:])]
