"""What the statements of a function do, in words, in their order, under their conditions and in turns."""

import ast
from dataclasses import replace

from doings import Choice, Headed, Single
from marks import CUT
from phrases.operators import OPERATORS
from phrases.room import LONGEST_BODY
from source import chain, walk
from syntax import DEFINED, assigned_name, counted_paths, handed_on, reads_any, root_of, taken_names


def steps_of(speech, body, depth, since):
    """What statements of a function do, in their order, with what its own names mean there and the conditions they stand under."""
    found = []
    for place, statement in enumerate(body):
        if sum(len(step.text) for step in found) > LONGEST_BODY:
            # There is no room for the rest.
            break
        value, text, step = getattr(statement, "value", None), "", None
        if isinstance(statement, ast.If):
            speech.carried, around = speech.carried | taken_names(statement), speech.carried
            ends = isinstance(statement.body[-1], (ast.Return, ast.Raise, ast.Break, ast.Continue))
            rest = statement.orelse or (body[place + 1 :] if ends else [])
            condition, before = speech.inner(statement.test, depth), speech.values
            first = steps_of(speech, statement.body, depth, since)
            bound, speech.values = speech.values, before
            second = steps_of(speech, rest, depth, since)
            speech.choose(statement.test, before, bound)
            speech.carried = around
            step = Choice(condition, tuple(first), tuple(second)) if first or second else None
            if ends and not statement.orelse:
                return [*found, *([explained_step(speech, step, since)] if step else [])]
        elif isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
            step = turns_of(speech, statement, depth)
        elif isinstance(statement, (ast.With, ast.AsyncWith, ast.Try)):
            found += steps_of(speech, statement.body, depth, since)
        elif isinstance(statement, (ast.Assign, ast.AugAssign)):
            text = say_assigned(speech, statement, body[place + 1 :], depth)
        elif isinstance(statement, DEFINED):
            speech.bind(ast.Name(id=statement.name, ctx=ast.Store()), statement)
        elif isinstance(statement, ast.AnnAssign) and value is not None:
            speech.bind(statement.target, value)
        elif isinstance(statement, ast.Delete):
            text = "deletes " + " and ".join(speech.inner(target, depth) for target in statement.targets)
            for target in statement.targets:
                speech.touch(root_of(target))
        elif isinstance(statement, ast.Assert):
            text = f"requires that {speech.inner(statement.test, depth)}"
        elif isinstance(statement, (ast.Break, ast.Continue)):
            text = "goes no further" if isinstance(statement, ast.Break) else "goes on with the next"
        elif isinstance(statement, ast.Return) and value is not None:
            text = f"gives {speech.inner(value, depth)}"
        elif isinstance(statement, ast.Expr) and isinstance(value, ast.Yield) and value.value is not None:
            text = f"yields {speech.inner(value.value, depth)}"
        elif isinstance(statement, ast.Expr) and isinstance(value, ast.YieldFrom):
            text = f"yields all of {speech.inner(value.value, depth)}"
        elif isinstance(statement, ast.Raise) and statement.exc is not None:
            text = f"raises {speech.inner(statement.exc, depth)}"
        elif isinstance(statement, ast.Expr) and isinstance(value, ast.Call):
            text = f"does {speech.inner(value, depth)}"
            speech.clock += 1
            speech.touch(root_of(value.func))
        step = Single(text) if text else step
        if step:
            found.append(explained_step(speech, step, since))
    return found


def turns_of(speech, loop, depth):
    """What a loop of a function does, with what its turns hand on."""
    names = [part.id for part in walk(loop.target) if isinstance(part, ast.Name)] if hasattr(loop, "target") else []
    turn = f"for each {' and '.join(map(speech.words, names))} of {speech.inner(loop.iter, depth)}" if names else ""
    carried = {name for name in handed_on(loop) if speech.values.get(name) is not None or name in speech.own_names or name in speech.carried}
    starts = [f"{speech.words(name)} being {speech.meaning(speech.values[name])} at first" for name in sorted(carried) if speech.values.get(name) is not None]
    outside, speech.carried = speech.carried, speech.carried | carried
    speech.told = speech.told | set(names) | carried
    speech.values = {**speech.values, **dict.fromkeys([*names, *carried])}
    turn = turn or f"while {speech.inner(getattr(loop, 'test', loop), depth)}"
    told = steps_of(speech, loop.body, depth, speech.clock)
    speech.carried = outside
    return Headed(", ".join([turn, *starts]), tuple(told)) if told else Single(CUT)


def say_assigned(speech, statement, rest, depth):
    """What an assignment of a function does; empty where it only names something."""
    value, name, is_counted = statement.value, assigned_name(statement), isinstance(statement, ast.AugAssign)
    target = statement.target if is_counted else statement.targets[0]
    if not is_counted and isinstance(target, (ast.Subscript, ast.Attribute)):
        text = f"sets {say_part_set(speech, target, depth)} to {speech.inner(value, depth)}"
        speech.clock += 1
        speech.touch(root_of(target))
        return text
    if name in speech.carried:
        text = f"makes {speech.words(name)} {say_made(speech, statement, name, speech.inner(value, depth))}"
        speech.clock += 1
        tell_as_name(speech, name)
        return text
    if is_counted and name is None:
        changed = speech.inner(target, depth)
        return f"sets {changed} to {changed} {OPERATORS.get(type(statement.op), 'with')} {speech.inner(value, depth)}"
    if is_counted and name in speech.own_names:
        # It may be the thing of whoever called.
        return f"changes {speech.words(name)} by {OPERATORS.get(type(statement.op), 'with')} {speech.inner(value, depth)}"
    if is_counted:
        speech.bind(target, ast.BinOp(left=ast.Name(id=name, ctx=ast.Load()), op=statement.op, right=value))
    elif name is not None and reads_any(value, counted_paths(rest)):
        text = f"takes {speech.words(name)} as {speech.inner(value, depth)}"
        tell_as_name(speech, name)
        return text
    else:
        speech.bind(target, value)
    return ""


def tell_as_name(speech, name):
    """From here on a name is spoken of as such."""
    speech.values = {**speech.values, name: None}
    speech.told = speech.told | {name}


def say_made(speech, statement, name, text):
    """What an assignment makes of a name: what is assigned, or the name and what is added to it."""
    return f"{speech.words(name)} {OPERATORS.get(type(statement.op), 'with')} {text}" if isinstance(statement, ast.AugAssign) else text


def explained_step(speech, step, since):
    """A step with what the function's own names mean that it speaks of."""
    return replace(step, meanings=tuple(meaning.text for meaning in speech.introductions(LONGEST_BODY, since)))


def say_part_set(speech, target, depth):
    """What a method sets; of its own object by the name that is given to it."""
    parts = chain(target)
    return speech.spelled(parts[1]) if parts and len(parts) == 2 and parts[0] == "self" else speech.inner(target, depth)
