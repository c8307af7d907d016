"""Assembles tasks from the tests of a release: the plan of a build, and the extraction of what a lock names."""

import ast
import hashlib
import re

import alike
from describe import Wording, asks_of_subject, called, description
from filters import SHORTEST_SLICE, Harvested, code_lines, reason_to_drop
from groups import grouped, subject_of
from harvest import units_of
from sample import SMALLEST_CATEGORY, rolled_up, sampled, spread_over_files
from slicer import CannotSlice, Slice
from source import is_private_name
from targets import ranked, reference_imports, uses_of, words_of


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


def planned(sources, overrides, sample):
    """A build before gold: {harvested, dropped, drafts, unsampled}.

    Groups never cross files, so one file is read, judged and forgotten after the other. Of a project with far more
    groups than wanted only the kept sample and a seeded one of the others, spread over the categories, become drafts;
    `unsampled` counts the test functions of the rest.
    """
    harvested, dropped, drafts = 0, {}, []
    for path in test_files(sources):
        units = units_of(sources.tests.load(path))
        harvested += len(units)
        drafts += drafted_file(sources, units, overrides, dropped, sample)
        sources.tests.forget(path)
    pool = sampled(with_categories(drafts, sources), sources.settings["pool"], sources.settings["seed"], sample)
    unsampled = sum(len(draft["functions"]) for draft in drafts) - sum(len(draft["functions"]) for draft in pool)
    pool, duplicates = alike.parted(pool, sample, sources.settings.get("near", 0))
    for draft in duplicates:
        for name in draft["functions"]:
            dropped[f"{draft['source']['file']}::{name}"] = {"rule": "near-duplicate", "detail": draft["targets"][0]}
    for draft in pool:
        del draft["category"]
    return {"harvested": harvested, "dropped": dropped, "drafts": pool, "unsampled": unsampled}


def drafted_file(sources, units, overrides, dropped, sample):
    """The drafts of one test file; every unit that is in none of them gets its rule in `dropped`.

    Tests of the kept sample stay together as they are locked, and the others are grouped without them.
    """
    standing, drafts = [], []
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
            standing.append(test)
    groups, others = sample.parted(standing)
    wording = Wording(sources.settings)
    groups += grouped(others, sources.reference, sources.settings)
    for group in sorted(groups, key=first_line):
        draft, reason, detail = None, "too-short", ""
        try:
            draft = drafted(sources, group)
        except CannotSlice as problem:
            reason, detail = "cannot-slice", str(problem)
        if draft and draft["loc"] >= SHORTEST_SLICE and not asks_of_subject(draft, group, wording, called(draft["targets"][0], wording, sources.reference)):
            draft, reason = None, "off-subject"
        if draft and draft["loc"] >= SHORTEST_SLICE:
            drafts.append(draft)
        else:
            dropped.update({test.unit.key: {"rule": reason, "detail": detail} for test in group})
    return drafts


def first_line(group):
    return min(test.unit.node.lineno for test in group)


def drafted(sources, group):
    """A task without id and category, which depend on its neighbours."""
    group = sorted(group, key=lambda test: test.unit.node.lineno)
    cut = Slice(sources, [test.unit for test in group])
    text, own = cut.text(), cut.text(prelude=False)
    tree = parsed(text)
    targets, is_serving = group_targets(group, sources.reference), serves(sources, cut, tree)
    module = group[0].unit.module
    segments = "\n".join(module.text_of(*test.unit.lines) for test in group)
    return {
        "project": sources.settings["project"],
        "subcategory": subcategory(group, sources.reference),
        "description": description(group, targets, Wording(sources.settings), sources.reference, is_serving),
        "test_code": text,
        "imports": reference_imports(tree, sources.settings["package"]),
        "fixtures": [{"name": name, "provider": provider} for name, provider in sorted(cut.fixtures)],
        "auxiliary_code": cut.auxiliary(),
        "functions": [test.unit.node_id for test in group],
        "targets": targets,
        "loc": len(code_lines(own)),
        "difficulty": difficulty(own, targets, sum(test.unit.parametrised()[1] for test in group), is_serving),
        "source": {
            "file": module.path,
            "lines": [test.unit.lines for test in group],
            "sha256": hashlib.sha256(segments.encode("utf-8")).hexdigest(),
        },
        "seed": sources.settings["seed"],
    }


def serves(sources, cut, tree):
    """Whether a task is exercised against a server: it asks for its fixture, or names it in its code."""
    named = {name for name, _ in cut.fixtures} | {getattr(node, field, "") for node in ast.walk(tree) for field in ("id", "attr", "arg", "name")}
    return bool(named & set(sources.settings["serverNames"]))


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


def numbered(drafts, sources, sample):
    """Tasks from the drafts that survived gold: categories rolled up, a seeded proportional sample, ids.

    A kept task keeps its id, which is a name, also where its subject is another now; its category follows its subject.
    """
    size, seed = sources.settings["size"], sources.settings["seed"]
    open_ones = spread_over_files(with_categories(drafts, sources), sources.settings, sample)
    chosen = sampled(open_ones, size, seed, sample)
    if sample.locked:
        places = sample.placed([module_category(task, sources) for task in chosen], sources.settings["package"])
        chosen = [dict(task, category=category) for task, category in zip(chosen, places)]
    counters, tasks = sample.last_numbers(), []
    for task in chosen:
        entry = sample.entry_of(task)
        if entry:
            tasks.append(dict(task, id=entry["id"]))
            continue
        stem = identifier(task, sources.settings["package"])
        counters[stem] = counters.get(stem, 0) + 1
        tasks.append(dict(task, id=f"{stem}-{counters[stem]:03d}"))
    return tasks


def with_categories(drafts, sources):
    """Copies of the drafts with their categories, few enough for a sample of the project's size to serve each."""
    size = sources.settings["size"]
    most = size // SMALLEST_CATEGORY if size else len(drafts)
    categories = rolled_up([module_category(draft, sources) for draft in drafts], most)
    return [dict(draft, category=category) for draft, category in zip(drafts, categories)]


def module_category(draft, sources):
    """The module that defines a draft's subject, or where the project's settings say so its package."""
    module = sources.reference.modules[sources.reference.module_of(draft["targets"][0])]
    parts = (module.package if sources.settings["categoryBy"] == "package" else module.name).split(".")
    private = next((place for place, part in enumerate(parts) if is_private_name(part)), len(parts))
    return ".".join(parts[:private])


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
