"""How many cases the functions of a test have, as far as its text says so: whoever drops some of them is not tested by them."""

import ast
from collections import Counter
from math import prod


def least_cases(source, select):
    """Selected function (`TestUnit::test_both`) → how many cases its text has, at least; only of what is found there."""
    tree = ast.parse(source)
    tables = tables_of(tree)
    found = {name: defined(tree, name.split("::")) for name in select}
    return {name: prod(rows(one, tables) for node in path for one in node.decorator_list) for name, path in found.items() if path}


def defined(tree, names):
    """The classes and the function of that path; of several of a name the last, which is the one that is run. Empty: not there."""
    path, body = [], tree.body
    for name in names:
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        found = [node for node in body if isinstance(node, kinds) and node.name == name]
        if not found:
            return []
        path.append(found[-1])
        body = found[-1].body
    return path


def tables_of(tree):
    """Lists that are written at the top of a text, by their names, which are used for nothing but rows of parameters."""
    stored, used = (
        Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) is loads)
        for loads in (False, True)
    )
    as_rows = Counter(node.id for node in map(rows_of, ast.walk(tree)) if isinstance(node, ast.Name))
    assigned = {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)}
    return {name: value for name, value in assigned.items() if stored[name] == 1 and used[name] == as_rows[name]}


def rows_of(node):
    """What is given to `pytest.mark.parametrize` for rows; null for all else."""
    called = getattr(node, "func", None)
    if getattr(called, "attr", "") != "parametrize" or last_name(called.value) != "mark":
        return None
    return next((keyword.value for keyword in node.keywords if keyword.arg == "argvalues"), node.args[1] if len(node.args) > 1 else None)


def last_name(node):
    return getattr(node, "attr", getattr(node, "id", ""))


def rows(decorator, tables):
    """How many, where they are written out; 1 for all else, and for none, of which pytest makes a case that is skipped."""
    given = rows_of(decorator)
    values = tables.get(given.id) if isinstance(given, ast.Name) else given
    if not isinstance(values, (ast.List, ast.Tuple)) or any(isinstance(one, ast.Starred) for one in values.elts):
        return 1
    return max(1, len(values.elts))
