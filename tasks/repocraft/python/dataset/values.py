"""What the names of a test stand for: those of its file, of other files of the tests, of fixtures and of set-ups."""

import ast
from collections import Counter

from harvest import is_fixture, is_test, is_test_class
from phrases import replaced
from source import FUNCTIONS, chain, walk


def set_up_values(unit, names):
    """What a class's set-up puts into `self` and `cls`, that of its bases in the same file first."""
    found = {}
    for owner in reversed(owners_of(unit)):
        for member in owner.body:
            if isinstance(member, FUNCTIONS) and not is_test(member) and member.name not in names:
                found.update({f"self.{member.name}": member, f"cls.{member.name}": member})
            if isinstance(member, ast.Assign) and isinstance(member.targets[0], ast.Name):
                found.update({f"self.{member.targets[0].id}": member.value, f"cls.{member.targets[0].id}": member.value})
            if isinstance(member, FUNCTIONS) and is_fixture(member) and given_by(member) is not None:
                found[member.name] = given_by(member)
            if isinstance(member, FUNCTIONS) and member.name in names:
                found.update(assigned_attributes(member))
    changed = {parts[1] for owner in owners_of(unit) for member in owner.body if isinstance(member, FUNCTIONS) for parts in changed_attributes(member, names)}
    return {path: value for path, value in found.items() if path.partition(".")[2] not in changed}


def changed_attributes(member, names):
    """What a method other than a set-up sets of its object, and what any method counts up."""
    for node in walk(member):
        targets = [node.target] if isinstance(node, ast.AugAssign) else node.targets if isinstance(node, ast.Assign) and member.name not in names else []
        for target in targets:
            parts = chain(target)
            if parts and len(parts) == 2 and parts[0] in ("self", "cls"):
                yield parts


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


def assigned_attributes(member):
    """What a set-up assigns to its object, in its own local names' place what they stand for; nothing of what it assigns twice."""
    every, local = [], {}
    for node in walk(member):
        for target in node.targets if isinstance(node, ast.Assign) else []:
            parts = chain(target)
            if parts and len(parts) == 2 and parts[0] in ("self", "cls"):
                every.append((parts[1], node.value))
            elif parts and len(parts) == 1:
                local[parts[0]] = None if parts[0] in local else node.value
    times = Counter(name for name, _ in every)
    found = {}
    for name, value in every:
        for other, meaning in reversed(list(local.items())) if times[name] == 1 else []:
            value = replaced(value, other, meaning) if meaning is not None else value
        if times[name] == 1 and not any(isinstance(node, ast.Name) and node.id in local for node in walk(value)):
            found.update({f"self.{name}": value, f"cls.{name}": value})
    return found


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
        statement = bound[0][0]
        value = statement if len(bound) == 1 else None
        if isinstance(value, ast.Assign) and isinstance(value.targets[0], ast.Name):
            found[name] = value.value
        elif isinstance(value, ast.Assign) and isinstance(value.targets[0], ast.Tuple):
            found[name] = part_of(value, name)
        elif isinstance(value, ast.ClassDef) and not is_test_class(value):
            found[name] = value
        elif isinstance(value, FUNCTIONS) and not is_test(value):
            found[name] = given_by(value) if is_fixture(value) else value
        elif isinstance(value, ast.ImportFrom) and is_outer and bound[0][1] is not None:
            found[name] = imported(module, value, bound[0][1], wording)
    return {name: value for name, value in found.items() if value is not None}


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
    for node in walk(value) if value is not None else []:
        node.lines = other.lines
    return value


def given_by(fixture):
    """What a fixture returns or yields, with what it assigned for it; None where it is not written as one expression."""
    returned = [node.value for node in own_nodes(fixture) if isinstance(node, (ast.Return, ast.Yield)) and node.value is not None]
    if len(returned) != 1:
        return None
    given, assigned = returned[0], [statement for statement in fixture.body if is_plain(statement)]
    names = [statement.targets[0].id for statement in assigned]
    inside = {id(node) for node in walk(returned[0])}
    # What is read elsewhere as well may be changed there.
    others = [node for statement in fixture.body if statement not in assigned for node in walk(statement) if id(node) not in inside]
    changed = {node.id for node in others if isinstance(node, ast.Name)}
    for statement in reversed(assigned):
        name = statement.targets[0].id
        if name not in changed and names.count(name) == 1:
            given = replaced(given, name, statement.value)
    own = [argument.arg for argument in fixture.args.args]
    unknown = {node.id for node in walk(given) if isinstance(node, ast.Name)} & {*own, *names, fixture.name}
    return None if unknown or isinstance(given, ast.Name) else given


def own_nodes(function):
    """The nodes of a function without those of functions in it."""
    waiting = list(function.body)
    while waiting:
        node = waiting.pop(0)
        yield node
        waiting += [] if isinstance(node, (*FUNCTIONS, ast.Lambda)) else list(ast.iter_child_nodes(node))


def is_plain(statement):
    return isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name)
