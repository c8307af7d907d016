"""
Tells which packages a candidate cannot do without that are not there: every import of another package that is carried out
when its module is imported, where no package of that name is installed or a candidate may not use it. Prints
{"packages": {package: {"place": "file:line", "stops": modules, "isInTree": bool}}, "modules": all of them}: of the candidate's
modules cannot be imported, for want of the package, those that import it, what is inside them, and what imports any of these in
turn. `isInTree`: a module of that name lies elsewhere in the tree, where an import does not look. Run with the Python of the
project's image. Nothing of the candidate is imported or run.
Usage: missing_imports.py TREE [ALLOWED, ...]
"""

import ast
import importlib.util
import json
import sys
import warnings
from collections import defaultdict

from layout import COMPILED, TooBig, import_roots, module_name, python_files

MAX_FILES = 20_000
MAX_BYTES = 512 * 1024 * 1024
MAX_FILE_BYTES = 4 * 1024 * 1024
# A tree may import as many names as it has lines; what each of them stops takes a walk over all modules.
MOST_LOOKED_AT = 200
MOST = 20
# Parts of a dotted name that are followed; no path of a file system has many more.
DEEPEST = 64


def main(tree, allowed):
    try:
        files = python_files(tree, MAX_FILES, MAX_BYTES, (".py", *COMPILED))
    except TooBig:
        return {"packages": {}, "modules": 0}
    roots = import_roots(files)
    modules = {path: module for path in files if (module := module_name(path, roots))}
    own = {module.split(".")[0] for module in modules.values()}
    importers, places, direct = defaultdict(set), {}, defaultdict(set)
    for path in sorted(modules):
        module = modules[path]
        importers[module.rpartition(".")[0]].add(module)
        for name, names, line in imports_of(f"{tree}/{path}", module, path.endswith("/__init__.py")):
            top = name.partition(".")[0]
            if top in own:
                for needs in prefixes(name) + [f"{name}.{each}" for each in names]:
                    importers[needs].add(module)
            elif top in places or (len(places) < MOST_LOOKED_AT and not is_there(top, allowed)):
                places.setdefault(top, f"{path}:{line}")
                direct[top].add(module)
    named = {module.rpartition(".")[2] for module in modules.values()}
    found = {
        name: {"place": place, "stops": len(stopped(direct[name], importers)), "isInTree": name in named}
        for name, place in places.items()
    }
    first = sorted(found, key=lambda name: -found[name]["stops"])[:MOST]
    return {"packages": {name: found[name] for name in first}, "modules": len(set(modules.values()))}


def imports_of(path, module, is_package):
    """(dotted name, names taken from it, line) of what a module imports whenever it is imported; relative names made absolute."""
    if path.endswith(COMPILED):
        return
    try:
        with open(path, "rb") as handle:
            source = handle.read(MAX_FILE_BYTES + 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(source).body if len(source) <= MAX_FILE_BYTES else []
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError):
        return
    for statement in needed(body):
        if isinstance(statement, ast.Import):
            yield from ((alias.name, [], statement.lineno) for alias in statement.names)
            continue
        base = module.split(".") if is_package else module.split(".")[:-1]
        kept = len(base) - (statement.level - 1) if statement.level else 0
        if statement.level and kept < 1:
            continue  # Beyond the top: an error of its own.
        name = ".".join(base[:kept] + ([statement.module] if statement.module else []))
        yield name, [alias.name for alias in statement.names], statement.lineno


def needed(body):
    """What is behind a condition, in a function or in a `try` that may catch it may well be done without."""
    for statement in body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            yield statement
        elif isinstance(statement, ast.ClassDef):
            yield from needed(statement.body)
        elif isinstance(statement, ast.Try) and not statement.handlers:
            yield from needed(statement.body + statement.finalbody)


def prefixes(name):
    """`a.b.c` → a, a.b, a.b.c: all of them are imported."""
    parts = name.split(".", DEEPEST)[:DEEPEST]
    return [".".join(parts[: count + 1]) for count in range(len(parts))]


def stopped(first, importers):
    """These modules, what is inside them, and what imports any of these."""
    seen, todo = set(), list(first)
    while todo:
        module = todo.pop()
        if module not in seen:
            seen.add(module)
            todo += importers.get(module, ())
    return seen


def is_there(name, allowed):
    if name in sys.stdlib_module_names or name in sys.builtin_module_names:
        return True
    if allowed and name not in allowed:
        return False
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


if __name__ == "__main__":
    json.dump(main(sys.argv[1], set(sys.argv[2:])), sys.stdout)
