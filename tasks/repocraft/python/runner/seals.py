"""Notes what judges a test before the candidate is there, and says what has been exchanged since.

Covered: functions and classes of pytest, pluggy, unittest and numpy.testing, with the code of every function and method,
the built-in names, and the functions by which tests compare numbers; the modules delivered beside the test (beside.py), and
once it is loaded the test's own: their functions, classes, plain values, and the modules they go by. A test's own patches are
undone by the time of the look, which is before and after each case; those that last longer can be seen in the texts as they
were delivered, and what is named there is left out.
"""

import ast
import builtins
import sys
import types
import unittest

# Functions of this module find Python's own names here: what the candidate does to those of `builtins` reaches none of them.
__builtins__ = dict(vars(builtins))

JUDGES = ("_pytest", "pytest", "pluggy", "unittest", "numpy.testing")
# Test doubles and printing, which tests and libraries replace for good reasons.
NOT_JUDGES = ("unittest.mock", "_pytest.monkeypatch", "_pytest.capture")
COMPARING_NUMBERS = {
    "math": ("isclose", "isnan", "isinf", "isfinite", "fabs"),
    "cmath": ("isclose", "isnan", "isinf", "isfinite"),
    "numpy": ("isclose", "allclose", "array_equal", "array_equiv", "all", "any", "isnan", "isfinite", "array", "asarray"),
    "operator": ("eq", "ne", "is_", "contains"),
}
# Values that cannot change and whose name might be given to another one. A name without a meaning is given one later.
PLAIN = (bool, int, float, complex, str, bytes, tuple, frozenset)
NO_FUNCTION = (None, None, None, None)
REPLACED_BY_HONEST_CODE = {"__import__", "open", "print", "input", "help", "breakpoint", "exit", "quit", "copyright", "credits", "license"}


def seals():
    """The function that names what no longer is what it was, or gives null."""
    return look_at(tuple(entries()))


def seals_beside(modules, trees):
    """The same for modules that came before the candidate, by name. `trees`: the texts of all that was delivered."""
    changed = changed_by(trees)
    there = [(f"module {name}", sys.modules.get, name, module, *NO_FUNCTION) for name, module in modules.items()]
    return look_at((*there, *(noted for name, module in modules.items() for noted in own_entries(name, module, changed))))


def names_of_judges():
    """Module → itself and its names, of what judges and what compares numbers; to be asked before the candidate can be imported."""
    judges = [name for name in sys.modules if is_below(name, JUDGES) and not is_below(name, NOT_JUDGES)]
    whole = {name: (sys.modules[name], dict(vars(sys.modules[name]))) for name in judges if sys.modules[name] is not None}
    numbers = {name: sys.modules[name] for name in COMPARING_NUMBERS if name in sys.modules}
    return whole | {name: (module, {key: vars(module).get(key) for key in COMPARING_NUMBERS[name]}) for name, module in numbers.items()}


def seals_of_tests(beside, trees, judges):
    """
    The same for the test module, which has just been loaded, and for what could not be had before. `beside`: as above.
    `judges`: as `names_of_judges` has noted them.
    """
    changed = changed_by(trees)
    modules = {name: sys.modules[name] for name in trees if name in sys.modules}
    own = {name: module for name, module in modules.items() if name not in beside}
    known = {**judges, **{name: (module, vars(module)) for name, module in beside.items()}}
    wrong = next((found for name, module in own.items() for found in other_names(name, module, trees[name], known)), None)
    look = look_at(tuple(noted for name, module in own.items() for noted in own_entries(name, module, changed)))
    namespaces = [(name, vars(module), shadows_of(trees[name])) for name, module in modules.items()]
    cases = [
        (f"{name}.{key}", vars(value), changed | {key for key in vars(value) if key in INHERITED})
        for name, module in modules.items()
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, unittest.TestCase) and value.__module__ == name
    ]

    def broken():
        if wrong is not None:
            return wrong
        for name, namespace, known in namespaces:
            added = [] if known is None else [key for key in namespace.keys() & BUILTINS - known if not is_submodule(name, key, namespace[key])]
            if added:
                return f"{name}.{min(added)} was replaced: it stands for a built-in name"
        for name, namespace, known in cases:
            added = [key for key in namespace.keys() & INHERITED - known if callable(namespace[key])]
            if added:
                return f"{name}.{min(added)} was replaced: it stands for that of unittest"
        return look()

    return broken


