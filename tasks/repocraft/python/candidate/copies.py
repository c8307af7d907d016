"""Which functions of a candidate are those of the reference, apart from names, strings, comments, and what stands between their statements."""

import ast
import hashlib
from collections import Counter, defaultdict

from compiled_prints import prints_of_tree

SMALLEST_FUNCTION_NODES = 40
# Both must hold: a handful, and a share of the candidate or of the reference.
VENDORED_FUNCTIONS, VENDORED_SHARE = 5, 0.2
# Everybody writes smaller statements alike; of the others so many, and such a share of a function's, are that function.
SMALLEST_STATEMENT_NODES = 10
TELLING_STATEMENTS, TELLING_SHARE = 4, 0.8
BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


def vendored(candidate, reference):
    """The flag, or nothing; each as `Reading` of integrity_scan.py. `reference`: null where nobody knows."""
    if reference is None:
        return
    known = {print_of(node) for node in reference.functions} - {None}
    prints = [(print_of(node), node) for node in candidate.functions]
    own = [found for found, _ in prints if found is not None]
    copied = [found for found in own if found in known]
    diluted = with_statements_of(reference, (node for found, node in prints if found not in known))
    shares = [(len(copied) + len(diluted)) / max(1, len(own)), (len(set(copied)) + len(diluted)) / max(1, len(known))]
    if len(copied) + len(diluted) >= VENDORED_FUNCTIONS and max(shares) >= VENDORED_SHARE:
        among = f", {len(diluted)} of them with something in between" if diluted else ""
        detail = f"{len(copied) + len(diluted)} of {len(own)} larger functions are those of the reference, which has {len(known)}{among}"
        yield {"flag": "vendored", "detail": detail}
        return
    packed = {print_of(node) for node in candidate.hidden.functions} & known
    compiled_ones = set(candidate.hidden.prints)
    if compiled_ones:
        compiled_ones &= prints_of_tree(reference.tree)
    if len(packed) + len(compiled_ones) >= VENDORED_FUNCTIONS:
        detail = f"{len(packed) + len(compiled_ones)} larger functions of the reference, which has {len(known)}, are in its data"
        yield {"flag": "vendored", "detail": detail}


def with_statements_of(reference, functions):
    """Functions of the reference of which nearly all telling statements are in one of these."""
    known = [statements_of(node) for node in reference.functions]
    known = [prints for prints in known if len(prints) >= TELLING_STATEMENTS]
    holders = defaultdict(set)
    for place, prints in enumerate(known):
        for one in prints:
            holders[one].add(place)
    found = set()
    for node in functions:
        shared = Counter(place for one in statements_of(node) for place in holders.get(one, ()))
        found.update(place for place, count in shared.items() if count >= max(TELLING_STATEMENTS, TELLING_SHARE * len(known[place])))
    return found


def statements_of(function):
    """Hashes of all its larger statements, those of compound ones without what is in their bodies."""
    found, waiting = set(), list(body_of(function))
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue  # Read by itself.
        inner = [one for name in BODIES for one in getattr(statement, name, []) if isinstance(one, ast.AST)]
        waiting += inner
        parts = parts_of(statement, {id(one) for one in inner})
        if len(parts) >= SMALLEST_STATEMENT_NODES:
            found.add(digest(parts))
    return found


def print_of(function):
    """A hash of a function's form: kinds of nodes in order, names by order of appearance, numbers; null for small ones."""
    parts = parts_of(ast.Module(body=body_of(function), type_ignores=[]))
    return None if len(parts) < SMALLEST_FUNCTION_NODES else digest(parts)


def parts_of(tree, left_out=frozenset()):
    names, parts = {}, []
    waiting = [tree]
    for node in waiting:
        waiting.extend(inner for inner in ast.iter_child_nodes(node) if id(inner) not in left_out)
        parts.append(type(node).__name__)
        for field in ("id", "attr", "arg", "name"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                parts.append(str(names.setdefault(value, len(names))))
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, bytes, type(None))):
            # In hexadecimal: Python refuses to print thousands of decimal digits.
            parts.append(hex(node.value) if isinstance(node.value, int) else repr(node.value))
    return parts


def digest(parts):
    return hashlib.sha256(" ".join(parts).encode()).digest()


def body_of(function):
    """Without the docstring."""
    first = function.body[0]
    is_doc = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return function.body[1:] if is_doc else function.body
