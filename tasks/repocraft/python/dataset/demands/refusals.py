"""What has to fail or to warn, in words: by which exception, with which message."""

import ast
import builtins
import re

from clauses import Clause
from source import chain, walk
from syntax import last_name

LONGEST_MESSAGE = 160
RAISING = re.compile(r"^(assert_?)?(raises|warns)(_?(regexp?|message|exception|produces_warning))?$|^assert_produces_warning$|^deprecated_call$", re.IGNORECASE)


def note_raising(demands, call, doing):
    name, arguments = last_name(call), call.args
    if name == "deprecated_call" or not arguments or isinstance(arguments[0], ast.Constant) and arguments[0].value in (None, False):
        return
    verb = "gives a warning:" if "warn" in name.lower() else "is refused with"
    kinds = arguments[0].elts if isinstance(arguments[0], ast.Tuple) else [arguments[0]]
    kind = " or ".join(say_exception(demands, node) for node in kinds)
    clause = f"{doing or 'it'} {verb} {kind}"
    text = next((keyword.value for keyword in call.keywords if keyword.arg in ("match", "expected_message", "expected_regex")), None)
    if text is None and re.search("message|regex", name.lower()) and len(arguments) > 1:
        text = arguments[1]
    written = demands.speech.value_of(text) if text is not None else None
    is_pattern = "message" not in name.lower() and not (isinstance(written, ast.Call) and last_name(written) == "escape")
    if text is None or isinstance(text, ast.Constant) and text.value is None:
        return demands.note(clause)
    return note_text(demands, clause, text, is_pattern)


def note_text(demands, clause, text, is_pattern=False):
    """A clause that demands a message: word for word, or a pattern that is found in it."""
    if demands.is_quiet:
        return
    stated = text_behind(demands, text)
    if stated is None or len(stated) > LONGEST_MESSAGE or demands.speech.gives_away(stated):
        demands.unstated.append(clause)
    else:
        closing, before = demands.led_up_to(clause)
        demands.clauses.append(Clause(f"{clause}, with {message(stated, is_pattern)}", before, closing, demands.under))


def say_exception(demands, node):
    parts = chain(node)
    if not parts:
        value = demands.speech.value_of(node)
        return demands.speech.say(node, 1) if chain(value) is None else say_exception(demands, value)
    if hasattr(builtins, parts[-1]):
        return parts[-1]
    found = demands.speech.value_of(node)
    if found is not node:
        return say_exception(demands, found) if chain(found) else demands.speech.say(node, 1)
    if len(parts) == 1 and parts[0] not in demands.imported and (parts[0] in demands.speech.values or parts[0][:1].islower()):
        return demands.speech.say(node, 1)
    return f"an exception for {demands.speech.words(re.sub(r'(Error|Exception)$', '', parts[-1]) or parts[-1])}"


def text_behind(demands, node):
    """The literal text of an expression; None where it is put together at run time."""
    node = demands.speech.value_of(node)
    # Its parts are of the moment it was made at.
    with demands.speech.moment(getattr(node, "scope", demands.speech.values), getattr(node, "time", demands.speech.clock)):
        return written_text(demands, node)


def written_text(demands, node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.sub(r"\s+", " ", node.value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [text_behind(demands, node.left), text_behind(demands, node.right)]
        return None if None in parts else "".join(parts)
    if isinstance(node, ast.Call) and last_name(node) in ("escape", "compile") and node.args:
        return text_behind(demands, node.args[0])
    if isinstance(node, ast.Call) and last_name(node) == "join" and node.args and isinstance(node.func, ast.Attribute):
        glue, parts = text_behind(demands, node.func.value), demands.speech.value_of(node.args[0])
        texts = [text_behind(demands, part) for part in getattr(parts, "elts", [None]) if part is not None]
        return None if glue is None or not texts or None in texts else glue.join(texts)
    return None


def message(text, is_pattern):
    """What is demanded of a message; a pattern without anything but plain characters is said as the text it stands for."""
    plain = re.sub(r"\\(\W)", r"\1", text)
    if not is_pattern or not re.search(r"[\\*+?|\[\]{}^$()]", re.sub(r"\\\W", "", text)):
        return f'the message "{plain if is_pattern else text}"'
    return f'a message that the pattern "{text}" is found in'


def is_message(node, caught):
    """The text of an exception or warning that was caught under one of these names: `str(caught.value)`, `caught.exception.args[0]`."""
    if isinstance(node, ast.Call) and last_name(node) in ("str", "lower", "strip") and (node.args or isinstance(node.func, ast.Attribute)):
        inner = node.args[0] if node.args else node.func.value
        parts = chain(inner)
        return is_message(inner, caught) or bool(parts) and parts[0] in caught
    if isinstance(node, ast.Subscript):
        parts = chain(node.value)
        return bool(parts) and parts[-1] in ("args", "messages") and len(parts) > 1 and parts[0] in caught
    return False


def caught_names(test):
    """What exceptions and warnings are called that a test catches."""
    for node in walk(test):
        if isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name
        for item in getattr(node, "items", []) if isinstance(node, (ast.With, ast.AsyncWith)) else []:
            if isinstance(item.context_expr, ast.Call) and RAISING.match(last_name(item.context_expr)) and isinstance(item.optional_vars, ast.Name):
                yield item.optional_vars.id
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and RAISING.match(last_name(node.value)):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
