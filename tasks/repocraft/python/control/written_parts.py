"""The parts of an expected value that a test writes out, and what else could stand there: drawn as what a test hides is (draws.py)."""

import ast
import hashlib

from draws import NOTHING, Draws, written

# What makes a value of values and of nothing that is tested.
CALLS = {
    *("abs", "bytes", "bytearray", "complex", "dict", "float", "frozenset", "int", "len", "list", "max", "min", "range", "reversed"),
    *("round", "set", "sorted", "str", "sum", "tuple", "zip"),
    # By their last names, whatever they are imported from.
    *("approx", "array", "asarray", "Decimal", "Fraction"),
}
# How near an approximation is to be, and of which kind an array is.
SETTINGS = {"rel", "abs", "nan_ok", "dtype"}
NEVER = object()


def written_parts(node, function):
    """
    Constants that a computed value is made of, apart from what is given to the library, which another one may take another way.
    Those of a name, too, that the function gives a value once and asks for once.
    """
    if isinstance(node, ast.Constant):
        if not isinstance(node.value, (bool, type(None), type(...))):
            yield node
    elif isinstance(node, ast.Name):
        value = value_of(node.id, function)
        if value is not None:
            yield from written_parts(value, function)
    elif isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        is_of_text = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Constant)
        if is_of_text:
            yield from written_parts(node.func.value, function)
        if is_of_text or name in CALLS:
            for inner in [*node.args, *(one.value for one in node.keywords if one.arg not in SETTINGS)]:
                yield from written_parts(inner, function)
    elif isinstance(node, ast.Subscript):
        yield from written_parts(node.value, function)
    elif isinstance(node, ast.Dict):
        for inner in node.values:
            yield from written_parts(inner, function)
    elif isinstance(node, (ast.BinOp, ast.UnaryOp, ast.List, ast.Tuple, ast.Set, ast.Starred)):
        for inner in ast.iter_child_nodes(node):
            yield from written_parts(inner, function)


def value_of(name, function):
    uses = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == name]
    assigned = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
    given = [node.value for node in assigned if any(target is use for target in node.targets for use in uses)]
    return given[0] if len(given) == 1 and len(uses) == 2 else None


class Altering:
    """`seed`: what everything is drawn by; `text`: the test for whose values others are looked for."""

    def __init__(self, seed, text):
        self.seed, self.text = seed, text

    def value(self, node):
        """(node, text of another value) for a written value, at one of its parts where it has any; null for what is not written out."""
        value = written(node)
        if value is NOTHING:
            return None
        parts = sorted(leaves(node), key=lambda leaf: rank(self.seed, ast.dump(leaf)))
        return self.constant(parts[0]) if parts else (node, repr(other(value)))

    def constant(self, node):
        drawn = Draws(hashlib.sha256(self.seed.encode()).hexdigest(), self.text).shuffled(node.value)
        if drawn is None:
            return node, repr(other(node.value))
        values, right = drawn
        wrong = [one for place, one in enumerate(values) if place != right]
        return node, min(wrong, key=lambda one: rank(self.seed, one))


def leaves(node):
    """Constants of a written value, not those that are keys."""
    if isinstance(node, ast.Constant):
        yield node
    for inner in node.values if isinstance(node, ast.Dict) else ast.iter_child_nodes(node):
        yield from leaves(inner)


def rank(seed, what):
    return hashlib.sha256(f"{seed} {what}".encode()).hexdigest()


def other(value):
    """One of its kind, where nothing can be drawn."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float, complex)):
        return value + 1
    if isinstance(value, (str, bytes)):
        return value + (b"x" if isinstance(value, bytes) else "x")
    if isinstance(value, (list, tuple)):
        return type(value)([*value[:-1], other(value[-1])] if value else [0])
    if isinstance(value, dict):
        key = next(reversed(value), NEVER)
        return {"x": 1} if key is NEVER else {**value, key: other(value[key])}
    if isinstance(value, (set, frozenset)):
        return value | {"x"}
    return False  # None and Ellipsis