def other_names(name, module, tree, known):
    """
    Imports at the top of a text that did not give what the module beside it, or one that judges, holds: another stood there for
    a moment. `known`: module → itself and its names.
    """
    for statement in tree.body:
        for alias in statement.names if isinstance(statement, (ast.Import, ast.ImportFrom)) else ():
            local = alias.asname or alias.name
            if isinstance(statement, ast.ImportFrom):
                source = statement.module
                wanted = known[source][1].get(alias.name) if source in known else None
            else:
                source = alias.name if alias.asname else local.partition(".")[0]
                local, wanted = alias.asname or source, known.get(source, (None,))[0]
            if wanted is not None and vars(module).get(local) is not wanted and bound_once(tree, local):
                yield f"{name}.{local} was replaced: it is not that of {source}"


def bound_once(tree, name):
    """A text that gives a name several meanings may mean any of them."""
    found = 0
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found += node.name == name
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found += node.id == name
        elif isinstance(node, ast.alias):
            found += (node.asname or node.name) == name
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            found += name in node.names
    return found == 1


def is_submodule(name, key, value):
    """A package has its modules for attributes, whatever they are called. A plain module can be called by nobody."""
    return type(value) is types.ModuleType and sys.modules.get(f"{name}.{key}") is value


BUILTINS = frozenset(vars(builtins)) - {key for key in vars(builtins) if key.startswith("__")}
INHERITED = frozenset(dir(unittest.TestCase)) - frozenset(dir(object))


def look_at(noted):
    missing = object()

    def broken():
        for name, look_up, key, value, function, code, defaults, named in noted:
            if look_up(key, missing) is not value:
                return f"{name} was replaced"
            if function is None:
                continue
            if function.__code__ is not code or function.__defaults__ is not defaults:
                return f"the code of {name} was replaced"
            now = function.__kwdefaults__ or {}
            if named is not None and any(now.get(key, missing) is not value for key, value in named):
                return f"a default of {name} was replaced"
        return None

    return broken


def entries():
    """
    (name, look-up in its namespace, key, value, the plain function behind it or null, its code, its defaults, pairs of its
    defaults of named arguments or null).
    """
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


def own_entries(own, module, changed):
    """What a module of the test goes by; the code only of what is its own."""
    for key, value in vars(module).items():
        if key in changed or not isinstance(value, (types.FunctionType, type, types.ModuleType, *PLAIN)):
            continue
        is_own = getattr(value, "__module__", None) == own
        noted = entry(own, vars(module), key, value)
        yield noted if is_own else (*noted[:4], *NO_FUNCTION)
        if is_own and isinstance(value, types.FunctionType) and "__wrapped__" in vars(value):
            yield entry(f"{own}.{key}", vars(value), "__wrapped__", value.__wrapped__)
        if is_own and isinstance(value, type):
            for inner, method in vars(value).items():
                if inner not in changed and isinstance(method, (types.FunctionType, staticmethod, classmethod, property)):
                    yield entry(f"{own}.{key}", vars(value), inner, method)


def changed_by(trees):
    return {name for tree in trees.values() for name in changed_by_text(tree)}


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
        return f"{owner}.{key}", namespace.get, key, value, *NO_FUNCTION
    named = tuple(function.__kwdefaults__.items()) if function.__kwdefaults__ else None
    return f"{owner}.{key}", namespace.get, key, value, function, function.__code__, function.__defaults__, named


def is_below(name, packages):
    return any(name == package or name.startswith(package + ".") for package in packages)
