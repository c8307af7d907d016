"""Literals in words: as they are written, as far as there is room, without what gives the project away."""

import ast
import re

from marks import CUT
from phrases.room import LONGEST_LITERAL
from source import walk


def say_literal(speech, node):
    text = written_literal(speech, node)
    if not speech.is_held and isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.lower() in speech.wording.giving_away:
        # It is a name that something goes by.
        return f"a given text{CUT}"
    if any(isinstance(key, ast.Constant) and speech.gives_away(str(key.value)) for part in walk(node) if isinstance(part, ast.Dict) for key in part.keys):
        return f"a given text{CUT}"
    if speech.gives_away(text):
        text = speech.wording.disguised(text)
    if speech.gives_away(text):
        return f"a given text{CUT}"
    first = node.elts[0] if isinstance(node, ast.Tuple) and node.elts else None
    if hasattr(node, "lineno") and first is not None and (first.lineno, first.col_offset) == (node.lineno, node.col_offset):
        # It is written without brackets.
        text = f"({text})"
    if len(text) <= (speech.longest_text if isinstance(node, ast.Constant) else LONGEST_LITERAL):
        return {"None": "none", "True": "true", "False": "false"}.get(text, text)
    if isinstance(node, ast.Constant):
        return text[: speech.longest_text] + CUT
    parts = [speech.wording.disguised(written_literal(speech, part)) for part in getattr(node, "elts", None) or [] if part is not None]
    parts = parts or [speech.wording.disguised(f"{written_literal(speech, key)}: {written_literal(speech, value)}") for key, value in zip(getattr(node, "keys", []), getattr(node, "values", [])) if key]
    shown, room = [], LONGEST_LITERAL - 40
    for text in parts:
        if len(text) + 2 > room:
            break
        shown.append(text)
        room -= len(text) + 2
    return f"{len(parts)} given values{' from ' if shown else ''}{', '.join(shown)}{CUT}"


def written_literal(speech, node):
    """A literal's own text, on one line."""
    if not hasattr(node, "lineno") or any(map(is_folded, walk(node))):
        return ast.unparse(node)
    first, last = node.lineno - 1, node.end_lineno - 1
    if first == last:
        line = getattr(node, "lines", speech.module.lines)[first].encode("utf-8")
        return line[node.col_offset : node.end_col_offset].decode("utf-8")
    lines = [line.encode("utf-8") for line in getattr(node, "lines", speech.module.lines)[first : last + 1]]
    lines[-1] = lines[-1][: node.end_col_offset]
    lines[0] = lines[0][node.col_offset :]
    spoken = " ".join(re.sub(r"(^|\s)#.*$", "", line.decode("utf-8")).strip() if first != last else line.decode("utf-8") for line in lines)
    return re.sub(r"\s+", " ", spoken).replace("[ ", "[").replace("( ", "(").replace(", ]", "]").replace(" ]", "]")


def say_composed(speech, node, depth):
    parts = [filled_in(speech, part, depth) if isinstance(part, ast.FormattedValue) else str(part.value) for part in node.values]
    text = "".join(parts).replace("\n", "\\n")
    return f'"{text}"' if len(text) <= LONGEST_LITERAL and not speech.gives_away(text) else f"a text{CUT}"


def filled_in(speech, part, depth):
    """What a place of a composed text holds: a text that is known, or what is computed, in braces."""
    value = speech.value_of(part.value)
    form = "".join(str(getattr(piece, "value", "?")) for piece in part.format_spec.values) if part.format_spec else ""
    is_known = isinstance(value, ast.Constant) and (isinstance(value.value, str) and not form or type(value.value) is int and form in ("", "d"))
    return str(value.value) if is_known else f"{{{speech.inner(part.value, depth)}}}"


def is_folded(node):
    """Whether a text is written over several lines or in several pieces, so that its source is not its value."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, (str, bytes)):
        return False
    return getattr(node, "lineno", 0) != getattr(node, "end_lineno", 0) or bool(re.search(r"\s\s", str(node.value)))
