"""
Alters one expectation of a test, so that what really satisfied it no longer can: a negative control. Made in the task's own test and,
at the same place, in the test as it was adapted to a candidate.
Usage: mutate.py REQUEST.json, with {"task", "adapted": test code, "functions": selected test functions, "seed", "limit",
"classes": {"task", "adapted": {dotted path of a class of the library: [last names of its bases, whether it is a name for another]}},
absent where nobody knows};
prints {"mutants": [{"kind", "function", "line", "task", "adapted"}]}, best first; fewer, or none, where there is nothing to alter.

Kinds, best first: `constant`, an expected value written in the test becomes another one; `inside`, a computed one has a written
part that becomes another one, or the text that a message is to match; `expected`, a computed one becomes a value of a known type, or
of a class derived from one; `raises`, a sibling of the exception or warning is expected: another one of the library, or of the
built-in ones, that is neither a base nor a kind of it, so that what raises one class for everything cannot be told apart by the
class that nobody raises; `negated`, the assertion is turned round. A value that equals everything survives the last, and is found by
the others.

A comparison that hides its value and that no body can miss (choices.py) comes after all others: what is equal to everything is found
there in every run, and would else never be asked for the rest. Of the class of an exception and its message one is drawn.

Whoever reads the test must not know an altered one when he sees it, for he would be wrong in that one only. So it is written as
tests are: other values are drawn as those are that a test hides (draws.py), words are the test's own, a sibling is named as the
exception was (expected_class.py), and assertions are turned round by what tests say for it.
"""

import ast
import json
import keyword
import re
import sys
from types import SimpleNamespace

from adapt import Edits
from choices import certain_places
from draws import written
from expected_class import common_siblings, drawn, sibling_warnings, siblings
from written_parts import Altering, rank, written_parts

# Best first. `message` and `warns` are told as what they are altered like.
PLACES = {"constant": 0, "inside": 1, "expected": 2, "raises": 3, "warns": 3, "message": 3, "negated": 4}
TOLD_AS = {"warns": "raises", "message": "inside"}
# What is expected instead of a computed value: who is equal to whatever is of a known type is equal to these.
OF_KNOWN_TYPES = ('"{word} {number}"', "[{number}]", '{{"{word}": {number}}}', "{number}", '("{word}", {number})', 'b"{word} {number}"')
OF_DERIVED_TYPES = (
    'type("{name}", (str,), {{}})("{word} {number}")',
    'type("{name}", (int,), {{}})({number})',
    'type("{name}", (dict,), {{}})({word}={number})',
)
WORD = re.compile(r"[A-Za-z]{3,}")
# Words of a text that have none: names that tests give things.
WORDS = ("name", "value", "first", "other")
# A shorter text may be in another one by chance.
LOOKED_FOR_CHARACTERS = 4
EXPECTING = ("raises", "assertRaises", "assertRaisesRegex")
WARNING = ("warns", "assertWarns", "assertWarnsRegex")
# Functions that say whether two values are near to each other, or the same.
CLOSE = ("isclose", "allclose", "array_equal", "array_equiv")
# Another library may well be further from a bound, and honest.
BOUNDING = ("assertLess", "assertLessEqual", "assertGreater", "assertGreaterEqual")
OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">": "<=", "<=": ">", ">=": "<", "is": "is not", "is not": "is", "in": "not in", "not in": "in"}
OPPOSITE_METHODS = {
    "assertTrue": "assertFalse", "assertIn": "assertNotIn", "assertIs": "assertIsNot", "assertIsNone": "assertIsNotNone",
    "assertIsInstance": "assertNotIsInstance", "assertLess": "assertGreaterEqual", "assertGreater": "assertLessEqual",
}
OPPOSITE_METHODS |= {opposite: method for method, opposite in OPPOSITE_METHODS.items()}
SIGNS = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.Gt: ">", ast.LtE: "<=", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}


def main(path):
    with open(path, encoding="utf-8") as handle:
        request = json.load(handle)
    names = {function.rpartition("::")[2] for function in request["functions"]}
    try:
        altering = Altering(request["seed"], request["task"])
        found = [sites(request[which], names, altering) for which in ("task", "adapted")]
        found = siblings(request, found)
        pairs = list(zip(*found, strict=True))
    except (SyntaxError, RecursionError, ValueError):
        return {"mutants": []}
    if any(one["kind"] != other["kind"] for one, other in pairs):
        return {"mutants": []}
    certain = certain_places(request["task"], names)
    keys = [(one["at"] in certain, PLACES[one["kind"]], rank(request["seed"], index)) for index, one in enumerate(found[0])]
    order = sorted(range(len(pairs)), key=keys.__getitem__)
    return {"mutants": [mutant(request, *pairs[index]) for index in order[: request["limit"]]]}


