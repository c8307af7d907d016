"""
Alters one expectation of a test, so that what really satisfied it no longer can: a canary. Made in the task's own test and,
at the same place, in the test as it was adapted to a candidate.
Usage: mutate.py REQUEST.json, with {"task", "adapted": test code, "functions": selected test functions, "seed", "limit"};
prints {"mutants": [{"kind", "function", "line", "task", "adapted"}]}, best first; fewer, or none, where there is nothing to alter.

Kinds, best first: `constant`, an expected value written in the test becomes another one; `expected`, a computed one becomes an
object equal to nothing; `raises`, another exception is expected; `negated`, the assertion is turned round. A value that
equals everything survives the last, and is found by the first two. Names in what is written are drawn by the seed, so that
a candidate cannot tell an altered test by the one word that all of them have.
"""

import ast
import hashlib
import json
import sys

from adapt import Edits

KINDS = ("constant", "expected", "raises", "negated")
# Classes of what equals nothing.
STRANGERS = ("Record", "Entry", "Node", "Item", "Value", "Result", "Point", "Response")
# What libraries neither raise nor derive from.
NOBODY_RAISES = ("ProcessLookupError", "ChildProcessError", "BufferError", "TabError", "UnicodeTranslateError", "InterruptedError")
NEVER = object()


def main(path):
    with open(path, encoding="utf-8") as handle:
        request = json.load(handle)
    names = {function.rpartition("::")[2] for function in request["functions"]}
    try:
        found = [sites(request[which], names, request["seed"]) for which in ("task", "adapted")]
        pairs = list(zip(*found, strict=True))
    except (SyntaxError, RecursionError, ValueError):
        return {"mutants": []}
    if any(one["kind"] != other["kind"] for one, other in pairs):
        return {"mutants": []}
    order = sorted(range(len(pairs)), key=lambda index: (KINDS.index(pairs[index][0]["kind"]), rank(request["seed"], index)))
    return {"mutants": [mutant(request, *pairs[index]) for index in order[: request["limit"]]]}


def rank(seed, index):
    return hashlib.sha256(f"{seed} {index}".encode()).hexdigest()


def mutant(request, task, adapted):
    sources = {"task": edited(request["task"], task["edits"]), "adapted": edited(request["adapted"], adapted["edits"])}
    return {"kind": task["kind"], "function": task["function"], "line": task["line"], **sources}


def edited(source, changes):
    edits = Edits(source)
    for node, text in changes:
        edits.replace(node, text)
    return edits.applied()


def drawn(seed, words):
    return words[int(rank(seed, "word")[:8], 16) % len(words)]


def sites(source, names, seed):
    """Everything that could be altered, in the order of the text."""
    found = []
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and function.name in names:
            for node in ast.walk(function):
                for kind, edits in alterations(node, function, seed):
                    found.append({"kind": kind, "function": function.name, "line": edits[0][0].lineno, "edits": edits})
    return found


def alterations(node, function, seed):
    if isinstance(node, ast.Assert):
        yield from of_condition(node.test, function, seed)
        yield "negated", [(node.test, f"not ({ast.unparse(node.test)})")]
    elif isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in ("raises", "assertRaises", "assertRaisesRegex") and node.args:
            others = [name for name in NOBODY_RAISES if name not in ast.unparse(node.args[0])]
            yield "raises", [(node.args[0], drawn(seed, others))]
        elif name in ("assertTrue", "assertFalse") and node.args:
            yield "negated", [(node.args[0], f"not ({ast.unparse(node.args[0])})")]
        elif name.lower().startswith("assert") and "not" not in name.lower() and len(node.args) >= 2:
            yield from of_pair(node.args[0], node.args[1], function, seed)


def of_condition(test, function, seed):
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Eq, ast.Is)):
        yield from of_pair(test.left, test.comparators[0], function, seed)


def of_pair(actual, expected, function, seed):
    for side in (expected, actual):
        text = altered(side)
        if text is not None:
            yield "constant", [(side, text)]
            return
        rows = parameter_values(side, function)
        if rows:
            yield "constant", rows
            return
    yield "expected", [(expected, f'type("{drawn(seed, STRANGERS)}", (), {{}})()')]


def parameter_values(side, function):
    """The values a parametrised test gets under this name, each altered; nothing where they are not all written out."""
    if not isinstance(side, ast.Name):
        return []
    for decorator in function.decorator_list:
        if not (isinstance(decorator, ast.Call) and getattr(decorator.func, "attr", "") == "parametrize" and len(decorator.args) >= 2):
            continue
        names, rows = argument_names(decorator.args[0]), decorator.args[1]
        if side.id not in names or not isinstance(rows, (ast.List, ast.Tuple)):
            continue
        place = names.index(side.id)
        values = [row if len(names) == 1 else cell(row, place) for row in rows.elts]
        edits = [(value, altered(value)) for value in values if value is not None]
        return edits if len(edits) == len(values) and all(text for _, text in edits) else []
    return []


def argument_names(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [name.strip() for name in node.value.split(",")]
    if isinstance(node, (ast.List, ast.Tuple)):
        return [getattr(name, "value", None) for name in node.elts]
    return []


def cell(row, place):
    if isinstance(row, ast.Call):  # pytest.param(...)
        return row.args[place] if place < len(row.args) else None
    return row.elts[place] if isinstance(row, (ast.List, ast.Tuple)) and place < len(row.elts) else None


def altered(node):
    """A written value as another one of its kind; null for what is not written out."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return repr(other(value))


def other(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float, complex)):
        return value + 1
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, bytes):
        return value + b"x"
    if isinstance(value, (list, tuple)):
        return type(value)([*value[:-1], other(value[-1])] if value else ["x"])
    if isinstance(value, dict):
        key = next(reversed(value), NEVER)
        return {"x": "x"} if key is NEVER else {**value, key: other(value[key])}
    if isinstance(value, (set, frozenset)):
        return value | {"x"}
    return "x"  # None and Ellipsis


if __name__ == "__main__":
    json.dump(main(sys.argv[1]), sys.stdout)
