"""Assembles tasks from the tests of a release: the plan of a build, and the extraction of what a lock names."""

import hashlib
import random
import re

from describe import Wording, description
from filters import Harvested, code_lines, is_short, reason_to_drop
from groups import grouped, subject_of
from harvest import units_of
from slicer import CannotSlice, Slice
from targets import ranked, reference_imports, uses_of, words_of

SMALLEST_CATEGORY = 3


def harvested(sources, files=None):
    """Every unit of the release's test files with its own slice and symbols. Returns (tests, reasons for `cannot-slice`)."""
    tests, failures = [], {}
    pattern = re.compile(sources.settings["testFiles"])
    for path in files or [path for path in sources.tests.paths() if pattern.match(path)]:
        for unit in units_of(sources.tests.load(path)):
            tests.append(examined(sources, unit, failures))
    return tests, failures


def examined(sources, unit, failures):
    try:
        cut = Slice(sources, [unit])
        text = cut.text()
    except CannotSlice as problem:
        failures[unit.key] = str(problem)
        return Harvested(unit, None, set(), [], [])
    imports = reference_imports(text, sources.settings["package"])
    symbols = ranked(sources, unit, uses_of(sources, unit, imports, text))
    return Harvested(unit, text, cut.fixtures, imports, symbols)


def planned(sources, overrides):
    """A build before gold: {counts, dropped, groups}. Groups are lists of unit keys with everything but id and category."""
    tests, failures = harvested(sources)
    dropped, kept = {}, []
    for test in tests:
        reason = reason_to_drop(test, sources.settings, overrides)
        if reason:
            dropped[test.unit.key] = {"rule": reason, "detail": failures.get(test.unit.key, "")}
        else:
            kept.append(test)
    drafts = []
    for group in grouped(kept, sources.reference, sources.settings):
        draft, reason, detail = None, "too-short", ""
        try:
            draft = drafted(sources, group)
        except CannotSlice as problem:
            reason, detail = "cannot-slice", str(problem)
        if draft and not is_short(draft["test_code"]):
            drafts.append(draft)
        else:
            dropped.update({test.unit.key: {"rule": reason, "detail": detail} for test in group})
    return {"harvested": len(tests), "dropped": dropped, "drafts": drafts}


def drafted(sources, group):
    """A task without id and category, which depend on its neighbours."""
    group = sorted(group, key=lambda test: test.unit.node.lineno)
    cut = Slice(sources, [test.unit for test in group])
    text = cut.text()
    targets = group_targets(group, sources.reference)
    module = group[0].unit.module
    segments = "\n".join(module.text_of(*test.unit.lines) for test in group)
    return {
        "project": sources.settings["project"],
        "subcategory": subcategory(group, sources.reference),
        "description": description(group, targets, Wording(sources.settings), sources.reference, serves(sources, cut, text)),
        "test_code": text,
        "imports": reference_imports(text, sources.settings["package"]),
        "fixtures": [{"name": name, "provider": provider} for name, provider in sorted(cut.fixtures)],
        "auxiliary_code": {},
        "functions": [test.unit.node_id for test in group],
        "targets": targets,
        "loc": len(code_lines(text)),
        "difficulty": difficulty(text, targets, sum(test.unit.parametrised()[1] for test in group), serves(sources, cut, text)),
        "source": {
            "file": module.path,
            "lines": [test.unit.lines for test in group],
            "sha256": hashlib.sha256(segments.encode("utf-8")).hexdigest(),
        },
        "seed": sources.settings["seed"],
    }


def serves(sources, cut, text):
    names = set(sources.settings["serverNames"])
    return any(name in names for name, _ in cut.fixtures) or any(re.search(rf"\b{name}\b", text) for name in names)


def group_targets(group, reference):
    """Symbols of all tests of a group: the subject's first, then by how many tests rank them, then by rank."""
    order = {}
    for test in group:
        for rank, symbol in enumerate(test.symbols):
            seen = order.setdefault(symbol, [0, 0])
            seen[0] += 1
            seen[1] += rank
    subject = subject_of(group[0], reference)
    mine = [symbol for symbol in order if symbol == subject or symbol.startswith(subject + ".")]
    return sorted(order, key=lambda symbol: (symbol not in mine, -order[symbol][0], order[symbol][1], symbol))


