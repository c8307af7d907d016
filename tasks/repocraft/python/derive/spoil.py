"""
Spoils the bodies of the functions behind targets: one operation changed (`mutated`), placeholders (`stubbed`), the work done and
another result handed out (`decoys`).
"""

import ast
import functools
import random

from library import SCOPES
from places import applied, edits_of, functions_of, functions_with, is_among

ARITHMETIC = {ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Mod: "+"}
COMPARED = {ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "==", ast.In: "not in",
            ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is"}

OTHER = '''
def _other_result(value):
    kind = type(value)
    if kind is bool:
        return not value
    if kind in (int, float, complex):
        return value + 1
    if kind is str:
        return value[::-1] + "x"
    if kind is bytes:
        return value[::-1] + b"x"
    if kind in (list, tuple):
        return value[1:] if len(value) else kind([None])
    if kind in (dict, set, frozenset):
        return kind()
    return None if value is not None else 1

'''


def spoiled(library, paths, kind, seed, running, seen):
    """`running`: functions that run before a test does; `seen`: what tests run. What all or many of them run is left as it is."""
    alter, edits, left = {"mutated": mutate, "stubbed": stub, "decoys": disguise}[kind], {}, running | seen.common
    each = functools.partial(alterable, edits=edits, left=left)
    done = [path for path in paths if alter(library, path, each, random.Random(f"{seed}/{kind}/{path}"), seen)]
    texts = applied(edits)
    return {path: with_helper(text) for path, text in texts.items()} if kind == "decoys" else texts, done


def alterable(functions, edits, left):
    """(module, its edits, body, span of the body) of functions that are not to be left."""
    for module, node in functions:
        edit = edits_of(edits, module)
        body = body_of(node)
        if not body or is_among(left, module, node) or is_hidden(node) or body[0].lineno == node.lineno:
            continue
        span = (edit.starts[body[0].lineno - 1] + body[0].col_offset, edit.starts[body[-1].end_lineno - 1] + body[-1].end_col_offset)
        yield module, edit, body, span


def untouched(functions):
    """Those in which nothing is altered yet: a method may be a target beside its class."""
    return (one for one in functions if not any(one[3][0] <= start < one[3][1] for start, _end, _text in one[1].edits))


def is_hidden(node):
    """Python's own protocol, except making and comparing; overloads."""
    decorators = {getattr(item, "attr", getattr(item, "id", "")) for item in node.decorator_list}
    called = ("__call__", "__eq__", "__getitem__", "__iter__", "__len__")
    protocol = node.name.startswith("__") and node.name.endswith("__") and node.name not in called
    return protocol or bool(decorators & {"overload", "abstractmethod"})


def body_of(node):
    """Without the docstring; statements that share the definition's line are left alone."""
    first = node.body[0]
    is_doc = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return node.body[1:] if is_doc else node.body


def stub(library, path, each, chance, _seen):
    texts = ["pass", "return None", "raise NotImplementedError", "return {}"]
    done = False
    for _module, edit, _body, (start, end) in untouched(each(functions_of(library, path))):
        edit.edits.append((start, end, texts[chance.randrange(len(texts))].encode()))
        done = True
    return done


def disguise(library, path, each, _chance, _seen):
    done = False
    for _module, edit, body, (start, end) in untouched(each(functions_of(library, path))):
        results = [one for one in own_nodes(body) if isinstance(one, (ast.Return, ast.Yield)) and one.value is not None]
        if results:
            for one in results:
                at = one.value
                # Twice, for `return a, b`.
                edit.edits.append((place(edit, at), place(edit, at), b"_other_result(("))
                edit.edits.append((end_place(edit, at), end_place(edit, at), b"))"))
        elif isinstance(body[-1], ast.Raise):
            continue
        else:
            edit.edits.append((start, end, b"return _other_result(None)"))
        done = True
    return done


def place(edit, node):
    return edit.starts[node.lineno - 1] + node.col_offset


def end_place(edit, node):
    return edit.starts[node.end_lineno - 1] + node.end_col_offset


def own_nodes(body):
    """Not of functions in it, nor in f-strings, where Python 3.11 places some nodes wrongly."""
    todo = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, (*SCOPES, ast.JoinedStr)):
            continue
        yield node
        todo.extend(ast.iter_child_nodes(node))


def with_helper(text):
    """After the docstring and `from __future__` imports."""
    line = 0
    for node in ast.parse(text).body:
        is_doc = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        if not is_doc and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            break
        line = node.end_lineno
    lines = text.splitlines(keepends=True)
    if line and not lines[line - 1].endswith("\n"):
        lines[line - 1] += "\n"
    return "".join([*lines[:line], OTHER, *lines[line:]])


def mutate(library, path, each, chance, seen):
    """For each test of the target one operation that it runs: the target's, or else of another it is about, or of what these call."""
    done = set()
    for targets, places in seen.of(path):
        # What was changed for another test of the target serves this one.
        if done & places:
            continue
        behind = [*(functions_of(library, target) for target in targets), functions_with(library, places)]
        choices = next(filter(None, (operations(each(called(functions, places)), places) for functions in behind)), [])
        if choices:
            module, edit, at, text = choices[chance.randrange(len(choices))]
            edit.replace(at, text)
            done.add((module.path, at.lineno))
    return bool(done)


def called(functions, places):
    return [(module, node) for module, node in functions if is_among(places, module, node)]


def operations(functions, places):
    """Every mutation there still is in some places of functions, in the order of their lines."""
    found = [(module, edit, at, text) for module, edit, body, _span in functions for node in own_nodes(body) for at, text in mutations(node)
             if (module.path, at.lineno) in places and is_free(edit, at)]
    return sorted(found, key=lambda one: (one[0].path, one[2].lineno, one[2].col_offset, one[3]))


def is_free(edit, node):
    return not any(start < end_place(edit, node) and place(edit, node) < end for start, end, _text in edit.edits)


def mutations(node):
    """Every way to change what one operation means: (node to replace, its text)."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARED:
        yield node, f"(({ast.unparse(node.left)}) {COMPARED[type(node.ops[0])]} ({ast.unparse(node.comparators[0])}))"
    elif isinstance(node, ast.BoolOp):
        word = " and " if isinstance(node.op, ast.Or) else " or "
        yield node, "(" + word.join(f"({ast.unparse(value)})" for value in node.values) + ")"
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC and not is_text(node):
        yield node, f"(({ast.unparse(node.left)}) {ARITHMETIC[type(node.op)]} ({ast.unparse(node.right)}))"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, f"bool({ast.unparse(node.operand)})"
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)) and not isinstance(node.test, (ast.Compare, ast.BoolOp, ast.UnaryOp)):
        yield node.test, f"(not ({ast.unparse(node.test)}))"
    elif isinstance(node, ast.Return) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, (bool, int)):
        yield node.value, repr(not node.value.value if isinstance(node.value.value, bool) else node.value.value + 1)


def is_text(node):
    return any(
        isinstance(leaf, (ast.JoinedStr, ast.Constant)) and isinstance(getattr(leaf, "value", ""), (str, list))
        for leaf in (node.left, node.right)
    )
