"""Hides the right one among several values wherever a test compares with a value that is written in it.

`assert f(x) == 3` becomes a call that is given 3 and others of its kind, in an order drawn here, and tells the parent which
of them held. Exactly the right one must. Which that is, is in no file and no memory of the process the test runs in: it is
drawn, and the file written, when that process is there already and waits. An object that is equal to everything is equal to
the others too; code that speaks for the harness has to know what the test expects; and what reads the test finds them all.

Right and wrong values are made so that none stands out to who knows how texts go (draws.py): they differ in one word or number,
and others look likelier than the right one as often as not.

All of it is drawn by a key that is the same in every run of a task and known to no candidate, so that two runs of a test hide the
same values in the same order: nothing is to be learned by comparing them. Where a test comes again with written values altered,
to be failed, it is the very same text: what is altered is only which of the values counts as right.

Lines stay where they are.
"""

import ast
import re

from draws import NOTHING, Draws, seeded, written

# A name of this form is not mangled inside classes.
NAME = "__choose__"
# Makes a value of a parameter of several.
PARAMETER = "__among__"
# Functions that compare exactly and raise where their first two arguments differ.
COMPARING = {
    *("assertEqual", "assertListEqual", "assertTupleEqual", "assertDictEqual", "assertSetEqual", "assertSequenceEqual"),
    # Not assertCountEqual, which uses up an iterator: the second value would find it empty.
    *("assertMultiLineEqual", "assert_equal", "assert_array_equal"),
}
# Who else defines a function of such a name may mean something else by it.
COMPARING_MODULES = re.compile(r"^(numpy|unittest)\b")
# What is equal to more than one value by right.
TOLERANT = re.compile(r"approx|isclose|allclose|\bANY\b")
# Where what fails is caught, and where it is tried again.
CATCHING = re.compile(r"raises|suppress", re.IGNORECASE)
AGAIN = re.compile(r"retry|rerun|flaky|repeat", re.IGNORECASE)


class Choices:
    """What was hidden where in a test: numbered places, the values and which is right at each, and where each test body must come by."""

    def __init__(self):
        # By number of the place: the position of the right value, the texts of all, and the line.
        self.right = []
        self.values = []
        self.lines = []
        # By name of the function, for each of that name: sets of places; at its end it has come by one of each set.
        self.needed = {}
        # Where in the source (line, column) the comparisons stand that it cannot miss.
        self.certain = set()

    def place(self, right, values, line):
        self.right.append(right)
        self.values.append(values)
        self.lines.append(line)
        return len(self.right) - 1

    def expected(self, place):
        """The right value's text."""
        return self.values[place][self.right[place]]


def with_choices(source, names, drawing):
    """
    The source with the right values hidden, and the `Choices`. `names`: the functions that must come by theirs. `drawing`: the
    `key`; the text that is `drawnFor`, the task's own, whatever it was rewritten to; and what the source was `before` it was
    altered to be failed, or null. Where nothing but hidden values was altered, that is what comes back, with others for the right.
    """
    draws = Draws(drawing["key"], without_values(drawing["drawnFor"], names))
    if drawing["before"] is not None:
        altered = with_others_for_right(source, names, drawing)
        if altered is not None:
            return altered
    return hide(source, names, draws)


def with_others_for_right(source, names, drawing):
    """Null where anything but hidden values was altered."""
    before = drawing["before"]
    if without_values(before, names) != without_values(source, names):
        return None
    (text, choices), (_, now) = (with_choices(one, names, {**drawing, "before": None}) for one in (before, source))
    if len(choices.right) != len(now.right):
        return None
    for place, right in enumerate(choices.right):
        if choices.expected(place) != now.expected(place):
            others = [other for other in range(len(choices.values[place])) if other != right]
            choices.right[place] = seeded(drawing["key"], "altered", place).choice(others)
    return text, choices


def without_values(source, names):
    return hide(source, names, Blank())[0]


