"""What a function's variables are made of; flow is not followed, every assignment counts wherever it stands."""

import ast
import copy
import re

from guard_view import bindings

# Substitutions beyond this depth are a loop or no test.
MAX_DEPTH = 5
MAX_SUBSTITUTIONS = 2_000
GENERIC = {"error", "exception", "warning", "base", "invalid", "bad"}


def feeds(tree, variables_of):
    """Variable → every variable of the test that goes into it, over any number of steps."""
    direct = {}
    for node in ast.walk(tree):
        for targets, value in bindings(node):
            for target in targets:
                for part in ast.walk(target):
                    if isinstance(part, ast.Name):
                        direct.setdefault(part.id, set()).update(variables_of(value))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            changed = receivers(node.value)
            for name in changed:
                direct.setdefault(name, set()).update(variables_of(node.value))
    return {name: closure(name, direct) for name in direct}


def receivers(call):
    """What a call whose result is dropped is made for: its object, or its first argument."""
    for node in (call.func, *call.args[:1]):
        while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
            node = node.func if isinstance(node, ast.Call) else node.value
        if isinstance(node, ast.Name):
            yield node.id


def closure(name, direct):
    found, waiting = set(), [name]
    while waiting:
        for source in direct.get(waiting.pop(), ()):
            if source not in found:
                found.add(source)
                waiting.append(source)
    return found


def single_values(function):
    """Variables that are given exactly one value, with it."""
    given = {}
    for node in ast.walk(function) if function is not None else ():
        for targets, value in bindings(node):
            for target in targets:
                for part in ast.walk(target):
                    if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                        alone = isinstance(node, ast.Assign) and isinstance(target, ast.Name)
                        given.setdefault(part.id, []).append(value if alone else None)
    return {name: values[0] for name, values in given.items() if len(values) == 1 and values[0] is not None}


def expanded(node, values):
    """An expression with the values of its variables in their place."""
    return Substitution(values, MAX_DEPTH, [MAX_SUBSTITUTIONS]).visit(copy.deepcopy(node))


class Substitution(ast.NodeTransformer):
    def __init__(self, values, depth, left):
        self.values, self.depth, self.left = values, depth, left

    def visit_Name(self, node):
        if not self.depth or not self.left[0] or not isinstance(node.ctx, ast.Load) or node.id not in self.values:
            return node
        self.left[0] -= 1
        return Substitution(self.values, self.depth - 1, self.left).visit(copy.deepcopy(self.values[node.id]))


def alike(one, other):
    """Whether two names of exceptions share a word that says something, or are both of none."""
    a, b = words(one), words(other)
    if one == other or a == b:
        return True
    return bool((a - GENERIC) & (b - GENERIC))


def words(name):
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)}
