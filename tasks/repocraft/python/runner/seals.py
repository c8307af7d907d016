"""Notes what judges a test before the candidate is there, and says what has been exchanged since.

Covered: functions and classes of pytest, pluggy, unittest and numpy.testing, with the code of every function and method,
and the built-in names. A test's own patches are undone by the time of the look, which is before and after each case.
"""

import builtins
import sys
import types

JUDGES = ("_pytest", "pytest", "pluggy", "unittest", "numpy.testing")
# Test doubles and printing, which tests and libraries replace for good reasons.
NOT_JUDGES = ("unittest.mock", "_pytest.monkeypatch", "_pytest.capture")
REPLACED_BY_HONEST_CODE = {"__import__", "open", "print", "input", "help", "breakpoint", "exit", "quit", "copyright", "credits", "license"}


def seals():
    """The function that names what no longer is what it was, or gives null."""
    noted = tuple(entries())
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


def entry(owner, namespace, key, value):
    function = getattr(value, "fget", None) or getattr(value, "__func__", value)
    if not isinstance(function, types.FunctionType):
        return f"{owner}.{key}", namespace.get, key, value, None, None, None
    return f"{owner}.{key}", namespace.get, key, value, function, function.__code__, function.__defaults__


def is_below(name, packages):
    return any(name == package or name.startswith(package + ".") for package in packages)