def mutant(request, task, adapted):
    sources = {"task": edited(request["task"], task["edits"]), "adapted": edited(request["adapted"], adapted["edits"])}
    kind = TOLD_AS.get(task["kind"], task["kind"])
    return {"kind": kind, "function": task["function"], "line": task["line"], **sources}


def edited(source, changes):
    edits = Edits(source)
    for node, text in changes:
        # In the quotes that stood there.
        is_other_quote = text[:1] == "'" and cut(node, source)[:1] == '"' and not {'"', "\\"} & set(text)
        edits.replace(node, f'"{text[1:-1]}"' if is_other_quote else text)
    return edits.applied()


def sites(source, names, altering):
    """Everything that could be altered, in the order of the text."""
    found = []
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and function.name in names:
            for node in ast.walk(function):
                for kind, edits in alterations(node, function, source, altering):
                    at = node.lineno, node.col_offset
                    found.append({"kind": kind, "function": function.name, "line": edits[0][0].lineno, "edits": edits, "at": at})
    return found


def alterations(node, function, source, altering):
    if isinstance(node, ast.Assert):
        yield from of_condition(node.test, function, altering)
        yield "negated", [turned_round(node.test, source)]
    elif isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in EXPECTING + WARNING:
            yield from of_message(node, name, altering)
        if name in EXPECTING and node.args:
            yield "raises", [(node.args[0], drawn(altering.seed, common_siblings(node.args[0])))]
        elif name in WARNING and node.args:
            yield "warns", [(node.args[0], drawn(altering.seed, sibling_warnings(node.args[0])))]
        elif name == "assertTrue" and node.args:
            yield from of_condition(node.args[0], function, altering)
        elif name == "assertIn" and len(node.args) >= 2 and is_written_out(node.args[1]):
            yield from of_members(node.args[1], altering)
        elif name in BOUNDING and len(node.args) >= 2:
            yield from of_difference(*(node.args[:2] if "Less" in name else node.args[1::-1]), altering)
        elif name.lower().startswith("assert") and "not" not in name.lower() and len(node.args) >= 2:
            yield from of_pair(node.args[0], node.args[1], function, altering)
        if name in OPPOSITE_METHODS and node.args:
            yield "negated", [(end_of(node.func, len(name)), OPPOSITE_METHODS[name])]


def of_message(call, name, altering):
    """The text that the message of an exception or a warning is to match, unless it is one of several."""
    given = call.args[1:2] if name.endswith("Regex") else [one.value for one in call.keywords if one.arg == "match"]
    for node in given:
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "escape" and len(node.args) == 1:
            node = node.args[0]
        text = getattr(node, "value", None)
        if isinstance(node, ast.Constant) and isinstance(text, str) and is_looked_for(text) and "|" not in text:
            edit = altering.constant(node)
            if compiles(ast.literal_eval(edit[1])):
                yield "message", [edit]


def compiles(pattern):
    try:
        re.compile(pattern)
    except (re.error, OverflowError):
        return False
    return True