def subcategory(group, reference):
    subject = subject_of(group[0], reference)
    return subject[len(reference.module_of(subject)) + 1 :] or subject


def difficulty(text, targets, cases, serving):
    """easy 0-1, medium 2-3, hard 4 and more points.

    Code lines of the slice: from 20 one, from 35 two. Targets: from 3 one, from 5 two. Parametrised cases over all
    functions: from 4 one, from 12 two. A server: one.
    """
    lines = len(code_lines(text))
    points = (lines >= 20) + (lines >= 35) + (len(targets) >= 3) + (len(targets) >= 5) + (cases >= 4) + (cases >= 12) + serving
    return "easy" if points <= 1 else "medium" if points <= 3 else "hard"


def numbered(drafts, reference, size, seed):
    """Tasks from the drafts that survived gold: categories rolled up, a seeded proportional sample, ids."""
    categories = rolled_up([reference.module_of(draft["targets"][0]) for draft in drafts])
    pairs = [dict(draft, category=category) for draft, category in zip(drafts, categories)]
    chosen = sampled(pairs, size, seed)
    counters, tasks = {}, []
    for task in chosen:
        stem = identifier(task)
        counters[stem] = counters.get(stem, 0) + 1
        tasks.append(dict(task, id=f"{stem}-{counters[stem]:03d}"))
    return tasks


def rolled_up(categories):
    """Dotted paths shortened to their parent until each has at least three members (the top package may have fewer)."""
    categories = list(categories)
    while True:
        counts = {category: categories.count(category) for category in categories}
        small = [category for category in counts if counts[category] < SMALLEST_CATEGORY and "." in category]
        if not small:
            return categories
        deepest = max(small, key=lambda category: (category.count("."), category))
        categories = [category.rpartition(".")[0] if category == deepest else category for category in categories]


def sampled(tasks, size, seed):
    """`size` tasks spread over the categories in proportion (largest remainders), in file order; all when size is 0."""
    if not size or size >= len(tasks):
        return tasks
    by_category = {}
    for task in tasks:
        by_category.setdefault(task["category"], []).append(task)
    exact = {category: size * len(members) / len(tasks) for category, members in by_category.items()}
    share = {category: max(min(SMALLEST_CATEGORY, len(by_category[category])), int(exact[category])) for category in exact}
    for category in sorted(exact, key=lambda name: (int(exact[name]) - exact[name], name)):
        if sum(share.values()) < size and share[category] < len(by_category[category]):
            share[category] += 1
    while sum(share.values()) > size:
        share[max(sorted(share), key=lambda name: (share[name], share[name] - exact[name]))] -= 1
    chosen = []
    for category in sorted(by_category):
        chosen += random.Random(f"{seed}/{category}").sample(by_category[category], share[category])
    return sorted(chosen, key=tasks.index)


def identifier(task):
    """`requests-models-prepare`: project, last part of the category, what the tests' names share or the subject."""
    area = task["category"].rpartition(".")[2]
    method = task["targets"][0].rpartition(".")[2]
    slug = "_".join(words_of(method))[:40].strip("_")
    parts = [task["project"]] + ([area] if area != task["project"] else []) + [slug or "task"]
    return "-".join(part.lower() for part in parts)[:70]


def extracted(sources, locked):
    """The tasks a lock names, cut out of the release again. `locked` entries hold id, category, file and functions."""
    wanted = {f"{entry['file']}::{name}": entry["id"] for entry in locked for name in entry["functions"]}
    tests, _ = harvested(sources, sorted({entry["file"] for entry in locked}))
    groups = {}
    for test in tests:
        if test.unit.key in wanted and test.text is not None:
            groups.setdefault(wanted[test.unit.key], []).append(test)
    return [
        dict(drafted(sources, groups[entry["id"]]), id=entry["id"], category=entry["category"])
        for entry in locked
        if entry["id"] in groups
    ]
