"""Notes what judges a test before the candidate is there, and says what has been exchanged since.

Covered: functions and classes of pytest, pluggy, unittest and numpy.testing, with the code of every function and method,
the built-in names, and the functions by which tests compare numbers. Once the test's own modules are loaded, theirs as well:
functions, classes, and the modules they go by. A test's own patches are undone by the time of the look, which is before and
after each case; those that last longer can be seen in its text, and what it names there is left out.
"""

import ast
import builtins
import os
import sys
import types
import unittest

JUDGES = ("_pytest", "pytest", "pluggy", "unittest", "numpy.testing")
# Test doubles and printing, which tests and libraries replace for good reasons.
NOT_JUDGES = ("unittest.mock", "_pytest.monkeypatch", "_pytest.capture")
COMPARING_NUMBERS = {
    "math": ("isclose", "isnan", "isinf", "isfinite", "fabs"),
    "cmath": ("isclose", "isnan", "isinf", "isfinite"),
    "numpy": ("isclose", "allclose", "array_equal", "array_equiv", "all", "any", "isnan", "isfinite", "array", "asarray"),
    "operator": ("eq", "ne", "is_", "contains"),
}
REPLACED_BY_HONEST_CODE = {"__import__", "open", "print", "input", "help", "breakpoint", "exit", "quit", "copyright", "credits", "license"}


def seals():
    """The function that names what no longer is what it was, or gives null."""
    return look_at(tuple(entries()))


def seals_of_tests(folder):
    """The same for the test module and its helpers, which lie in that folder."""
    inside = os.path.realpath(folder) + os.sep
    modules = [module for module in list(sys.modules.values()) if is_inside(module, inside)]
    trees = [tree_of(module) for module in modules]
    changed = {name for tree in trees for name in changed_by_text(tree)}
    look = look_at(tuple(noted for module in modules for noted in own_entries(module, changed)))
    namespaces = [(module.__name__, vars(module), shadows_of(tree)) for module, tree in zip(modules, trees, strict=True)]
    cases = [
        (f"{module.__name__}.{key}", vars(value), changed | {key for key in vars(value) if key in INHERITED})
        for module in modules
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, unittest.TestCase) and value.__module__ == module.__name__
    ]

    def broken():
        for name, namespace, known in namespaces:
            if known is not None and (added := (namespace.keys() & BUILTINS) - known):
                return f"{name}.{min(added)} was replaced: it stands for a built-in name"
        for name, namespace, known in cases:
            added = [key for key in namespace.keys() & INHERITED - known if callable(namespace[key])]
            if added:
                return f"{name}.{min(added)} was replaced: it stands for that of unittest"
        return look()

    return broken


BUILTINS = frozenset(vars(builtins)) - {key for key in vars(builtins) if key.startswith("__")}
INHERITED = frozenset(dir(unittest.TestCase)) - frozenset(dir(object))


def look_at(noted):
    missing = object()

    def broken():
        for name, look_up, key, value, function, code, defaults in noted:
            if look_up(key, missing) is not value:
                return f"{name} was replaced"
            if function is not None and (function.__code__ is not code or function.__defaults__ is not defaults):
                return f"the code of {name} was replaced"
        return None

    return broken


def entries():
    """(name, look-up in its namespace, key, value, the plain function behind it or null, its code, its defaults)."""
    for key, value in vars(builtins).items():
        if callable(value) and key not in REPLACED_BY_HONEST_CODE:
            yield entry("builtins", vars(builtins), key, value)
    for name, module in sorted(sys.modules.items()):
        if module is None or not is_below(name, JUDGES) or is_below(name, NOT_JUDGES):
            continue
        for key, value in vars(module).items():
            if isinstance(value, (types.FunctionType, type)):
                yield entry(name, vars(module), key, value)
            if isinstance(value, type) and value.__module__ == name:
                for inner, method in vars(value).items():
                    if isinstance(method, (types.FunctionType, staticmethod, classmethod, property)):
                        yield entry(f"{name}.{key}", vars(value), inner, method)


    for name, keys in COMPARING_NUMBERS.items():
        module = sys.modules.get(name)
        for key in keys:
            if hasattr(module, key):
                yield entry(name, vars(module), key, getattr(module, key))


def own_entries(module, changed):
    """What a module of the test goes by; the code only of what is its own."""
    own = module.__name__
    for key, value in vars(module).items():
        if key in changed or not isinstance(value, (types.FunctionType, type, types.ModuleType)):
            continue
        is_own = getattr(value, "__module__", None) == own
        noted = entry(own, vars(module), key, value)
        yield noted if is_own else (*noted[:4], None, None, None)
        if is_own and isinstance(value, type):
            for inner, method in vars(value).items():
                if inner not in changed and isinstance(method, (types.FunctionType, staticmethod, classmethod, property)):
                    yield entry(f"{own}.{key}", vars(value), inner, method)


def is_inside(module, folder):
    return os.path.realpath(getattr(module, "__file__", None) or "/").startswith(folder)


def tree_of(module):
    try:
        with open(module.__file__, "rb") as file:
            return ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return ast.Module(body=[], type_ignores=[])


def changed_by_text(tree):
    """Names a test changes while it runs: of attributes it assigns, globals, and everything it says in a text, as patches do."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            yield node.attr
        elif isinstance(node, ast.Global):
            yield from node.names
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200:
            yield node.value.rpartition(".")[2]
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg


def shadows_of(tree):
    """Built-in names that a module gives a meaning of its own; null where nobody can say."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            if any(alias.name == "*" for alias in node.names):
                return None
            names.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
    return names


def entry(owner, namespace, key, value):
    function = getattr(value, "fget", None) or getattr(value, "__func__", value)
    if not isinstance(function, types.FunctionType):
        return f"{owner}.{key}", namespace.get, key, value, None, None, None
    return f"{owner}.{key}", namespace.get, key, value, function, function.__code__, function.__defaults__


def is_below(name, packages):
    return any(name == package or name.startswith(package + ".") for package in packages)
