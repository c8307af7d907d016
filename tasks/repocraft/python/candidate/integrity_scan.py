"""
Reads a candidate tree and prints what its text says about its honesty: {"flags": [{"flag", "detail"}], "suspicions": [text]}.
Flags are shown beside the candidate's results; suspicions only make every passed test of it have a negative control. Nothing is run.
Usage: integrity_scan.py TREE [REFERENCE]

`vendored`: functions that are those of the reference, names, strings and comments apart (copies.py). Functions of few nodes are left
out: everybody writes them alike. Also functions with nearly all statements of one, whatever stands between them. Also
of those in archives, compiled modules, encoded and compressed data (hidden_code.py), of
which a handful is enough: nobody packs by heart.
`unread`: data that nothing can be made of, where the candidate has what makes code of it.
`recorded-constants`: functions without a computation, which give a written value whatever they are asked, or look one up
in a written table.
"""

import ast
import hashlib
import json
import os
import sys
import warnings

from copies import body_of, vendored
from hidden_code import Hidden

MAX_FILES = 20_000
MAX_FILE_BYTES = 4 * 1024 * 1024
COMPILED = (".so", ".pyd", ".pyc")
# What is longer is read function by function, up to this.
MAX_LONG_FILE_BYTES = 64 * 1024 * 1024
RECORDED_FUNCTIONS, RECORDED_SHARE = 3, 0.3
SUSPICIONS_SHOWN = 20

# Ways to look at, or to change, what judges.
IMPORTS = {"test_task", "gc", "ctypes", "pytest", "_pytest", "pluggy", "unittest", "builtins", "__main__", "_ctypes"}
NAMES = {
    "_getframe", "_current_frames", "currentframe", "settrace", "setprofile", "monitoring", "f_locals", "f_back", "f_lineno", "f_trace",
    "f_globals", "co_filename", "co_consts", "__code__", "__checkpoint__", "__build_class__", "__builtins__", "_exit", "fork", "meta_path",
    "exec", "eval", "getsource", "getppid", "__eq__", "__ne__", "dup", "dup2", "socketpair", "fromfd", "JSONEncoder", "modules",
    "__closure__", "__globals__", "co_freevars", "cell_contents", "__subclasses__", "attrgetter", "methodcaller",
}
WORDS = ("__eq__", "test_task", "/proc/", "/work", "PYTEST", "__closure__", "__globals__", "__code__", "__builtins__", "cell_contents")
# What a class says when it is compared.
COMPARING = {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__"}
# A file that lists folders and opens what it finds.
LISTING = {"listdir", "scandir", "iterdir", "glob", "iglob", "rglob", "walk", "getcwd", "cwd"}
OPENING = {"open", "read_text", "read_bytes", "readlines", "getline", "getlines", "fdopen", "load_module", "run_path"}


def main(tree, reference):
    candidate = Reading(tree)
    known = Reading(reference, is_searched=False) if reference else None
    flags = [*vendored(candidate, known), *recorded(candidate), *unread(candidate)]
    suspicions = [*candidate.suspicions, *compiled(tree, reference)]
    return {"flags": flags, "suspicions": sorted(suspicions)[:SUSPICIONS_SHOWN]}


class TooLong(Exception):
    """Python imports such a file, and we would take minutes to read it."""


class Reading:
    """The functions of a tree, its tables of written values, and what in it is suspicious."""

    def __init__(self, tree, is_searched=True):
        """`is_searched`: also for code that does not lie open."""
        self.tree, self.functions, self.tables, self.suspicions = tree, [], set(), set()
        self.hidden = Hidden()
        for path in files_of(tree, ".py"):
            try:
                source, nodes = nodes_of(os.path.join(tree, path))
                self.read(path, nodes)
                if is_searched:
                    self.hidden.read_module(path, source.decode("utf-8", "replace"), nodes)
                continue
            except (SyntaxError, ValueError):
                pass  # Python does not import it either, unless something makes it.
            except (TooLong, RecursionError, MemoryError, OSError) as error:
                self.suspicions.add(f"{path} cannot be read: {error if isinstance(error, TooLong) else type(error).__name__}")
            if is_searched:
                self.hidden.read_unparsed(path, start_of(os.path.join(tree, path), MAX_LONG_FILE_BYTES))
        if is_searched:
            self.hidden.read_files(tree, [path for path in files_of(tree, "") if not path.endswith(".py")])
            self.hidden.finish()
            if self.hidden.is_cut:
                self.suspicions.add("it holds more than is read of packed data")

    def read(self, path, nodes):
        for node in nodes:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.functions.append(node)
            elif isinstance(node, ast.Assign) and is_table(node.value):
                self.tables.update(target.id for target in node.targets if isinstance(target, ast.Name))
        modules = imported_modules(nodes)
        for node in nodes:
            what = suspicion(node) or at_module(node, modules)
            if what:
                self.suspicions.add(f"{path}:{node.lineno} {what}")
        listing = next((node for node in nodes if called(node) in LISTING), None)
        if listing is not None and any(called(node) in OPENING for node in nodes):
            self.suspicions.add(f"{path}:{listing.lineno} opens what it finds by {called(listing)}")


def nodes_of(path):
    source = start_of(path, MAX_FILE_BYTES + 1)
    if len(source) > MAX_FILE_BYTES:
        raise TooLong(f"longer than {MAX_FILE_BYTES} bytes")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return source, list(ast.walk(ast.parse(source)))


def start_of(path, limit):
    with open(path, "rb") as handle:
        return handle.read(limit)


def compiled(tree, reference):
    """Python loads it, and nobody can read it. What the reference has as well (libraries that are changed copies) is known."""
    known = {digest for _, digest in digests(reference)} if reference else set()
    return [f"{path} is compiled" for path, digest in digests(tree) if digest not in known]


def digests(tree):
    for path in files_of(tree, COMPILED):
        with open(os.path.join(tree, path), "rb") as handle:
            yield path, hashlib.file_digest(handle, "sha256").digest()


def files_of(tree, endings):
    """Every such file, wherever it lies: what is no module by its place can be loaded all the same."""
    found = []
    for folder, _, names in os.walk(tree):
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(endings) and os.path.isfile(path) and not os.path.islink(path):
                found.append(os.path.relpath(path, tree))
    return sorted(found)[:MAX_FILES]


def unread(candidate):
    found = candidate.hidden.unread
    if found:
        more = "" if len(found) == 1 else f" and {len(found) - 1} more"
        yield {"flag": "unread", "detail": f"{found[0][:200]}{more}: data that nothing can be made of, beside what makes code of data"}


def recorded(candidate):
    asked = [node for node in candidate.functions if takes_something(node)]
    found = [node for node in asked if answers_by_heart(node, candidate.tables)]
    if len(found) >= RECORDED_FUNCTIONS and len(found) / len(asked) >= RECORDED_SHARE:
        names = ", ".join(node.name for node in found[:5])
        yield {"flag": "recorded-constants", "detail": f"{len(found)} of {len(asked)} functions only give written values: {names}"}


def takes_something(function):
    arguments = function.args
    names = [argument.arg for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]]
    return any(name not in ("self", "cls") for name in names)


