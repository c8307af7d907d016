"""Where targets of tests lie in a library, and the edits of what is altered there."""

import ast

from adapt import Edits
from library import SCOPES, flattened


def found(library, path):
    """The module and the definition a dotted path leads to, and the class around it; None where it is none."""
    parts = path.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        module = library.modules.get(".".join(parts[:cut]))
        if module is None:
            continue
        body, owner, node = module.tree.body, None, None
        for name in parts[cut:]:
            owner, node = node, next((one for one in flattened(body) if getattr(one, "name", None) == name and isinstance(one, SCOPES)), None)
            if node is None:
                return None
            body = node.body
        return module, node, owner
    return None


def functions_of(library, path):
    """The functions behind a target: itself, or the methods of a class."""
    place = found(library, path)
    if place is None:
        return []
    module, node, _ = place
    if not isinstance(node, ast.ClassDef):
        return [(module, node)]
    return [(module, item) for item in flattened(node.body) if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))]


def functions_with(library, places):
    """The functions and methods of files in which some places lie."""
    paths = {path for path, _line in places}
    modules = [module for module in library.modules.values() if module.path in paths]
    return [(module, node) for module in modules for node in ast.walk(module.tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def applied(edits):
    return {module.path: edit.applied() for module, edit in edits.items() if edit.edits}


def edits_of(edits, module):
    return edits.setdefault(module, Edits(module.source))


def is_among(functions, module, node):
    """Whether a function is one of those, known by file and first line, which a decorator may stand in."""
    first = min([node.lineno] + [item.lineno for item in node.decorator_list])
    return (module.path, node.lineno) in functions or (module.path, first) in functions
