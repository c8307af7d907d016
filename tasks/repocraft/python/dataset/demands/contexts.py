"""Blocks of a test that are entered (`with`): what must fail or not warn in them, and what they are around."""

import ast
import re

from clauses import Heading
from demands.acts import act_inside
from demands.assignments import read_assignment
from demands.checks import is_check, is_checking
from demands.refusals import RAISING, note_raising, say_exception
from marks import is_unsaid
from source import chain, walk
from syntax import DEFINED, Under, changes_something, closed, last_name, path_of

# Contexts that change nothing of what is computed.
QUIET = re.compile(r"^(catch_warnings|errstate|suppress|ignore\w*|redirect_\w+|assert\w*|subTest|nullcontext|captured?_\w+)$", re.IGNORECASE)


def read_with(demands, statement):
    outer = [item for item in statement.items if isinstance(item.context_expr, ast.Call) and RAISING.match(last_name(item.context_expr))]
    for item in statement.items:
        if item in outer:
            continue
        if parts := chain(item.context_expr):
            # What is entered is one thing, however often what it gives is spoken of.
            demands.speech.reads[path_of(parts)] += 1
        if item.optional_vars is not None:
            demands.speech.bind(item.optional_vars, entered(item.context_expr))
    if not outer and (refused := refused_warnings(statement)):
        return read_unwarned(demands, statement, refused)
    if not outer:
        around = [demands.speech.say(item.context_expr, 1) for item in statement.items if item.optional_vars is None and not is_sub_test(item.context_expr)]
        if not around:
            return demands.read(statement.body)
        before, since, done = demands.speech.values, demands.speech.clock, list(demands.done)
        demands.read_under(Heading(demands.speech.clock, f"under {' and '.join(around)}"), statement.body)
        if not any(map(is_check, walk(statement))):
            compute_under(demands, statement, before)
            demands.gather(Heading(since, f"under {' and '.join(around)}"), done)
        return None
    for item in outer:
        call, name = item.context_expr, getattr(item.optional_vars, "id", None)
        if name:
            demands.speech.give(name, None)
            demands.speech.told.add(name)
        checked = [is_checking(inner) for inner in statement.body]
        # A check after what gives a warning is one of its own.
        inner = [part for part, is_one in zip(statement.body, checked) if not is_one or all(checked)]
        acts = [act_inside(demands, inner, place) for place in range(len(inner))]
        note_raising(demands, call, "; ".join(act.text for act in acts if act))
    for inner in statement.body:
        if isinstance(inner, ast.Assign) and not any(map(changes_something, inner.targets)):
            # What gave a warning is looked at afterwards.
            read_assignment(demands, inner)
    demands.read([inner for inner in statement.body if is_checking(inner)])
    return None


def compute_under(demands, statement, before):
    """What a block without checks computes is computed under its contexts, wherever it is spoken of."""
    around = [item.context_expr for item in statement.items if item.optional_vars is None and not is_sub_test(item.context_expr)]
    around = [node for node in around if not (isinstance(node, ast.Call) and QUIET.match(last_name(node)))]
    for path, value in list(demands.speech.values.items()):
        if around and value is not None and before.get(path) is not value and any(isinstance(node, ast.Call) for node in walk(value)) and not isinstance(value, DEFINED):
            demands.speech.give(path, Under(value=value, around=[closed(node, before, demands.speech.clock) for node in around]))


def read_unwarned(demands, statement, kinds):
    """A block in which a warning is an error: what it does must give none."""
    body = [inner for inner in statement.body if not is_filter(inner)]
    said, done = len(demands.clauses), list(demands.done)
    demands.read(body)
    if len(demands.clauses) > said:
        return
    demands.done = done
    acts = [act for act in (act_inside(demands, body, place) for place in range(len(body))) if act and not is_unsaid(act.text)]
    if acts:
        named = " or ".join(name for name in (say_exception(demands, one) for one in kinds) if name != "Warning")
        demands.note(f"{'; '.join(act.text for act in acts)} gives no warning{': ' + named if named else ''}")


def is_filter(statement):
    """`warnings.simplefilter(…)` and the like as a statement."""
    call = getattr(statement, "value", None)
    return isinstance(statement, ast.Expr) and isinstance(call, ast.Call) and last_name(call) in ("simplefilter", "filterwarnings")


def refused_warnings(statement):
    """The kinds of warning that a block makes an error, `Warning` where it names none; empty where it makes none one."""
    if not any(isinstance(item.context_expr, ast.Call) and last_name(item.context_expr) == "catch_warnings" for item in statement.items):
        return []
    calls = [inner.value for inner in statement.body if is_filter(inner)]
    calls += [item.context_expr for item in statement.items if any(keyword.arg == "action" for keyword in getattr(item.context_expr, "keywords", []))]
    kinds = []
    for call in calls:
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        action = call.args[0] if call.args else given.get("action")
        if isinstance(action, ast.Constant) and action.value == "error":
            named = call.args[1:2] if last_name(call) == "simplefilter" else call.args[2:3]
            kinds.append(named[0] if named else given.get("category", ast.Name(id="Warning", ctx=ast.Load())))
    return kinds


def entered(node):
    """What `with` binds: of a thing that is there already what entering it gives, which a test may be about."""
    return ast.Call(func=ast.Attribute(value=node, attr="__enter__", ctx=ast.Load()), args=[], keywords=[]) if chain(node) else node


def is_sub_test(node):
    return isinstance(node, ast.Call) and last_name(node) == "subTest"
