"""Assembles tasks from the tests of a release: the plan of a build, and the extraction of what a lock names."""

import ast
import hashlib
import random
import re
from collections import Counter

from describe import Wording, description
from filters import SHORTEST_SLICE, Harvested, code_lines, reason_to_drop
from groups import grouped, subject_of
from harvest import units_of
from slicer import CannotSlice, Slice
from source import is_private_name
from targets import ranked, reference_imports, uses_of, words_of

SMALLEST_CATEGORY = 3


def test_files(sources):
    pattern = re.compile(sources.settings["testFiles"])
    return [path for path in sources.tests.paths() if pattern.match(path)]


def learn_slice(test, sources):
    """Slices a test and finds out what it exercises. Raises CannotSlice."""
    unit = test.unit
    text = Slice(sources, [unit]).text(prelude=False)
    tree = parsed(text)
    imports = reference_imports(tree, sources.settings["package"])
    symbols = ranked(sources, unit, uses_of(sources, unit, imports, tree))
    names = [symbol[len(sources.reference.module_of(symbol)) + 1 :] for symbol in symbols]
    test.learn(text, tree, imports, symbols, names)


def parsed(text):
    """A slice's syntax tree. A statement cut out by its lines can lose what it needs to stand alone."""
    try:
        return ast.parse(text)
    except SyntaxError as problem:
        raise CannotSlice(f"the slice is no Python: {problem.msg}") from problem


def planned(sources, overrides):
    """A build before gold: {harvested, dropped, drafts, unsampled}.

    Groups never cross files, so one file is read, judged and forgotten after the other. Of a project with far more
    groups than wanted only a seeded sample, spread over the categories, becomes drafts; `unsampled` counts the test
    functions of the others.
    """
    harvested, dropped, drafts = 0, {}, []
    for path in test_files(sources):
        units = units_of(sources.tests.load(path))
        harvested += len(units)
        drafts += drafted_file(sources, units, overrides, dropped)
        sources.tests.forget(path)
    pool = sampled(with_categories(drafts, sources), sources.settings["pool"], sources.settings["seed"])
    unsampled = sum(len(draft["functions"]) for draft in drafts) - sum(len(draft["functions"]) for draft in pool)
    for draft in pool:
        del draft["category"]
    return {"harvested": harvested, "dropped": dropped, "drafts": pool, "unsampled": unsampled}


def drafted_file(sources, units, overrides, dropped):
    """The drafts of one test file; every unit that is in none of them gets its rule in `dropped`."""
    kept, drafts = [], []
    for unit in units:
        test, detail = Harvested(unit), ""
        reason = reason_to_drop(test, sources.settings, overrides)
        try:
            if not reason:
                learn_slice(test, sources)
                reason = reason_to_drop(test, sources.settings, overrides)
        except CannotSlice as problem:
            reason, detail = "cannot-slice", str(problem)
        if reason:
            dropped[unit.key] = {"rule": reason, "detail": detail}
        else:
            kept.append(test)
    for group in grouped(kept, sources.reference, sources.settings):
        draft, reason, detail = None, "too-short", ""
        try:
            draft = drafted(sources, group)
        except CannotSlice as problem:
            reason, detail = "cannot-slice", str(problem)
        if draft and draft["loc"] >= SHORTEST_SLICE:
            drafts.append(draft)
        else:
            dropped.update({test.unit.key: {"rule": reason, "detail": detail} for test in group})
    return drafts


def drafted(sources, group):
    """A task without id and category, which depend on its neighbours."""
    group = sorted(group, key=lambda test: test.unit.node.lineno)
    cut = Slice(sources, [test.unit for test in group])
    text, own = cut.text(), cut.text(prelude=False)
    tree = parsed(text)
    targets = group_targets(group, sources.reference)
    module = group[0].unit.module
    segments = "\n".join(module.text_of(*test.unit.lines) for test in group)
    return {
        "project": sources.settings["project"],
        "subcategory": subcategory(group, sources.reference),
        "description": description(group, targets, Wording(sources.settings), sources.reference, serves(sources, cut, text)),
        "test_code": text,
        "imports": reference_imports(tree, sources.settings["package"]),
        "fixtures": [{"name": name, "provider": provider} for name, provider in sorted(cut.fixtures)],
        "auxiliary_code": cut.auxiliary(),
        "functions": [test.unit.node_id for test in group],
        "targets": targets,
        "loc": len(code_lines(own)),
        "difficulty": difficulty(own, targets, sum(test.unit.parametrised()[1] for test in group), serves(sources, cut, text)),
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


def numbered(drafts, sources):
    """Tasks from the drafts that survived gold: categories rolled up, a seeded proportional sample, ids."""
    chosen = sampled(with_categories(drafts, sources), sources.settings["size"], sources.settings["seed"])
    counters, tasks = {}, []
    for task in chosen:
        stem = identifier(task, sources.settings["package"])
        counters[stem] = counters.get(stem, 0) + 1
        tasks.append(dict(task, id=f"{stem}-{counters[stem]:03d}"))
    return tasks


def with_categories(drafts, sources):
    """Copies of the drafts with their categories, few enough for a sample of the project's size to serve each."""
    size = sources.settings["size"]
    most = size // SMALLEST_CATEGORY if size else len(drafts)
    categories = rolled_up([category_of(draft["targets"][0], sources) for draft in drafts], most)
    return [dict(draft, category=category) for draft, category in zip(drafts, categories)]


def category_of(target, sources):
    """The module that defines a target, or where the project's settings say so its package."""
    module = sources.reference.modules[sources.reference.module_of(target)]
    parts = (module.package if sources.settings["categoryBy"] == "package" else module.name).split(".")
    private = next((place for place, part in enumerate(parts) if is_private_name(part)), len(parts))
    return ".".join(parts[:private])


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
    place = {id(task): number for number, task in enumerate(tasks)}
    return sorted(chosen, key=lambda task: place[id(task)])


def identifier(task, package):
    """`requests-models-prepare`: package, last part of the category, what the tests' names share or the subject."""
    area = task["category"].rpartition(".")[2]
    method = task["targets"][0].rpartition(".")[2]
    slug = "_".join(words_of(method))[:40].strip("_")
    parts = [package] + ([area] if area != package else []) + [slug or "task"]
    return "-".join(part.lower() for part in parts)[:70]


def extracted(sources, locked):
    """The tasks a lock names, cut out of the release again. `locked` entries hold id, category, file and functions.

    Whatever cannot be cut as it was is left out; whoever asked compares.
    """
    wanted = {f"{entry['file']}::{name}": entry["id"] for entry in locked for name in entry["functions"]}
    groups = {}
    for path in sorted({entry["file"] for entry in locked}):
        for unit in units_of(sources.tests.load(path)):
            if unit.key in wanted:
                groups.setdefault(wanted[unit.key], []).append(Harvested(unit))
    return [task for entry in locked for task in recut(sources, entry, groups.get(entry["id"], []))]


def recut(sources, entry, group):
    try:
        for test in group:
            learn_slice(test, sources)
        return [dict(drafted(sources, group), id=entry["id"], category=entry["category"])] if group else []
    except CannotSlice:
        return []
