"""Lists, dictionaries, comprehensions and parts of them, in words."""

import ast

from marks import CUT
from phrases.operators import operation_in
from source import chain, walk
from syntax import is_literal

JOINING = {"r_": "the concatenation", "c_": "the columns"}


def say_elements(speech, node, depth):
    text = say_row(speech, node, depth)
    if isinstance(node, ast.Tuple):
        return f"({text})"
    return f"{{{text}}}" if isinstance(node, ast.Set) else f"[{text}]"


def say_row(speech, node, depth):
    """The elements of a list, set or tuple, one after the other."""
    every = [speech.inner(element, depth) for element in node.elts[: speech.widest]]
    cut = f", {CUT}" if len(node.elts) > speech.widest else "," if isinstance(node, ast.Tuple) and len(every) == 1 else ""
    return f"{', '.join(every)}{cut}"


def say_mapping(speech, node, depth):
    pairs = [f"{speech.inner(key, depth) if key else 'more'}: {speech.inner(value, depth)}" for key, value in zip(node.keys, node.values)]
    return "{" + ", ".join(pairs[: speech.widest] + ([CUT] if len(pairs) > speech.widest else [])) + "}"


def say_comprehension(speech, node, depth):
    turns, outside = [], speech.inner_names
    for generator in node.generators:
        names = [part.id for part in walk(generator.target) if isinstance(part, ast.Name)]
        turn = f"for each {' and '.join(map(speech.words, names))} of {speech.inner(generator.iter, depth)}"
        # Its names are its own.
        speech.inner_names |= set(names)
        conditions = [speech.said(condition, depth) for condition in generator.ifs]
        turns.append(turn + (f" where {' and '.join(conditions)}" if conditions else ""))
    speech.turns.append(speech.clock)
    made = [speech.inner(part, depth) for part in ([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])]
    speech.turns.pop()
    speech.inner_names = outside
    text = f"{': '.join(made)} {' '.join(turns)}"
    if isinstance(node, ast.ListComp):
        return f"[{text}]"
    return text if isinstance(node, ast.GeneratorExp) else f"{{{text}}}"


def say_unpacked(speech, node, depth):
    return f"all of {speech.inner(node.value, depth)}"


def say_awaited(speech, node, depth):
    return speech.inner(node.value, depth)


def say_item(speech, node, depth):
    joining = (chain(node.value) or [""])[-1]
    if joining in JOINING:
        return f"{JOINING[joining]} of {speech.inner(node.slice, depth)}"
    if joining == "s_":
        return f"the slice {speech.inner(node.slice, depth)}"
    is_row = isinstance(node.slice, ast.Tuple) and not is_literal(node.slice)
    place = f"[{say_row(speech, node.slice, depth + 1)}]" if is_row else speech.inner(node.slice, depth)
    kind = "items" if isinstance(node.slice, ast.Slice) else "items at" if isinstance(node.slice, ast.List) else "item"
    held = speech.inner(node.value, depth)
    return f"{kind} {place} of {f'({held})' if operation_in(speech, node.value, held) else held}"


def say_slice(speech, node, depth):
    ends = [speech.inner(end, depth) if end else "" for end in (node.lower, node.upper)]
    step = f":{speech.inner(node.step, depth)}" if node.step else ""
    return f"{ends[0]}:{ends[1]}{step}"
