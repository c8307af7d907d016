"""What is asserted of values, in words: relations, tolerances, kinds and truth."""

import ast
import re

from demands.refusals import is_message, note_text
from phrases.calls import AS_KIND, with_article
from phrases.operators import RELATION
from source import chain, walk
from syntax import is_literal, last_name

EQUAL = re.compile(r"^assert_?((\w+_)?equals?|(list|dict|tuple|set|sequence|multiline|count|html|json|xml|url|queryset)_?equal|is)$|^eq_$", re.IGNORECASE)
CLOSE = re.compile(r"^assert_?(allclose\w*|(\w+_)?almost_?equal(_nulp)?|approx_equal|close)$|^allclose$|^isclose$", re.IGNORECASE)
BETWEEN = {
    "assertnotequal": "is not", "assertisnot": "is not", "assertin": "is in", "assertnotin": "is not in", "assertgreater": "is greater than",
    "assertgreaterequal": "is at least", "assertless": "is less than", "assertlessequal": "is at most", "assert_array_less": "is less than",
    "assertnotalmostequal": "is not close to", "assertinhtml": "stands in", "assertnotinhtml": "does not stand in",
    "assertcontains": "contains", "assertnotcontains": "does not contain", "assertisinstance": "is a", "assertnotisinstance": "is no",
    "assertregex": "matches", "asserthtmlnotequal": "is not", "assertjsonnotequal": "is not", "assertxmlnotequal": "is not",
}  # fmt: skip
TOLERANCES = {
    "rtol": "relative tolerance {}", "rel": "relative tolerance {}", "atol": "absolute tolerance {}", "abs": "absolute tolerance {}",
    "decimal": "{} decimal places", "places": "{} decimal places", "delta": "tolerance {}", "significant": "{} significant digits",
    "tol": "tolerance {}",
}  # fmt: skip
WHOLE = {"all", "alltrue"}
ALIKE = {"is", "is close to"}


def say_condition(demands, node):
    say = demands.speech.say
    if isinstance(node, ast.BoolOp):
        said = [(one, say_condition(demands, one)) for one in node.values]
        parts = [f"({part})" if is_looser(demands, one, node.op) else part for one, part in said if part]
        return (" and " if isinstance(node.op, ast.And) else " or ").join(parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = say_condition(demands, node.operand)
        return f"not: ({inner})" if isinstance(node.operand, ast.BoolOp) else f"not: {inner}"
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return say_relation(demands, node.left, node.ops[0], node.comparators[0])
    if isinstance(node, ast.Compare):
        return say(node)
    if isinstance(node, ast.Call):
        name = last_name(node)
        if name in ("isinstance", "issubclass") and len(node.args) == 2:
            kinds = kinds_of(demands, node.args[1])
            return f"{say(node.args[0])} is {with_article(' or '.join(say_kind(demands, kind) for kind in kinds))}"
        if name in WHOLE:
            inner = node.args[0] if node.args else getattr(node.func, "value", None)
            if isinstance(inner, (ast.Compare, ast.Call)):
                return f"for every element {say_condition(demands, inner)}"
        if CLOSE.match(name) or name in ("array_equal", "array_equiv"):
            return say_check(demands, node, "assert_allclose" if CLOSE.match(name) else "assert_equal")
        if name == "hasattr" and len(node.args) == 2:
            return f"{say(node.args[0])} has {say(node.args[1])}"
    return f"{say(node)} is true"


def is_looser(demands, node, operator):
    """Whether a part of several conditions needs a bracket: what is not so, and one of several among all."""
    if isinstance(node, ast.Call):
        is_one_of = last_name(node) in ("isinstance", "issubclass") and len(node.args) == 2 and len(kinds_of(demands, node.args[1])) > 1
    else:
        is_one_of = isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or)
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) or isinstance(operator, ast.And) and is_one_of


def kinds_of(demands, node):
    """The classes of `isinstance`, also where a name holds several."""
    found = demands.speech.value_of(node)
    return found.elts if isinstance(found, ast.Tuple) else [node]


def say_kind(demands, node):
    parts = chain(node)
    return (AS_KIND.get(parts[-1]) or demands.speech.words(parts[-1])) if parts else "given kind"


def say_relation(demands, left, operator, right):
    if is_message(left, demands.caught) or is_message(right, demands.caught):
        text = right if is_message(left, demands.caught) else left
        note_text(demands, f"the message {'is' if isinstance(operator, ast.Eq) else 'says'}", text)
        return ""
    if isinstance(right, ast.Call) and last_name(right) == "approx":
        return f"{demands.speech.say(left)} is close to {demands.speech.say(right.args[0])}{say_tolerance(demands, right.keywords)}"
    # Of two things that are alike, a test can ask both.
    is_identity = isinstance(operator, (ast.Is, ast.IsNot)) and is_object(right)
    if is_literal(left) and not is_literal(right) and isinstance(operator, ast.Eq):
        left, right = right, left
    return say_between(demands, left, RELATION[type(operator)], right, is_identity=is_identity)


