"""What a test does before it looks, or where it is expected to fail, in words."""

import ast
from dataclasses import replace

from demands.assertions import say_condition
from doings import Choice, Single
from phrases.operators import OPERATORS
from phrases.steps import say_made
from source import walk
from syntax import changes_something, is_read, last_name


class Act:
    """Something a test does before it looks: said where it is told, of the moment it was done at."""

    def __init__(self, say, speech, roots, is_quiet, call=None):
        self.say = say
        self.values = speech.values
        self.time = speech.clock
        self.roots = roots
        # What a set-up does is told only where what it was done to is spoken of.
        self.is_quiet = is_quiet
        # The call that it is, where a test may do it to see that it can be done.
        self.call = call


def act_of(demands, statement):
    """What a statement does, where it is expected to fail; None where that is nothing to tell."""
    if isinstance(statement, ast.If):
        first, second = (tuple(doing for one in body if (doing := act_of(demands, one))) for body in (statement.body, statement.orelse))
        return Choice(say_condition(demands, statement.test), first, second) if first or second else None
    text = say_act(demands, statement)
    return Single(text) if text else None


def say_act(demands, statement):
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and last_name(statement.value) == "print":
        return ""
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
            if isinstance(target, ast.Subscript):
                place = demands.speech.say(target)
                demands.speech.is_held = True
                held = demands.speech.say(statement.value, 1)
                demands.speech.is_held = False
                return f"setting {place} to {held}"
            if isinstance(target, ast.Attribute):
                return f"setting {demands.speech.words(target.attr)} of {demands.speech.say(target.value)} to {demands.speech.say(statement.value, 1)}"
        return demands.speech.say(statement.value) if statement.value else ""
    if isinstance(statement, ast.Expr):
        return demands.speech.say(statement.value)
    if isinstance(statement, ast.AugAssign):
        changed, operator = demands.speech.say(statement.target), OPERATORS.get(type(statement.op), "with")
        return f"setting {changed} to {changed} {operator} {demands.speech.say(statement.value)}"
    if isinstance(statement, ast.Raise) and statement.exc is not None:
        return f"raising {demands.speech.say(statement.exc, 1)}"
    if isinstance(statement, ast.Delete):
        return "deleting " + ", ".join(demands.speech.say(target) for target in statement.targets)
    if isinstance(statement, ast.Assert):
        called = statement.test.left if isinstance(statement.test, ast.Compare) else statement.test
        return demands.speech.say(called)
    inner = [part for field in ("body", "orelse") for part in getattr(statement, field, [])]
    doing = next((doing for one in inner if (doing := act_of(demands, one))), None)
    around = [demands.speech.say(item.context_expr, 1) for item in getattr(statement, "items", []) if item.optional_vars is None]
    text = doing.text if doing else ""
    return f"{text} under {' and '.join(around)}" if text and around else text


def act_inside(demands, body, place):
    """What a statement of a block does; where it names what the rest of the block reads, that is told by the name."""
    statement = body[place]
    target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    names = {node.id for node in walk(target) if isinstance(node, ast.Name)} if target is not None and not changes_something(target) else set()
    read = {node.id for inner in body[place + 1 :] for node in walk(inner) if isinstance(node, ast.Name) and is_read(node)}
    if names & read:
        demands.bind(target, statement.value)
        return None
    return act_of(demands, statement)


def decorating(demands, statement):
    """What a decorator does with a function, or what several make of it, the innermost first."""
    if len(statement.decorator_list) == 1:
        doing, word = demands.speech.doing(statement.decorator_list[0]), demands.speech.words(statement.name)
        return replace(doing, given=f"{doing.given} of {word}") if doing.given else replace(doing, what=f"{doing.what} of {word}")
    word = demands.speech.words(statement.name)
    return Single(f"making {word} " + " ".join(f"what {demands.speech.say(by, 1)} gives for" for by in statement.decorator_list) + f" {word}")


def setting_all(demands, target, value):
    return Single(f"setting {' and '.join(demands.speech.say(part) for part in target.elts)} at once to {demands.speech.say(value, 1)}")


def making(demands, name, statement):
    """What a name is made to stand for in a loop or under a condition."""
    return Single(f"making {demands.speech.words(name)} {say_made(demands.speech, statement, name, demands.speech.say(statement.value))}")


def say_handed(demands, function, arguments, keywords):
    if isinstance(function, ast.Lambda):
        return demands.speech.say(function.body)
    made = ast.Call(func=function, args=list(arguments), keywords=[keyword for keyword in keywords if keyword.arg != "match"])
    return demands.speech.say(made)
