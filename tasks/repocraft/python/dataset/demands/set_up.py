"""What is done before a test: by its fixtures, by the set-up of its class, and around it."""

import ast
import re

from doings import Single
from harvest import fixture_arguments
from marks import CUT
from slicer import SET_UP
from source import FUNCTIONS, chain, walk
from syntax import is_literal, path_of, renamed
from values import always_used, changed_by_helpers, fixture_of, given_node, gives_nothing, is_change, owners_of

LONGEST_FIELDS = 4000


def fixtures_of(demands):
    """The fixtures of a test that are written out, the ones they ask for first."""
    asked = [*demands.unit.fixture_names(), *(fixture.name for fixture in always_used(demands.unit))]
    found, waiting = [], [(demands.unit.node, name) for name in reversed(asked)]
    while waiting:
        asker, name = waiting.pop()
        fixture = fixture_of(demands.unit, name)
        if fixture is None or name in fixture_arguments(fixture):
            # It is from afar, also where ours hands it on.
            demands.speech.told.add(name)
        else:
            found = [fixture, *(other for other in found if other is not fixture)]
            waiting += [(fixture, other) for other in fixture_arguments(fixture) if other != "request"]
        if len(found) + len(waiting) > 20:
            break
    return found


def read_set_up(demands, fixtures):
    """What is done before the test: by its fixtures, and by the set-up of its class."""
    demands.is_quiet = True
    read = {node.id for node in walk(demands.unit.node) if isinstance(node, ast.Name)}
    for name, bound in demands.unit.module.bindings.items():
        demands.read([statement for statement, alias in bound if name in read and alias is None and is_change(statement)])
    for fixture in fixtures:
        read_fixture(demands, fixture)
    demands.read(set_up_statements(demands.unit))
    for path in dict.fromkeys(changed_by_helpers(demands.unit)):
        first = demands.speech.values.get(path)
        if first is not None and is_literal(first):
            demands.do(lambda name=path, value=first: Single(f"setting {demands.speech.words(name.rpartition('.')[2])} to {demands.speech.say(value)}"), [path])
        demands.speech.give(path, None)
    demands.is_quiet = False
    demands.speech.forget()


def read_fixture(demands, fixture):
    """What a fixture does and gives; its own names are known inside only."""
    outside, name, given = demands.speech.values, fixture.name, given_node(fixture)
    if given is not None and is_parameter(given):
        # Its cases are told before everything else.
        demands.speech.give(name, None)
        demands.speech.told.add(name)
        return
    body, returned = fixture.body, getattr(given, "id", None)
    if returned is not None:
        # What it gives is called by its name from the beginning.
        body = [renamed(statement, returned, name) for statement in body]
        demands.speech.reads[name] += demands.speech.reads[returned]
        demands.speech.changed |= {name} if returned in demands.speech.changed else set()
    if given is None:
        # What comes after the test is no part of it.
        body = body[: next((place for place, statement in enumerate(body) if is_giving(statement)), len(body))]
    demands.giving = name if given is not None else None
    demands.read(body)
    demands.giving = None
    value = demands.speech.values.get(name) or demands.speech.values.get(returned) if given is not None else None
    own = {path: found for path, found in demands.speech.values.items() if path.startswith("self.")}
    demands.speech.values = {**outside, **own, name: ast.Constant(value=None) if gives_nothing(fixture) else value}


def give_fixture(demands, value):
    if getattr(value, "id", None) != demands.giving:
        demands.speech.bind(ast.Name(id=demands.giving, ctx=ast.Store()), value)
    demands.giving = ""


def tell_rows(demands):
    """Of the rows a set-up makes how many of what, with their names and fields."""
    counts, fields = {}, {}
    for kind, name, call in demands.rows:
        counts[kind] = counts.get(kind, 0) + 1
        # Of what kind it is a row is explained.
        demands.speech.say(call.func.value.value, 1)
        shown = ", ".join(f"{demands.speech.words(keyword.arg)} {demands.speech.say(keyword.value, 1)}" for keyword in call.keywords if keyword.arg)
        fields.setdefault(kind, []).append(f"{demands.speech.words(name[-1])}: {shown}" if name else shown)
        if name:
            # It is known by now.
            demands.speech.introduced[path_of(name)] = demands.speech.values.get(path_of(name))
            demands.speech.pending = [entry for entry in demands.speech.pending if entry[0] != path_of(name)]
    full = [f"{count} {kind}" + (f" ({'; '.join(text or '-' for text in fields[kind])})" if any(fields[kind]) else "") for kind, count in counts.items()]
    short = [f"{count} {kind}" for kind, count in counts.items()]
    demands.rows = []
    is_short = sum(map(len, full)) > LONGEST_FIELDS
    return f"create of {', '.join(short if is_short else full)} in all{CUT if is_short and full != short else ''}"


def set_up_statements(unit):
    members = [member for owner in reversed(owners_of(unit)) for member in owner.body if isinstance(member, FUNCTIONS) and member.name in SET_UP]
    return [statement for member in members if not re.match("tear", member.name, re.IGNORECASE) for statement in member.body]


def is_row(node):
    """Whether a call makes a row of a model."""
    parts = chain(node.func) if isinstance(node, ast.Call) else None
    return bool(parts) and len(parts) > 2 and parts[-2] == "objects" and parts[-1].startswith("create")


def is_parameter(node):
    return chain(node) == ["request", "param"]


def is_giving(statement):
    return isinstance(statement, ast.Return) or isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield)


def is_circumstance(decorator):
    """A decorator that changes what is around a test (settings, a patch), and not how it is run."""
    parts = chain(decorator.func) if isinstance(decorator, ast.Call) else None
    return bool(parts) and "mark" not in parts and bool(re.match(r"override|modify|patch|translation|ignore|isolate", parts[-1]))