def say_between(demands, left, relation, right, more="", is_identity=False):
    word = f"{relation} the same object as" if is_identity else relation
    sides = demands.speech.say_both(left, right)
    if not sides:
        again = demands.speech.say(left)
        is_computed = isinstance(demands.speech.value_of(left), ast.Call) and isinstance(demands.speech.value_of(right), ast.Call)
        same = f"{relation} the same object" if is_identity else f"{relation} the same"
        if chain(left) and chain(left) == chain(right):
            return f"{again} {word} itself{more}"
        return f"{again} {same} when it is computed again{more}" if is_computed and relation in ALIKE else ""
    if relation == "is" and not is_identity and isinstance(right, ast.Call) and not right.args and not right.keywords and last_name(right)[:1].isupper():
        # No matter of its kind alone.
        word, sides = "equals", (sides[0], f"{sides[1]} made without arguments")
    left, right = (f"({text})" if isinstance(node, (ast.Compare, ast.BoolOp)) else text for node, text in zip((left, right), sides))
    return f"{left} {word} {right}{more}"


def say_check(demands, call, name):
    plain, arguments = name.lower(), call.args
    if not arguments or plain == "fail":
        return ""
    if len(arguments) == 1 and name == "assert_equal" and isinstance(call.func, ast.Attribute):
        arguments = [call.func.value, *arguments]
    if plain in ("asserttrue", "assert_", "assert_true"):
        return say_condition(demands, arguments[0])
    if plain in ("assertfalse", "assert_false"):
        return f"not: {say_condition(demands, arguments[0])}"
    if plain in ("assertisnone", "assertisnotnone"):
        return f"{demands.speech.say(arguments[0])} is {'none' if plain == 'assertisnone' else 'not none'}"
    if len(arguments) < 2:
        return f"{checked(demands, name)}: {demands.speech.say(arguments[0])}"
    if is_message(arguments[0], demands.caught) or is_message(arguments[1], demands.caught):
        return say_relation(demands, arguments[0], ast.Eq() if EQUAL.match(name) else ast.In(), arguments[1])
    left, right = arguments[:2]
    if is_literal(left) and not is_literal(right) and plain not in BETWEEN:
        left, right = right, left
    if plain in ("assertis", "assertisnot") and is_object(right):
        return say_between(demands, left, BETWEEN.get(plain, "is"), right, is_identity=True)
    if CLOSE.match(name):
        places = [f" to {demands.speech.say(arguments[2])} decimal places"] if len(arguments) > 2 and "almost" in plain else []
        is_exact = "allclose" in plain and all(keyword.arg != "atol" for keyword in call.keywords) and any(getattr(node, "value", 1) == 0 for node in walk(right))
        exact = " (absolute tolerance 0)" if is_exact and isinstance(right, (ast.List, ast.Tuple, ast.Constant)) else ""
        return say_between(demands, left, "is close to", right, "".join(places) + say_tolerance(demands, call.keywords) + exact)
    if plain == "assertquerysetequal":
        return say_rows_equal(demands, call, left, right)
    if EQUAL.match(name) or plain.endswith("equal") and plain not in BETWEEN:
        markup = re.search("html|xml|json", plain)
        more = " in any order" if plain == "assertcountequal" else f", compared as {markup.group().upper()}" if markup else ""
        return say_between(demands, left, "is", right, more + say_tolerance(demands, call.keywords))
    if plain in BETWEEN:
        return say_between(demands, left, BETWEEN[plain], right)
    return f"{checked(demands, name)}: {', '.join(demands.speech.say(argument, 1) for argument in arguments[:5])}"


def checked(demands, name):
    """What a check looks at, by its name."""
    return demands.speech.words(re.sub("^assert_?", "", name))


def say_rows_equal(demands, call, left, right):
    """Rows of a query against values: each by what a function makes of it, in their order or in any."""
    given = {**dict(zip(("transform", "ordered"), call.args[2:])), **{keyword.arg: keyword.value for keyword in call.keywords}}
    transform = given.get("transform")
    more = f", each of its rows given to {demands.speech.say(transform, 1)}" if transform is not None and getattr(transform, "value", 1) is not None else ""
    more += " in any order" if getattr(given.get("ordered"), "value", True) is False else ""
    return say_between(demands, left, "is", right, more)


def say_tolerance(demands, keywords):
    said = [TOLERANCES[keyword.arg].format(demands.speech.say(keyword.value)) for keyword in keywords if keyword.arg in TOLERANCES]
    return f" ({', '.join(said)})" if said else ""


def is_object(node):
    """Whether a thing can be alike to another and not be it: no literal and no class."""
    return not is_literal(node) and not (chain(node) or ["a"])[-1][:1].isupper()
