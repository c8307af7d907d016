"""What the names of a test stand for: those of its file, of other files of the tests, of fixtures and of set-ups."""

import ast
import copy
from collections import ChainMap

from harvest import is_autouse, is_fixture, is_test, is_test_class
from slicer import SET_UP
from source import FUNCTIONS, chain, walk


def class_values(unit):
    """What the class of a test has: methods, and what it is assigned; that of its bases in the same file first."""
    found = {}
    for owner in reversed(owners_of(unit)):
        for member in owner.body:
            if isinstance(member, FUNCTIONS) and not is_test(member):
                found[f"self.{member.name}"] = member
            if isinstance(member, ast.Assign) and isinstance(member.targets[0], ast.Name):
                found[f"self.{member.targets[0].id}"] = member.value
    return found


def changed_by_helpers(unit):
    """The attributes of a test's object that its methods set which are neither tests nor set-ups."""
    for owner in owners_of(unit):
        for member in owner.body:
            if isinstance(member, FUNCTIONS) and not is_test(member) and member.name not in SET_UP and not is_fixture(member):
                for node in walk(member):
                    targets = [node.target] if isinstance(node, ast.AugAssign) else getattr(node, "targets", [])
                    parts = [chain(target) for target in targets]
                    yield from (f"self.{found[1]}" for found in parts if found and len(found) == 2 and found[0] in ("self", "cls"))


def with_lines(module):
    """A file whose nodes know where they are written, for whoever speaks of them from another one."""
    for node in ast.walk(module.tree) if not hasattr(module.tree, "lines") else []:
        node.lines = module.lines
    return module


def fixture_of(unit, name):
    """The fixture of a name as it is written: of the test's class, of its file, or ours in the place of one from afar; None where it is not."""
    places = [*(owner.body for owner in owners_of(unit)), unit.module.tree.body]
    shims = getattr(unit.module.beside, "fixtures", None)
    for body in [*places, *([shims.tree.body] if shims else [])]:
        for member in body:
            if is_fixture(member) and member.name == name:
                return member
    return None


def always_used(unit):
    """The fixtures of a test's class and file that are used without being asked for."""
    bodies = [*(owner.body for owner in owners_of(unit)), unit.module.tree.body]
    # Those of a prelude of ours are no part of the test.
    return [member for body in bodies for member in body if is_autouse(member) and not of_prelude(member)]


def of_prelude(fixture):
    return any(chain(getattr(decorator, "func", decorator))[0] == "_pytest" for decorator in fixture.decorator_list)


def given_nodes(fixture):
    return [node.value for node in own_nodes(fixture) if isinstance(node, (ast.Return, ast.Yield)) and node.value is not None]


def given_node(fixture):
    """What a fixture returns or yields; None where it does not, or in several places."""
    found = given_nodes(fixture)
    return found[0] if len(found) == 1 else None


def gives_nothing(fixture):
    return not given_nodes(fixture)


def owners_of(unit):
    """The class of a test and its bases in the same file, the class itself first."""
    seen, owners = [], [unit.owner] if unit.owner else []
    while owners:
        owner = owners.pop()
        if owner in seen:
            continue
        seen.append(owner)
        bases = [(chain(base) or [""])[-1] for base in owner.bases]
        owners += [statement for statement in unit.module.tree.body if isinstance(statement, ast.ClassDef) and statement.name in bases]
    return seen


def module_values(module, wording, is_outer=True):
    """What `found_values` finds, once for a file."""
    if is_outer not in module.values:
        module.values[is_outer] = found_values(module, wording, is_outer)
    return module.values[is_outer]


def found_values(module, wording, is_outer):
    """Names of a file's top level that are bound once: to a value, to a class or function that is no test, to what a fixture gives.

    Names from other files of the tests too, as far as those define them.
    """
    found = {}
    for name, bound in module.bindings.items():
        # What is set of a thing afterwards does not bind its name.
        bound = [entry for entry in bound if entry[1] is not None or not is_change(entry[0])] or bound
        statement = bound[0][0]
        value = statement if len(bound) == 1 else None
        if isinstance(value, ast.Assign) and isinstance(value.targets[0], ast.Name):
            found[name] = value.value
        elif isinstance(value, ast.Assign) and isinstance(value.targets[0], ast.Tuple):
            found[name] = part_of(value, name)
        elif len(bound) > 1 and all(isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name) for one, _ in bound):
            found[name] = rebound(name, [one.value for one, _ in bound], found)
        elif isinstance(value, ast.ClassDef) and not is_test_class(value):
            found[name] = value
        elif isinstance(value, FUNCTIONS) and not is_test(value):
            found[name] = None if is_fixture(value) else value
        elif isinstance(value, ast.ImportFrom) and is_outer and bound[0][1] is not None:
            found[name] = imported(module, value, bound[0][1], wording)
    return {name: value for name, value in found.items() if value is not None}


def rebound(name, values, found):
    """The last of the values a name was given, each made of the one before."""
    made = values[0]
    for place, value in enumerate(values[1:]):
        after = copy.copy(value)
        after.scope, after.time = ChainMap({name: made}, found), place - len(values)
        made = after
    return made


def is_change(statement):
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target] if isinstance(statement, ast.AugAssign) else []
    return bool(targets) and all(isinstance(target, (ast.Attribute, ast.Subscript)) for target in targets)


def part_of(statement, name):
    """What one of several names at once is bound to; None where that cannot be said."""
    places = [place for place, target in enumerate(statement.targets[0].elts) if isinstance(target, ast.Name) and target.id == name]
    if not places or any(isinstance(target, ast.Starred) for target in statement.targets[0].elts):
        return None
    if isinstance(statement.value, ast.Tuple):
        return statement.value.elts[places[0]] if len(statement.value.elts) == len(statement.targets[0].elts) else None
    is_held = isinstance(statement.value, (ast.Call, ast.Attribute))
    return ast.Subscript(value=statement.value, slice=ast.Constant(value=places[0]), ctx=ast.Load()) if is_held else None


def imported(module, statement, alias, wording):
    """What a name from another file of the tests stands for there; None where it is not one, or is a module."""
    dotted = module.absolute(statement)
    other = module.beside.find(dotted) if module.beside and dotted and wording.is_of_tests(dotted) else None
    value = module_values(other, wording, is_outer=False).get(alias.name) if other else None
    if value is not None and not chain(value) and with_lines(other):
        # Its names are of that file.
        value.scope, value.time, value.told = module_values(other, wording, is_outer=False), 0, other.imported_names()
    return value


def own_nodes(function):
    """The nodes of a function without those of functions in it."""
    waiting = list(function.body)
    while waiting:
        node = waiting.pop(0)
        yield node
        waiting += [] if isinstance(node, (*FUNCTIONS, ast.Lambda)) else list(ast.iter_child_nodes(node))