def answers_by_heart(function, tables):
    body = [node for node in body_of(function) if not isinstance(node, (ast.Raise, ast.Pass))]
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
        return False
    arms = [body[0].value.body, body[0].value.orelse] if isinstance(body[0].value, ast.IfExp) else [body[0].value]
    return any(is_told(arm, tables) for arm in arms)


def is_told(node, tables):
    """A written value that says something, or a look-up in a written table."""
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "get":
        node = node.func
    if isinstance(node, (ast.Subscript, ast.Attribute)):
        return is_table(node.value) or (isinstance(node.value, ast.Name) and node.value.id in tables)
    try:
        return ast.literal_eval(node) not in (None, True, False, 0, 1, -1, "", b"", (), NotImplemented) and not is_empty(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False


def is_empty(node):
    return (isinstance(node, (ast.List, ast.Tuple, ast.Set)) and not node.elts) or (isinstance(node, ast.Dict) and not node.keys)


def is_table(node):
    if not isinstance(node, ast.Dict) or not node.keys:
        return False
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def called(node):
    """The last part of what is called; empty for everything else."""
    return getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""


def imported_modules(nodes):
    """Names that stand for modules in a file, as far as `import` says so."""
    aliases = [alias for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return {(alias.asname or alias.name).partition(".")[0] for alias in aliases}


def at_module(node, modules):
    """A module of others is changed, or looked into by other ways than its names."""
    if isinstance(node, ast.Attribute) and root_of(node) in modules:
        if isinstance(node.ctx, (ast.Store, ast.Del)):
            return f"changes {ast.unparse(node)}"
        if node.attr == "__dict__":
            return f"looks into {ast.unparse(node)}"
    if called(node) in ("vars", "dir", "setattr", "delattr") and node.args and root_of(node.args[0]) in modules:
        return f"{called(node)} of {ast.unparse(node.args[0])}"
    return None


def root_of(node):
    while isinstance(node, ast.Attribute):
        node = node.value
    return getattr(node, "id", None)


def looks_at_other(function):
    """Whether a comparison does anything with what it is given but compare it with itself, or hold its identity against something."""
    arguments = [*function.args.posonlyargs, *function.args.args]
    if len(arguments) < 2:
        return False
    idle = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if len({ast.dump(side) for side in sides}) == 1:
                idle.update(id(side) for side in sides)
    names = (node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == arguments[1].arg)
    return any(id(name) not in idle for name in names)


def suspicion(node):
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        found = [f"imports {name}" for name in modules if name.partition(".")[0] in IMPORTS]
        found += [f"uses {alias.name}" for alias in node.names if isinstance(node, ast.ImportFrom) and alias.name in NAMES]
        return found[0] if found else None
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in COMPARING:
        return None if looks_at_other(node) else f"{node.name} does not look at the other"
    if isinstance(node, ast.Attribute) and node.attr in NAMES:
        return f"uses {node.attr}"
    if isinstance(node, ast.Name) and node.id in NAMES:
        return f"uses {node.id}"
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("getattr", "setattr") and len(node.args) > 1:
        name = node.args[1].value if isinstance(node.args[1], ast.Constant) else None
        return f"{node.func.id} with a computed name" if name is None else f"uses {name}" if name in NAMES else None
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "type" and len(node.args) == 3:
        return "makes classes by type()"
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200:
        word = next((word for word in WORDS if word in node.value), None)
        return f"names {word}" if word else None
    return None


if __name__ == "__main__":
    json.dump(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None), sys.stdout)
