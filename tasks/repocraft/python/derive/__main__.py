"""
Derives a labelled candidate from the pinned reference, by syntax tree and a seed: the same bytes for the same request.
Usage: python3 /tool/derive TREE REQUEST.json, with {"kind", "seed", "share", "settings", "prelude": text or null,
"tasks": [{"id", "targets", "test_code"}], "ran": {id: {path: [line]}}}; prints {"texts": {path: text}, "moves": {path: path},
"tests": {id: text}, "package": name, "modules": {dotted: new}, "symbols": {module.name: new name}, "altered": [path], "deleted":
[path], "undocumented": [path in the candidate]}. `settings`: see projects.json; a task's main target comes first; `ran`: lines of
the reference's functions, as `watch` tells them, where the kind asks for them; `texts` holds what changed, at its new path, `moves`
the files that go elsewhere as they are or with a text.
"""

import ast
import contextlib
import gc
import json
import os
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "candidate")]

from alter import altered  # noqa: E402
from constant import ANSWERS, constant  # noqa: E402
from library import Library, compiled_names, defined_names, read_files  # noqa: E402
from observed import Observed  # noqa: E402
from rename import Rewriting, moved_names, new_path, renamed_names, rewritten  # noqa: E402
from reword import reworded  # noqa: E402
from running import Start  # noqa: E402


def main(tree, request):
    texts, paths = read_files(tree)
    library = Library(texts)
    if request["kind"] in ("renamed", "moved", "reworded"):
        return under_other_names(tree, library, paths, request)
    if request["kind"] in ANSWERS:
        made = {"texts": constant(library, request["kind"], request["settings"]["top"]), "moves": {}, "tests": tests_of(request)}
        return {**made, "package": request["settings"]["top"], "modules": {}, "symbols": {}, "altered": targets_of(request), "deleted": []}
    # Processes forked from this one need not look through the syntax trees for cycles.
    gc.freeze()
    with tempfile.TemporaryDirectory() as folder:
        start = Start(tree, used_modules(library, request), request["prelude"], folder)
        seen = Observed(request["tasks"], request["ran"])
        changed, done = altered(library, request["kind"], targets_of(request), request["seed"], request["share"], start, seen)
    made = {"texts": changed, "moves": {}, "tests": tests_of(request), "package": request["settings"]["top"]}
    return {**made, "modules": {}, "symbols": {}, "altered": done, "deleted": done if request["kind"] == "partial" else []}


def targets_of(request):
    return [task["targets"][0] for task in request["tasks"] if task["targets"]]


def tests_of(request):
    return {task["id"]: task["test_code"] for task in request["tasks"]}


def used_modules(library, request):
    """Those that targets lie in and that tests import, with the packages around them."""
    used = {task["targets"][0].rpartition(".")[0] for task in request["tasks"]}
    for text in tests_of(request).values():
        with contextlib.suppress(SyntaxError):
            used.update(imported_modules(ast.parse(text)))
    return [name for name in sorted(library.modules) if any(path == name or path.startswith(name + ".") for path in used)]


def imported_modules(tree):
    """What a text imports, and what it imports by name of that, which may be a module too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def under_other_names(tree, library, paths, request):
    settings, tests = request["settings"], tests_of(request)
    if request["kind"] in ("renamed", "reworded"):
        thesaurus = thesaurus_of("thesaurus.json", None)
        names = renamed_names(library, tests.values(), compiled_names(tree, paths, defined_names(library)), settings, thesaurus, request["seed"])
    else:
        names = moved_names(library, settings, request["seed"])
    changed, bare = rewritten(library, names), []
    if request["kind"] == "reworded":
        modules = {new_path(module, names): names.module(module.name) for module in library.modules.values()}
        prose = {**thesaurus_of("thesaurus.json", None), **thesaurus_of("prose.json", "|")}
        changed, bare = reworded({path: (modules[path], text) for path, text in changed.items()}, prose, request["seed"])
    for new in names.modules.values():
        changed.update({place: "" for place in packages_of(new, library, names) if place not in changed})
    moves = {old: new for old, new in moved_files(library, paths, names).items() if old != new}
    rewritten_tests = {name: rewritten_test(library, names, f"test_{place}", text) for place, (name, text) in enumerate(sorted(tests.items()))}
    made = {"texts": changed, "moves": moves, "tests": rewritten_tests, "package": names.module(settings["top"])}
    symbols = {f"{module}.{name}": new for (module, name), new in names.symbols.items()}
    return {**made, "modules": names.modules, "symbols": symbols, "altered": [], "deleted": [], "undocumented": bare}


def thesaurus_of(file, between):
    """Word → other words for it; `between`: what stands between those, None for blanks."""
    with open(os.path.join(HERE, file), encoding="utf-8") as handle:
        return {word: others.split(between) for word, others in json.load(handle).items()}


def packages_of(dotted, library, names):
    """`__init__.py` of the folders a moved module needs."""
    known = {names.module(name) for name in library.modules}
    parts = dotted.split(".")[:-1]
    for cut in range(2, len(parts) + 1):
        folder = ".".join(parts[:cut])
        if folder not in known:
            yield folder.replace(".", "/") + "/__init__.py"


def moved_files(library, paths, names):
    """Where every file goes: modules by name, anything else with its folder."""
    by_path = {module.path: new_path(module, names) for module in library.modules.values()}
    folders = {os.path.dirname(module.path): os.path.dirname(by_path[module.path])
               for module in library.modules.values() if module.path.endswith("__init__.py")}
    moves = {}
    for path in paths:
        folder = os.path.dirname(path)
        inside = folder
        while inside and inside not in folders:
            inside = os.path.dirname(inside)
        moves[path] = by_path.get(path) or (folders[inside] + path[len(inside):] if inside in folders else path)
    return moves


def rewritten_test(library, names, name, text):
    try:
        with library.beside(name, text) as module:
            return Rewriting(library, module, names).text()
    except SyntaxError:
        return text


def answer_request(tree, path, answers):
    with open(path, encoding="utf-8") as handle:
        answers.append(main(tree, json.load(handle)))


if __name__ == "__main__":
    # Expressions of thousands of terms are trees as deep: the stack a process begins with would not hold the walk.
    sys.setrecursionlimit(200_000)
    threading.stack_size(512 * 1024 * 1024)
    answers = []
    walk = threading.Thread(target=answer_request, args=(sys.argv[1], sys.argv[2], answers))
    walk.start()
    walk.join()
    if not answers:
        raise SystemExit(1)  # the thread has said why
    json.dump(answers[0], sys.stdout)
