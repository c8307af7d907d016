"""Calls in words: what is called, of what, and what it is given."""

import ast

from doings import Single
from marks import CUT
from phrases.forms import Given, Named
from phrases.names import HOLDERS, names_itself, say_name
from phrases.operators import say_thing
from phrases.room import DEEPEST
from source import FUNCTIONS, chain
from syntax import DEFINED, path_of

AS_KIND = {"list": "list", "tuple": "tuple", "set": "set", "dict": "dictionary", "int": "integer", "float": "float", "bool": "truth value"}
# Methods of numpy's functions, which say nothing without them.
OF_FUNCTIONS = {"outer", "reduce", "accumulate", "reduceat", "at"}
# Modules of libraries that need not be named; what else a function is taken of is said.
MODULES = {"random", "linalg", "testing", "special", "fft", "sparse", "stats", "path", "ma", "signal", "optimize", "spatial", "np", "numpy", "tools", "api"}


def say_call(speech, node, depth):
    return doing_of(speech, node, depth).text


def doing_of(speech, node, depth):
    """What a call does, and of a method what it is given."""
    parts = chain(node.func)
    last = parts[-1] if parts else getattr(node.func, "attr", None)
    if last is None:
        return Single(say_result(speech, speech.inner(node.func, depth), node, depth))
    only = node.args[0] if len(node.args) == 1 and not node.keywords else None
    is_plain = parts is not None and (len(parts) == 1 or speech.is_library(parts[0]) and not is_of_a_part(parts))
    if is_plain and only is not None:
        if last == "len":
            return Single(f"the length of {speech.inner(only, depth)}")
        if last in AS_KIND and len(parts) == 1:
            return Single(f"{speech.inner(only, depth)} as a {AS_KIND[last]}")
        if last == "str":
            return Single(f"the text of {speech.inner(only, depth)}")
        if last in HOLDERS and len(parts) > 1:
            text = speech.said(only, depth)
            if isinstance(only, ast.Constant):
                return Single(f"a 0-d array of {text}")
            # What is compared with is compared by its values; what is handed over is an array.
            is_list = isinstance(speech.value_of(only), (ast.List, ast.ListComp)) and not isinstance(text, Named)
            return Single(text if depth == 0 else f"an array {text}" if is_list else f"{'an array' if last == 'array' else last} of {text}")
    if depth >= DEEPEST:
        return Single(speech.words(last) + (CUT if node.args or node.keywords else ""))
    if last == "hasattr" and len(node.args) == 2:
        return Single(f"whether {speech.inner(node.args[0], depth)} has {speech.inner(node.args[1], depth)}")
    called = speech.values.get(last) if parts and len(parts) == 1 and last not in speech.inner_names else None
    word = speech.words(speech.aliases.get(last, last) if called is None and parts and len(parts) == 1 else last)
    if parts and len(parts) == 2 and parts[0] in ("self", "cls") and isinstance(speech.values.get(path_of(parts)), FUNCTIONS):
        # A method of the test's own class.
        return Single(say_result(speech, say_name(speech, node.func, parts, depth), node, depth))
    if isinstance(called, DEFINED) or chain(called):
        word = say_name(speech, node.func, parts, depth)
    elif called is not None and not names_itself(called, last):
        return Single(say_result(speech, say_name(speech, node.func, parts, depth), node, depth))
    word = f"nd{word}" if last == "array" and parts and parts[0] in ("np", "numpy") else word
    given = given_to(speech, node, depth)
    if parts and last in speech.qualified and len(parts) > 1:
        word = f"{word} of {speech.words(parts[-2])}"
    if is_plain and (len(parts) < 3 or parts[-2] in MODULES or parts[-2] in speech.libraries):
        made = with_article(word) if last[:1].isupper() or last == "object" else word
        if given:
            return Single(f"{word}{in_brackets(given)}")
        return Single(made if made != word else f"{made}()")
    if parts and last[:1].isupper() and not given:
        return Single(f"{speech.words(last)}() of {say_thing(speech, node.func.value, depth)}")
    receiver = say_thing(speech, node.func.value, depth)
    receiver = f"({receiver})" if " given " in receiver else receiver
    return Single(f"{speech.words(last)} of {receiver}", given.text) if given else Single(f"{speech.words(last)}() of {receiver}")


def say_result(speech, text, node, depth):
    given = given_to(speech, node, depth)
    if " " not in text:
        return f"{text}{in_brackets(given) if given else '()'}"
    return f"what {text} gives for {given.text}" if given else f"what calling {text} gives"


def in_brackets(given):
    return given.text if given.is_closed else f"({given.text})"


def given_to(speech, node, depth):
    """What a call is given; None where it is nothing."""
    named = [f"{say_keyword(speech, keyword.arg)} {speech.inner(keyword.value, depth)}" for keyword in node.keywords if keyword.arg]
    unpacked = [f"all of {speech.inner(keyword.value, depth)}" for keyword in node.keywords if not keyword.arg]
    every = [speech.inner(argument, depth) for argument in node.args] + named + unpacked
    most = speech.widest
    shown = every[:most] + ([] if len(every) <= most else [CUT])
    if len(shown) == 1 and node.args:
        return given_alone(speech, node.args[0], shown[0])
    return Given(f"({', '.join(shown)})", is_closed=True) if len(shown) > 1 else Given(shown[0]) if shown else None


def say_keyword(speech, name):
    """The name of an argument, in its spelling where words would lose it."""
    return name if name != name.lower() and not speech.gives_away(name) else speech.words(name)


def given_alone(speech, node, text):
    """The only argument of a call: in brackets where it is a tuple or computed, or the call would seem to end before it does."""
    is_told = isinstance(speech.value_of(node), (ast.BinOp, ast.Tuple)) and not isinstance(text, Named)
    return Given(f"({text})", is_closed=True) if is_told else Given(text)


def is_of_a_part(parts):
    """Whether a function of a library belongs to one of its classes or functions (`np.add.outer`), and not to a module."""
    return len(parts) > 2 and (parts[-1] in OF_FUNCTIONS or parts[-2][:1].isupper())


def is_several(call):
    """Whether more than one thing is handed over."""
    return len(call.args) + len(call.keywords) > 1


def with_article(words):
    return f"{'an' if words[:1].lower() in 'aeio' else 'a'} {words}"
