"""Calls of a test that stand alone: checks, what is changed, and helpers that do the checking."""

import ast
import builtins
import re

from demands.acts import say_handed
from demands.assertions import say_check
from demands.checks import is_check
from demands.refusals import RAISING, note_raising
from demands.set_up import is_row
from source import FUNCTIONS, chain, walk
from syntax import closed, last_name, root_of
from values import owners_of

MOST_HELPERS = 2
# What a set-up does for itself.
SETTING_UP = re.compile(r"^(add(Class|Module)?Cleanup|set_?up\w*|tear_?down\w*)$", re.IGNORECASE)
# What changes the surroundings of a test, so that it is never out of sight.
SURROUNDING = re.compile(r"^(setenv|delenv|setattr|delattr|setitem|chdir)$")
# Done for their own sake: that they are possible is not what a test asks.
PLAIN_ACTS = re.compile(r"^(close|clear|stop|start|cleanup|seed|register|unregister|print|patch|reset\w*|setdefault|append|extend|add|flush|write|warn|skip|sleep|set|join|shutdown|quit|release|acquire|exit)$")


def read_call(demands, call):
    name = last_name(call)
    if RAISING.match(name) and len(call.args) > 1 and not re.search("message|regex", name.lower()):
        return note_raising(demands, call, say_handed(demands, call.args[1], call.args[2:], call.keywords))
    if RAISING.match(name) and len(call.args) > 2:
        return note_raising(demands, call, say_handed(demands, call.args[2], call.args[3:], call.keywords))
    helper = helper_of(demands, call)
    if helper is not None:
        return read_helper(demands, helper, call)
    if re.match(r"assert|eq_$|fail", name):
        return demands.note(say_check(demands, call, name))
    if demands.is_quiet and is_row(call) and not demands.speech.turns:
        demands.rows.append((demands.speech.words(chain(call.func)[-3]), None, call))
        return None
    if demands.is_quiet and SETTING_UP.match(name):
        return None
    receiver = root_of(call.func)
    is_method = isinstance(call.func, ast.Attribute) and receiver is not None and not demands.speech.is_library(receiver)
    # What changes something before it is looked at.
    handed = [root_of(argument) for argument in call.args if isinstance(argument, (ast.Name, ast.Attribute))]
    is_function = isinstance(call.func, ast.Name) and not hasattr(builtins, call.func.id)
    if is_method or is_function and handed:
        # What is handed over may be changed as well.
        is_quiet = demands.is_quiet and not SURROUNDING.match(name)
        demands.do(lambda: demands.speech.doing(call, 1), [receiver] if is_method else handed, call=None if PLAIN_ACTS.search(name) else call, others=handed, is_quiet=is_quiet)
    elif isinstance(call.func, ast.Call) and not hasattr(builtins, name):
        wrapped = [root_of(argument) for argument in [*call.func.args, *call.args] if isinstance(argument, (ast.Name, ast.Attribute))]
        demands.do(lambda: demands.speech.doing(call, 1), wrapped, call)
    elif isinstance(call.func, ast.Name) and name in ("repr", "str", "hash") and not demands.is_quiet:
        demands.note_acceptance(demands.speech.say(call), call)
    elif name == "seed" and call.args:
        # What is drawn afterwards hangs on it, also where a set-up sets it.
        demands.do(lambda: demands.speech.doing(call, 1), [], is_quiet=False)
    elif is_function and call.func.id in demands.imported and not PLAIN_ACTS.search(name):
        demands.note_acceptance(demands.speech.say(call), call)
    return None


def helper_of(demands, call):
    """The function of the tests that a call asks to do the checking; None where it is none, or several deep already."""
    parts = chain(call.func)
    if not parts or demands.inside >= MOST_HELPERS:
        return None
    if len(parts) == 1:
        found = demands.speech.values.get(parts[0])
    else:
        found = methods_of(demands.unit).get(parts[1]) if parts[0] in ("self", "cls") and len(parts) == 2 else None
    return found if isinstance(found, FUNCTIONS) and found is not demands.unit.node and any(map(is_check, walk(found))) else None


def read_helper(demands, helper, call):
    """The checks of a helper, with what it is given for its arguments."""
    outside, scope = demands.speech.values, dict(demands.speech.values)
    every = helper.args.posonlyargs + helper.args.args
    taken = [argument.arg for argument in every if argument.arg not in ("self", "cls")]
    if helper not in demands.counted:
        demands.counted.append(helper)
        demands.count_reads([helper])
    demands.speech.clock += 1
    defaults = [*zip(taken[len(taken) - len(helper.args.defaults) :], helper.args.defaults)]
    defaults += [(argument.arg, value) for argument, value in zip(helper.args.kwonlyargs, helper.args.kw_defaults) if value is not None]
    passed = [*zip(taken, call.args), *((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg)]
    given = dict.fromkeys(argument.arg for argument in [*every, *helper.args.kwonlyargs])
    for name, value in [*defaults, *passed]:
        is_same = isinstance(value, ast.Name) and value.id == name
        given[name] = outside.get(name) if is_same else closed(value, outside, demands.speech.clock)
    demands.speech.values = {**scope, **given}
    demands.inside += 1
    demands.recent = set()
    demands.read(helper.body)
    demands.recent = set()
    demands.inside -= 1
    demands.speech.values = outside


def methods_of(unit):
    """The methods of a test's class and of its bases in the same file, the nearest of a name first."""
    found = {}
    for owner in owners_of(unit):
        for member in owner.body:
            if isinstance(member, FUNCTIONS):
                found.setdefault(member.name, member)
    return found
