"""What a rewrite has lost and gained, how it is refused, and small questions about syntax trees."""

import ast
from collections import Counter

from guard_view import FUNCTIONS, chain, own_attribute

FREE_CONSTANTS = {"None", "True", "False"}


class Refused(Exception):
    def __init__(self, code, message, node=None):
        where = f"line {node.lineno}: " if hasattr(node, "lineno") else ""
        super().__init__(where + message)
        self.code, self.message = f"guard.{code}", where + message


class Unit:
    """What changed its place between one judged statement and the next: it has to be there before and after."""

    def __init__(self):
        self.lost, self.gained = Account(), Account()
        self.known = set()

    def settle(self, node):
        missing = self.lost.constants - self.gained.constants
        added = self.gained.constants - self.lost.constants
        if missing:
            raise Refused("constant", f"{first(missing)} is missing", node)
        if strange := [text for text in added if text not in FREE_CONSTANTS]:
            raise Refused("constant", f"{strange[0]} is not in the test", node)
        if self.lost.foreign != self.gained.foreign:
            other = (self.gained.foreign - self.lost.foreign) or (self.lost.foreign - self.gained.foreign)
            raise Refused("name", f"{first(other)} is used otherwise than in the test", node)
        if unused := self.lost.variables - self.gained.variables:
            raise Refused("input", f"{first(unused)} is not handed over any more", node)
        if strange := self.gained.variables - self.lost.variables - self.known:
            raise Refused("input", f"{first(strange)} is not handed over in the test", node)


class Account:
    def __init__(self):
        self.constants, self.foreign, self.variables = Counter(), Counter(), set()

    def copy(self):
        other = Account()
        other.constants, other.foreign, other.variables = Counter(self.constants), Counter(self.foreign), set(self.variables)
        return other


def is_raises(node):
    """`pytest.raises(...)`, `self.assertRaises(...)`."""
    return isinstance(node, ast.Call) and "aises" in (chain(node.func) or [""])[-1]


def roots(node):
    """Every chain that begins with a name, as its links: `a.b.c` once, not three times."""
    links = chain(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
    if links is not None:
        if isinstance(node, ast.Attribute) or isinstance(node.ctx, ast.Load):
            yield links
        return
    for part in ast.iter_child_nodes(node):
        yield from roots(part)


def variable(links):
    return f"self.{links[1]}" if links[0] in ("self", "cls") and len(links) > 1 else links[0]


def root_of(node):
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def stored_words(node):
    if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
        yield node.id
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and own_attribute(node):
        yield own_attribute(node)


def stored_in(node):
    return [word for part in ast.walk(node) for word in stored_words(part)]


def bound_words(node):
    if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, (*FUNCTIONS, ast.ClassDef)) or (isinstance(node, ast.ExceptHandler) and node.name):
        yield node.name
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names


def first(found):
    return sorted(map(str, found))[0]


def kind(node):
    return type(node).__name__


def short(node):
    if isinstance(node, (ast.operator, ast.cmpop, ast.boolop, ast.unaryop)):
        return kind(node)
    try:
        text = ast.unparse(node) if isinstance(node, ast.AST) else repr(node)
    except (ValueError, RecursionError):
        text = kind(node)
    return text if len(text) <= 80 else f"{text[:79]}…"
