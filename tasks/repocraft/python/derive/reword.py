"""
Rewords the docstrings of a library by a thesaurus of prose, and takes a share of them away (`reworded`), so that searching it
cannot lean on the words that descriptions were made from.
"""

import ast
import hashlib
import re

from adapt import Edits
from library import flattened

# A third, as a generated library has it at worst; its other two thirds tell the same in other words.
UNDOCUMENTED = 1 / 3
DOCUMENTED = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
# Words as prose has them: no part of an escape, a placeholder, a dotted path or an identifier.
WORD = re.compile(r"(?<![\\%{(_.\w])[A-Za-z][a-z]+(?:-[a-z]+)?(?![\w(}]|_|\.\w)|(?<![\\%{(_.\w])[A-Z]{2,}(?![\w(}])")


def reworded(texts, thesaurus, seed):
    """({path: text}, [dotted paths of definitions without a docstring]) of {path: (module, text)}. `thesaurus`: word → other words."""
    changed, bare = {}, []
    for path, (module, text) in sorted(texts.items()):
        edits = Edits(text)
        for dotted, node in definitions(ast.parse(text).body, module):
            literal = docstring_of(node)
            if literal is None:
                bare.append(dotted)
            elif chance(seed, dotted) < UNDOCUMENTED:
                # Empty, not gone: a body needs a statement, and some libraries read their own docstrings.
                edits.replace(literal, '""')
                bare.append(dotted)
            else:
                edits.replace(literal, in_other_words(segment(edits, literal), thesaurus, f"{seed}/{dotted}"))
        changed[path] = edits.applied()
    return changed, bare


def definitions(body, dotted):
    """Classes, their methods and functions, none within a function, by their dotted path."""
    for node in flattened(body):
        if isinstance(node, DOCUMENTED):
            inside = f"{dotted}.{node.name}"
            yield inside, node
            if isinstance(node, ast.ClassDef):
                yield from definitions(node.body, inside)


def docstring_of(node):
    first = node.body[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return first.value if is_text else None


def segment(edits, node):
    start = edits.starts[node.lineno - 1] + node.col_offset
    end = edits.starts[node.end_lineno - 1] + node.end_col_offset
    return b"\n".join(edits.lines)[start:end].decode()


def in_other_words(raw, thesaurus, key):
    """The literal with other words in it; as it was where it would not be one any more."""
    def other(found):
        word = found.group()
        known = thesaurus.get(word.lower())
        if not known:
            return word
        new = known[int(chance(key, word.lower()) * len(known))]
        return new.upper() if word.isupper() and len(word) > 1 else new[0].upper() + new[1:] if word[0].isupper() else new

    text = WORD.sub(other, raw)
    try:
        return text if isinstance(ast.literal_eval(text), str) else raw
    except (SyntaxError, ValueError):
        return raw


def chance(seed, text):
    """A number from 0 to 1 that depends on both alone."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{text}".encode()).digest()[:6], "big") / (1 << 48)
