"""Names that words alone would not tell from another name of the same test."""

import ast
import datetime

from source import chain, walk


def spelled_names(nodes, wording):
    """Names whose words are those of another name too, but for case and underscores: a class and a function, a value and another.

    A thing that is called like its class is told from it by its place.
    """
    parts = [part for node in nodes for part in walk(node)]
    names = {part.id if isinstance(part, ast.Name) else part.attr for part in parts if isinstance(part, ast.Name) or is_of_library(part)}
    attributes = {part.attr for part in parts if isinstance(part, ast.Attribute)}
    cased = frozenset(name for name in attributes for other in attributes if name != other and name.lower() == other.lower())
    bound = {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    bound |= {part.arg for part in parts if isinstance(part, ast.arg)}
    alike = {}
    for name in sorted(names):
        alike.setdefault(wording.name(name).lower(), []).append(name)
    groups = [[name for name in group if name not in bound or not any(other[:1].isupper() for other in group)] for group in alike.values()]
    cased |= {name for name in names if name != name.lower() and hasattr(datetime, name.lower())}
    return cased | frozenset(name for group in groups if len(group) > 1 for name in group)


def qualified_names(nodes):
    """Classes and functions of one name that are read from several modules."""
    found = {}
    for part in (part for node in nodes for part in walk(node)):
        parts = chain(part) if isinstance(part, ast.Attribute) else None
        if parts and len(parts) > 1 and parts[-1][:1].isupper():
            found.setdefault(parts[-1], set()).add(parts[-2])
    return frozenset(name for name, modules in found.items() if len(modules) > 1)


def doubled_names(nodes):
    """Names that are called as functions and read as attributes too."""
    parts = [part for node in nodes for part in walk(node)]
    called = {part.func.id for part in parts if isinstance(part, ast.Call) and isinstance(part.func, ast.Name)}
    methods = {id(part.func) for part in parts if isinstance(part, ast.Call)}
    return frozenset(part.attr for part in parts if isinstance(part, ast.Attribute) and id(part) not in methods and part.attr in called)


def is_of_library(node):
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id not in ("self", "cls")