class Blank:
    """Draws nothing: in the place of each value that could be hidden is the same."""

    def shuffled(self, _value):
        return ["..."], 0


def certain_places(source, names):
    """Where (line, column) comparisons stand that hide their value and that no body can miss."""
    return hide(source, names, Draws("00", without_values(source, names)))[1].certain


def hide(source, names, draws):
    text, choices = source.encode(), Choices()
    starts = [0]
    for line in text.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    tree = ast.parse(source)
    edits, places, left_out = [], {}, expected_to_fail(tree) | calls_of_others(tree)
    for node in ast.walk(tree):
        found = None if id(node) in left_out else compared(node)
        if found is None or any(begin < span(node, starts)[1] and span(node, starts)[0] < end for begin, end, _ in edits):
            continue
        edit = hidden(*found, text, starts, choices, draws)
        if edit is not None:
            edits.append(edit)
            places[id(node)] = {len(choices.right) - 1}
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in names]
    fixtures = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and "fixture" in map(last_name, node.decorator_list)]
    seen = set(places)
    for function in functions:
        for node, found, cells in parameters(function, fixtures):
            if id(node) in seen or id(node) in left_out:
                continue
            seen.add(id(node))
            made = [among(cell, text, starts, choices, draws) for cell in cells]
            edits += [edit for edit in made if edit is not None]
            edits.append(called(*found, text, starts))
            if None not in made:
                places[id(node)] = set(range(len(choices.right) - len(made), len(choices.right)))
        met = [node for node in certain(function) if id(node) in places]
        choices.needed.setdefault(function.name, []).append([places[id(node)] for node in met])
        choices.certain.update((node.lineno, node.col_offset) for node in met)
    for begin, end, inserted in sorted(edits, reverse=True):
        text = text[:begin] + inserted.encode() + text[end:]
    return text.decode(), choices


def expected_to_fail(tree):
    """Nodes where a comparison may fail first, or for good, and the test pass all the same."""
    found = set()
    for node in ast.walk(tree):
        is_tried = isinstance(node, ast.Try) and node.handlers
        is_caught = isinstance(node, (ast.With, ast.AsyncWith)) and any(CATCHING.search(ast.unparse(item.context_expr)) for item in node.items)
        is_again = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and any(
            AGAIN.search(ast.unparse(decorator)) for decorator in node.decorator_list
        )
        if is_tried or is_caught or is_again:
            found.update(id(inner) for inner in ast.walk(node))
    return found


def calls_of_others(tree):
    """Calls of functions that are named like comparing ones and are not known to be: the file's own, or some other module's."""
    own, imported = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            own.add(node.name)
        elif isinstance(node, ast.ImportFrom) and COMPARING_MODULES.search(node.module or ""):
            imported.update(alias.asname or alias.name for alias in node.names)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {id(node) for node in calls if last_name(node) in own or (isinstance(node.func, ast.Name) and node.func.id not in imported)}


def parameters(function, fixtures):
    """(node, how it compares, values) for each parameter whose values are written out and which is used for nothing but that comparison."""
    taken = {argument.arg for fixture in fixtures for argument in fixture.args.args}
    for decorator in function.decorator_list:
        is_one = isinstance(decorator, ast.Call) and getattr(decorator.func, "attr", "") == "parametrize" and len(decorator.args) == 2
        if not is_one or decorator.keywords or not isinstance(decorator.args[1], (ast.List, ast.Tuple)):
            continue
        names, rows = argument_names(decorator.args[0]), decorator.args[1].elts
        for index, name in enumerate(names):
            cells = [row if len(names) == 1 else cell(row, index) for row in rows]
            uses = [node for node in ast.walk(ast.Module(function.body, [])) if isinstance(node, ast.Name) and node.id == name]
            if len(uses) != 1 or name in taken or not cells or any(one is None or not is_written(one) for one in cells):
                continue
            for node in ast.walk(function):
                found = compared(node, uses)
                if found is not None:
                    yield node, found, cells