def turned_round(test, source):
    """The edit that says the opposite of a condition."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right, sign = test.left, test.comparators[0], SIGNS[type(test.ops[0])]
        between = between_of(left, right)
        text = cut(between, source)
        # Parentheses of either side may stand there, too.
        found = re.search(r"\s+".join(map(re.escape, sign.split())), text)
        if found is not None:
            return between, text[: found.start()] + OPPOSITE[sign] + text[found.end() :]
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test, ast.get_source_segment(source, test.operand)
    said = ast.get_source_segment(source, test)
    is_simple = isinstance(test, (ast.Call, ast.Name, ast.Attribute, ast.Subscript))
    return test, f"not {said}" if is_simple else f"not ({said})"


def between_of(left, right):
    return SimpleNamespace(lineno=left.end_lineno, col_offset=left.end_col_offset, end_lineno=right.lineno, end_col_offset=right.col_offset)


def end_of(node, characters):
    end = {"end_lineno": node.end_lineno, "end_col_offset": node.end_col_offset}
    return SimpleNamespace(lineno=node.end_lineno, col_offset=node.end_col_offset - characters, **end)


def cut(place, source):
    lines = source.encode().split(b"\n")[place.lineno - 1 : place.end_lineno]
    lines[-1] = lines[-1][: place.end_col_offset]
    lines[0] = lines[0][place.col_offset :]
    return b"\n".join(lines).decode()


def of_condition(test, function, altering):
    for node in ast.walk(test):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in CLOSE and len(node.args) >= 2:
            yield from of_close(node.args[0], node.args[1], function, altering)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return
    left, right, sign = test.left, test.comparators[0], test.ops[0]
    if isinstance(sign, (ast.Eq, ast.Is)):
        yield from of_pair(left, right, function, altering)
    elif isinstance(sign, ast.In) and isinstance(left, ast.Constant) and is_looked_for(left.value):
        yield "constant", [altering.constant(left)]
    elif isinstance(sign, ast.In) and is_written_out(right):
        yield from of_members(right, altering)
    elif isinstance(sign, (ast.Lt, ast.LtE)):
        yield from of_difference(left, right, altering)
    elif isinstance(sign, (ast.Gt, ast.GtE)):
        yield from of_difference(right, left, altering)


def of_close(actual, expected, function, altering):
    """In the place of a computed value a number: such a function refuses most of the rest, whatever it is compared with."""
    found = dict(of_pair(actual, expected, function, altering))
    if found.pop("expected", None):
        found.setdefault("inside", [(expected, str(number_of(altering)))])
    yield from found.items()


def is_looked_for(value):
    return isinstance(value, (str, bytes)) and len(value) >= LOOKED_FOR_CHARACTERS


def is_written_out(node):
    is_list = isinstance(node, (ast.List, ast.Tuple, ast.Set)) and bool(node.elts)
    return is_list and all(isinstance(one, ast.Constant) for one in node.elts)


def of_members(node, altering):
    """Every one of them: whatever is equal to one is to be in the list no more."""
    edits = [altering.constant(one) for one in node.elts]
    if not {one.value for one in node.elts} & {ast.literal_eval(text) for _, text in edits}:
        yield "constant", edits


def of_difference(difference, bound, altering):
    """`abs(f(x) - 3.14) < 0.01`: the number, by more than any two can differ that are both near to it."""
    inner = difference.args[0] if getattr(getattr(difference, "func", None), "id", "") == "abs" and len(difference.args) == 1 else None
    limit = written(bound)
    if not isinstance(inner, ast.BinOp) or not isinstance(inner.op, ast.Sub) or not is_number(limit):
        return
    for side in (inner.right, inner.left):
        value = getattr(side, "value", None)
        if isinstance(side, ast.Constant) and is_number(value):
            edit = altering.constant(side)
            is_far = abs(ast.literal_eval(edit[1]) - value) > 2 * abs(limit)
            yield "inside", [edit if is_far else (side, repr(round(value + 3 * abs(limit) + 1, 6)))]
            return


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def of_pair(actual, expected, function, altering):
    for side in (expected, actual):
        edit = altering.value(side)
        if edit is not None:
            yield "constant", [edit]
            return
        rows = parameter_values(side, function, altering)
        if rows:
            yield "constant", rows
            return
    for side in (expected, actual):
        found = list({id(part): part for part in written_parts(side, function)}.values())
        if found:
            yield "inside", [altering.constant(min(found, key=lambda part: rank(altering.seed, ast.dump(part))))]
            break
    words = sorted({word.lower() for word in WORD.findall(altering.text)} - set(keyword.kwlist)) or WORDS
    word, number = drawn(altering.seed, words), number_of(altering)
    for forms in (OF_KNOWN_TYPES, OF_DERIVED_TYPES):
        yield "expected", [(expected, drawn(f"{altering.seed} form", forms).format(name=word.title(), word=word, number=number))]


def number_of(altering):
    return int(rank(altering.seed, "number")[:4], 16) + 1000


def parameter_values(side, function, altering):
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
        edits = [altering.value(value) for value in values if value is not None]
        return edits if len(edits) == len(values) and None not in edits else []
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


if __name__ == "__main__":
    json.dump(main(sys.argv[1]), sys.stdout)
