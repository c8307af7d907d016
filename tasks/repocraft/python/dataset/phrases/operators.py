"""What operators and conditions make, in words, with the brackets that it needs."""

import ast

from marks import UNSAID
from phrases.forms import Named

OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Mod: "%", ast.FloorDiv: "//", ast.MatMult: "@",
    ast.BitOr: "|", ast.BitAnd: "&", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
BINDING = {kind: 3 if kind is ast.Pow else 2 if kind in (ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.MatMult) else 1 for kind in OPERATORS}
SIGNS = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not "}
RELATION = {
    ast.Eq: "is", ast.NotEq: "is not", ast.Lt: "is less than", ast.LtE: "is at most", ast.Gt: "is greater than",
    ast.GtE: "is at least", ast.In: "is in", ast.NotIn: "is not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip


def say_operation(speech, node, depth):
    operator = OPERATORS.get(type(node.op), "with")
    sides = [say_operand(speech, side, node, depth) for side in (node.left, node.right)]
    return f"{sides[0]} {operator} {sides[1]}"


def say_operand(speech, side, node, depth):
    text = speech.said(side, depth)
    joined = operation_in(speech, side, text)
    looser = joined is not None and (BINDING[type(joined.op)] < BINDING[type(node.op)] or side is node.right or isinstance(node.op, ast.Pow))
    return f"({text})" if looser or " of " in text or " gives " in text else text


def say_sign(speech, node, depth):
    text = speech.said(node.operand, depth)
    told = SIGNS[type(node.op)] + (f"({text})" if " " in text else text)
    return f"({told})" if isinstance(node.op, ast.Not) else told


def say_comparison(speech, node, depth):
    parts = [f"{RELATION[type(op)]} {speech.inner(right, depth)}" for op, right in zip(node.ops, node.comparators)]
    text = " ".join([speech.inner(node.left, depth), *parts])
    return f"({text})" if depth > 0 else text


def say_combination(speech, node, depth):
    if isinstance(node.op, ast.Or) and len(node.values) == 2 and speech.truth(node.values[0]) is False:
        return speech.inner(node.values[1], depth)
    return (" and " if isinstance(node.op, ast.And) else " or ").join(speech.inner(value, depth) for value in node.values)


def say_choice(speech, node, depth):
    condition = speech.said(node.test, depth)
    when = "" if condition == UNSAID else f" where {condition}"
    return f"({speech.inner(node.body, depth)}{when}, else {speech.inner(node.orelse, depth)})"


def say_under(speech, node, depth):
    return f"({speech.inner(node.value, depth)} under {' and '.join(speech.inner(part, depth) for part in node.around)})"


def say_thing(speech, node, depth):
    """What something is taken of: in brackets where it is computed by operators."""
    text = speech.inner(node, depth)
    return f"({text})" if operation_in(speech, node, text) else text


def operation_in(speech, node, text):
    """The operation that a text of a node is put together by, also where it is opened in the place of a name; None where it is none."""
    opened = speech.value_of(node)
    return opened if isinstance(opened, ast.BinOp) and not isinstance(text, Named) else None