def last_name(called):
    """Of a call or a decorator."""
    node = getattr(called, "func", called)
    return getattr(node, "attr", getattr(node, "id", ""))


def argument_names(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [name.strip() for name in node.value.split(",")]
    return [getattr(name, "value", None) for name in node.elts] if isinstance(node, (ast.List, ast.Tuple)) else []


def cell(row, index):
    """Of a row, or of pytest.param(...)."""
    values = row.args if isinstance(row, ast.Call) else getattr(row, "elts", [])
    return values[index] if index < len(values) else None


def among(value, text, starts, choices, draws):
    """The edit that makes a value of a parameter one of several; null for one that has nothing to be hidden among."""
    values = shuffled(value, choices, draws)
    if values is None:
        return None
    begin, end = span(value, starts)
    return begin, end, f"{PARAMETER}({len(choices.right) - 1}, {values}" + "\n" * text[begin:end].count(b"\n") + ")"


def compared(node, expected=()):
    """
    (the expression to replace, function or operator that compares, actual, expected value, whether that comes first, other
    arguments). Expected is what is written out, or one of `expected`.
    """
    if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare) and len(node.test.ops) == 1:
        how = {ast.Eq: "==", ast.Is: "is"}.get(type(node.test.ops[0]))
        sides = [node.test.left, node.test.comparators[0]]
        if how == "is" and (expected or not all(isinstance(written(side), bool) for side in sides if is_written(side))):
            return None
        return how and sided(node.test, how, sides, [], expected)
    is_comparing = isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in COMPARING
    if is_comparing and len(node.args) >= 2 and not any(isinstance(argument, ast.Starred) for argument in node.args):
        return sided(node, node.func, node.args[:2], [*node.args[2:], *node.keywords], expected)
    return None


def sided(whole, how, sides, others, expected):
    is_value = [side in expected if expected else is_written(side) for side in sides]
    if sum(is_value) != 1 or TOLERANT.search(ast.unparse(sides[is_value.index(False)])):
        return None
    return whole, how, sides[is_value.index(False)], sides[is_value.index(True)], is_value[0], others


def hidden(whole, how, actual, value, is_first, others, text, starts, choices, draws):
    """The edit that hides the value; null for one that has nothing to be hidden among."""
    values = shuffled(value, choices, draws)
    if values is None:
        return None
    return called(whole, how, actual, f"{PARAMETER}({len(choices.right) - 1}, {values})", is_first, others, text, starts)


def shuffled(value, choices, draws):
    """The right value among others, as a tuple's text; null where there are no others."""
    drawn = draws.shuffled(written(value))
    if drawn is None:
        return None
    values, right = drawn
    choices.place(right, values, value.lineno)
    return "(" + ", ".join(values) + ",)"


def called(whole, how, actual, expected, is_first, others, text, starts):
    """The edit that puts a call in the place of a comparison."""
    begin, end = span(whole, starts)
    parts = [repr(how) if isinstance(how, str) else cut(how, text, starts), repr(is_first), cut(actual, text, starts)]
    parts.append(expected if isinstance(expected, str) else cut(expected, text, starts))
    parts += [cut(other, text, starts) for other in others]
    call = f"{NAME}({', '.join(parts)}"
    return begin, end, call + "\n" * (text[begin:end].count(b"\n") - call.count("\n")) + ")"


def span(node, starts):
    return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset


def cut(node, text, starts):
    begin, end = span(node, starts)
    return text[begin:end].decode()


def certain(function):
    """Nodes that were evaluated when the body comes to its end: those of simple statements at its top, up to what may leave it."""
    for statement in function.body:
        if isinstance(statement, ast.Assert):
            yield statement
        elif isinstance(statement, ast.Expr):
            yield statement.value
        if any(isinstance(node, ast.Return) for node in ast.walk(statement)):
            return


def is_written(node):
    return written(node) is not NOTHING
