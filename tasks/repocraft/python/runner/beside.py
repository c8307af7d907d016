"""The modules that are delivered beside a test: read and imported before anything of the candidate's can be.

So whatever the candidate does to their files, to `sys.modules` or to what finds modules comes too late, and what they are is
noted (seals.py) before it could be changed. One that imports what is tested cannot be had so early; it comes when the test
asks for it.
"""

import ast
import importlib
import os
import sys


def trees_of(folder, test):
    """The texts of a folder as syntax trees, by the names of the modules they make; not of those whose name is taken."""
    trees = {}
    for place, _, names in os.walk(folder):
        for path in (os.path.join(place, name) for name in names if name.endswith(".py")):
            name = module_name(os.path.relpath(path, folder))
            if name == test or name not in sys.modules:
                trees[name] = tree_of(path)
    return trees


def import_beside(folder, test, trees):
    """Name → module of all that is delivered and can be imported now, as far as the test asks for it."""
    sys.path.insert(0, folder)
    try:
        for name in imported(trees[test]):
            if name in trees and name != test:
                import_quietly(name)
    finally:
        sys.path.remove(folder)
    return {name: sys.modules[name] for name in trees if name in sys.modules and name != test}


def import_quietly(name):
    try:
        importlib.import_module(name)
    except (Exception, SystemExit):
        pass  # The test will say so.


def imported(tree):
    """Names of modules a text may import, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def module_name(path):
    return path.removesuffix(".py").removesuffix(os.sep + "__init__").replace(os.sep, ".")


def tree_of(path):
    try:
        with open(path, "rb") as file:
            return ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return ast.Module(body=[], type_ignores=[])  # Importing it will say what is wrong.
