"""Classes and functions that a test defines, in words: what they are a kind of, take, set and do."""

import ast
from collections import Counter

from doings import Single, in_a_row
from marks import CUT, is_unsaid
from phrases.room import DEEPEST, LONGEST_BODY, WIDE
from phrases.steps import steps_of
from source import FUNCTIONS, chain, walk
from syntax import changed_roots, is_read


def say_class(speech, node, depth):
    """A class a test defines: what it is a kind of, and what it sets."""
    text = say_kinds(speech, node)
    inner = [member for member in node.body if isinstance(member, (ast.Assign, ast.ClassDef)) and bound_by(member)]
    sets = [f"{speech.spelled(bound_by(member))} {say_member(speech, member, max(2, depth))}" for member in inner[:WIDE]]
    does = [say_method(speech, member, depth) for member in node.body if isinstance(member, FUNCTIONS)][:WIDE]
    text += f" with {', '.join(sets)}" if sets else ""
    return text + (f" that has its own {', '.join(does)}" if does else "")


def say_kinds(speech, node):
    return f"a kind of {' and '.join(speech.said(base, DEEPEST) for base in node.bases) or 'object'}"


def say_member(speech, node, depth):
    text = speech.said(getattr(node, "value", node), depth)
    return f"({text})" if isinstance(node, ast.ClassDef) else text


def say_outline(speech, node):
    """A class a test defines by the names of what it has; a function not at all."""
    if not isinstance(node, ast.ClassDef):
        return speech.meaning(node)
    names = [speech.words(bound_by(member)) for member in node.body if isinstance(member, (ast.Assign, ast.ClassDef)) and bound_by(member)]
    return say_kinds(speech, node) + (f" with {', '.join(names)}" if names else "")


def say_method(speech, node, depth):
    does, given = say_doing(speech, node, depth), say_taken(speech, node)
    is_property = any(getattr(decorator, "id", None) == "property" for decorator in node.decorator_list)
    named = f"{'property ' if is_property else ''}{'async ' if isinstance(node, ast.AsyncFunctionDef) else ''}{speech.spelled(node.name)}{f' of ({given})' if given else ''}"
    return f"{named} ({does})" if does else named


def say_function(speech, node, depth):
    """A function a test defines: what it takes, and what it gives."""
    does, given = say_doing(speech, node, depth), say_taken(speech, node)
    kind = "an async function" if isinstance(node, ast.AsyncFunctionDef) else "a function"
    return kind + (f" of {given}" if given else "") + (f" that {does}" if does else "")


def say_lambda(speech, node, depth):
    outside, given = speech.inner_names, [argument.arg for argument in node.args.posonlyargs + node.args.args]
    speech.inner_names |= set(given)
    text = speech.inner(node.body, depth)
    speech.inner_names = outside
    return "a function" + (f" of {', '.join(map(speech.words, given))}" if given else "") + f" that gives {text}"


def say_taken(speech, node):
    """The arguments of a function, with what they are by default."""
    every = node.args.posonlyargs + node.args.args
    defaults = dict(zip([argument.arg for argument in every][len(every) - len(node.args.defaults) :], node.args.defaults))
    defaults |= {argument.arg: value for argument, value in zip(node.args.kwonlyargs, node.args.kw_defaults) if value is not None}
    names = [argument.arg for argument in [*every, *node.args.kwonlyargs] if argument.arg not in ("self", "cls")]
    told = [speech.words(name) + (f" ({speech.said(defaults[name], DEEPEST)} by default)" if name in defaults else "") for name in names]
    told += [f"{stars}{speech.words(argument.arg)}" for stars, argument in (("*", node.args.vararg), ("**", node.args.kwarg)) if argument is not None]
    return ", ".join(told)


def say_doing(speech, node, depth):
    """What a function gives, raises or does, as far as there is room; its own names are known inside only."""
    own = {argument.arg for argument in walk(node.args) if isinstance(argument, ast.arg)}
    since, pending = speech.clock, list(speech.pending)
    outside = speech.values, speech.told, speech.reads, speech.touches, dict(speech.introduced), set(speech.unbound)
    outer, speech.own_names = (speech.own_names, speech.carried, speech.changed), own
    speech.carried, speech.changed = frozenset(), speech.changed | set(changed_roots(node))
    speech.values = {name: value for name, value in speech.values.items() if name not in own}
    speech.told, speech.touches = speech.told | own, list(speech.touches)
    speech.reads = Counter(".".join(parts) for parts in (chain(part) for part in walk(node) if is_read(part)) if parts) | speech.reads
    told, is_whole = [], True
    for step in steps_of(speech, node.body, depth, since):
        if is_unsaid(step.text) or len(step.text) + sum(len(before.text) for before in told) > LONGEST_BODY:
            is_whole = False
            break
        told.append(step)
    speech.values, speech.told, speech.reads, speech.touches, speech.introduced, speech.unbound = outside
    speech.own_names, speech.carried, speech.changed = outer
    if not is_whole and isinstance(node, ast.FunctionDef) and speech.values.get(node.name) is node:
        # Nobody can say what it gives.
        speech.unbound.add(node.name)
    if not is_whole:
        told.append(Single(CUT))
    # What is defined outside is explained outside.
    speech.pending = pending + [entry for entry in speech.pending if entry not in pending and getattr(entry[2], "time", 0) <= since]
    return in_a_row(told)


def bound_by(member):
    """The name a statement of a class's body binds; None for `a.b = …` and the like."""
    return member.name if isinstance(member, ast.ClassDef) else getattr(member.targets[0], "id", None)
