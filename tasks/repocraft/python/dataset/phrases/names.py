"""Names and attributes in words: what they stand for in their place, or the name, with its meaning told before."""

import ast
import builtins
import re

from phrases.forms import Named
from phrases.literals import say_literal
from phrases.operators import say_thing
from phrases.room import DEEPEST, SHORT
from source import chain, walk
from syntax import DEFINED, is_empty, is_literal, last_name, path_of, root_path

# Wrappers that say how a value is held, not which.
HOLDERS = {"array", "asarray", "asanyarray"}
# What these make is called like the variable it is put into.
NAMING = {"Symbol", "symbols", "Function", "Dummy", "Wild", "MatrixSymbol", "IndexedBase", "Idx", "dynamicsymbols", "ReadySymbol", "Var", "Integer"}
# … and nothing more is to be said of these.
PLAIN_NAMES = {"Symbol", "symbols", "var", "Var", "ReadySymbol", "Integer"}
# What is drawn at random is another thing each time it is written.
DRAWS = re.compile(r"^(rand\w*|choices?|sample|shuffle|permutation|uniform|\w*normal\w*|exponential|poisson|binomial|gamma|beta|standard_\w+|bytes|chisquare|gumbel|laplace|logistic|multinomial|dirichlet|rvs|integers)$")
GENERATORS = {"RandomState", "default_rng", "Random", "Generator"}
# These take what they give from what they are given.
ADVANCING = {"next", "pop", "popitem", "popleft"}


def say_name(speech, node, parts, depth):
    path, root = path_of(parts), root_path(parts)
    found = None if parts[0] in speech.inner_names else speech.values.get(path)
    # A name that meant more before is explained again.
    if found is not None and (not names_itself(found, parts[-1]) or speech.introduced.get(path) not in (None, found)):
        # What was changed is no longer what it was bound to; what cannot be changed is.
        is_fixed = isinstance(found, (ast.Constant, ast.UnaryOp, ast.Tuple)) and is_literal(found) and path not in speech.remade
        is_as_bound = is_fixed or not speech.changed_since(root, getattr(found, "time", 0))
        # A list that is changed somewhere is spoken of by its name.
        is_kept = is_empty(found) or isinstance(found, (ast.List, ast.Dict, ast.Set)) and root in speech.changed
        is_short = is_literal(found) and len(say_literal(speech, found)) <= SHORT
        is_before = bool(speech.turns) and getattr(found, "time", 0) <= speech.turns[-1] and any(isinstance(part, ast.Call) for part in walk(found))
        is_once = speech.reads[path] <= 1 and not is_before and depth < DEEPEST and not isinstance(found, DEFINED) and not is_drawn(found) and getattr(found, "whole", None) is None
        is_alias = chain(found) is not None and (len(chain(found)) == 1 or root not in speech.changed)
        if is_alias or is_as_bound and not is_kept and (is_short or is_once):
            text = speech.opened(found, depth)
            if text is not None:
                return text
        speech.introduce(path, found)
        speech.mention(path, root)
        return Named(speech.words(parts[-1]))
    if len(parts) > 1 and isinstance(node, ast.Attribute) and depth < DEEPEST:
        held = held_literal(speech, node)
        if held is not None:
            return speech.inner(held, depth)
    if len(parts) == 1 or speech.is_library(parts[0]) or parts[0] in ("self", "cls") and len(parts) == 2:
        if parts[0] not in speech.inner_names:
            speech.mention(path, root)
            if found is None and path not in speech.told and parts[0] not in speech.told and (len(parts) == 1 or path in speech.values):
                speech.unbound.add(path)
            if found is None and path in speech.aliases:
                return speech.words(speech.aliases[path])
            if path not in speech.values and isinstance(getattr(builtins, path, None), type(len)):
                return f"the function {path}"
        if len(parts) > 2 and parts[-2][:1].isupper():
            return f"{speech.words(parts[-1])} of {speech.words(parts[-2])}"
        return speech.words(parts[-1])
    return f"{part_named(speech, parts[-1])} of {say_thing(speech, node.value, depth)}"


def part_named(speech, name):
    """An attribute; said to be one where a function goes by its name."""
    return f"attribute {speech.words(name)}" if name in speech.doubled else speech.words(name)


def say_attribute(speech, node, depth):
    return f"{part_named(speech, node.attr)} of {say_thing(speech, node.value, depth)}"


def held_literal(speech, node):
    """The literal that an attribute holds of an object whose class is the tests' own (expected figures in a file of results)."""
    made = speech.value_of(node.value)
    name = (chain(made.func if isinstance(made, ast.Call) else made) or [None])[-1]
    owner = made if isinstance(made, ast.ClassDef) else speech.values.get(name)
    if not isinstance(owner, ast.ClassDef) or not is_of_tests(speech, owner):
        return None
    for statement in walk(owner):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        is_it = isinstance(target, ast.Name) and target.id == node.attr or chain(target) in (["self", node.attr], ["cls", node.attr])
        if target is not None and is_it:
            value = statement.value
            while isinstance(value, ast.Call) and (chain(value.func) or [""])[-1] in HOLDERS and value.args:
                value = value.args[0]
            return value if is_literal(value) else None
    return None


def is_of_tests(speech, owner):
    """Whether a class has nothing of the library: its bases are the tests' own as well."""
    bases = [speech.value_of(base) for base in owner.bases if getattr(base, "id", None) != "object"]
    return all(isinstance(base, ast.ClassDef) and base is not owner and is_of_tests(speech, base) for base in bases)


def is_drawn(value):
    """Whether a value is a draw at random, or what it is drawn from, so that its place matters."""
    calls = [node.func for node in walk(value) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    if any((chain(function) or [])[-2:] == ["objects", "create"] for function in calls):
        # A row is there from when it is made.
        return True
    if isinstance(value, ast.Call) and (chain(value.func) or [getattr(value.func, "attr", "")])[-1] in ("copy", "deepcopy"):
        # A copy is of the moment it is made at.
        return True
    return any(DRAWS.match(function.attr) for function in calls) or isinstance(value, ast.Call) and (chain(value.func) or [""])[-1] in GENERATORS


def is_fleeting(speech, call):
    """Whether a call gives another thing each time it is made: the next of something, or a draw from a generator that goes on."""
    if last_name(call) in ADVANCING or is_drawn(call):
        return True
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    made = [speech.value_of(argument) for argument in given]
    return any(isinstance(value, ast.Call) and last_name(value) in GENERATORS for value in made)


def names_itself(value, name):
    """Whether a value says no more than its name: a symbol without assumptions, also as one of several."""
    place = None
    if isinstance(value, ast.Subscript):
        value, place = value.value, getattr(value.slice, "value", None)
    if isinstance(value, ast.Call) and value.args and isinstance(value.args[0], ast.Constant) and isinstance(value.args[0].value, str) and ":" not in value.args[0].value:
        words = re.split(r"[\s,]+", value.args[0].value.strip(" ,"))
        if place is None and len(words) == 1 and words[0] != name or isinstance(place, int) and -len(words) <= place < len(words) and words[place] != name:
            return False
    if not isinstance(value, ast.Call) or len(value.args) > 1 and (chain(value.func) or [""])[-1] != "map" or value.keywords:
        return False
    made = (chain(value.func) or [""])[-1]
    if made in PLAIN_NAMES and not (value.args and isinstance(value.args[0], (ast.Constant, ast.Tuple, ast.List))):
        return False
    return made in PLAIN_NAMES or made == "map" and bool(value.args) and (chain(value.args[0]) or [""])[-1] in PLAIN_NAMES
