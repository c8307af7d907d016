"""
Tells which packages a candidate cannot do without that are not there: prints {package: "file:line"} for every import of
another package that is carried out when its module is imported, where no package of that name is installed or a candidate
may not use it. Run with the Python of the project's image. Nothing of the candidate is imported or run.
Usage: missing_imports.py TREE [ALLOWED, ...]
"""

import ast
import importlib.util
import json
import sys
import warnings

from layout import TooBig, import_roots, module_name, python_files

MAX_FILES = 20_000
MAX_BYTES = 512 * 1024 * 1024
MAX_FILE_BYTES = 4 * 1024 * 1024
MOST = 20


def main(tree, allowed):
    try:
        files = python_files(tree, MAX_FILES, MAX_BYTES)
    except TooBig:
        return {}
    roots = import_roots(files)
    modules = {path: module_name(path, roots) for path in files}
    own = {module.split(".")[0] for module in modules.values() if module}
    found = {}
    for path in sorted(path for path, module in modules.items() if module):
        for name, line in imports_of(f"{tree}/{path}"):
            if name not in own and name not in found and not is_there(name, allowed):
                found[name] = f"{path}:{line}"
    return dict(list(found.items())[:MOST])


def imports_of(path):
    """(top-level name, line) of what a module imports whenever it is imported."""
    try:
        with open(path, "rb") as handle:
            source = handle.read(MAX_FILE_BYTES + 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(source).body if len(source) <= MAX_FILE_BYTES else []
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError):
        return []
    return list(needed(body))


def needed(body):
    """What is behind a condition, in a function or in a `try` may well be done without."""
    for statement in body:
        if isinstance(statement, ast.Import):
            yield from ((alias.name.split(".")[0], statement.lineno) for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            yield statement.module.split(".")[0], statement.lineno
        elif isinstance(statement, ast.ClassDef):
            yield from needed(statement.body)


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
