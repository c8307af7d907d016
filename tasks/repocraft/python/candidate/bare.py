"""
A definition without what its author says to whoever reads it: no comments, no docstrings, no texts longer than a few words.
Usage: bare.py REQUEST.json, with {"text": a module's text, "lines": [first, last] of a definition in it, decorators included};
prints {"source": text, "signature": text}, empty for what cannot be read.
"""

import ast
import json
import sys

# A key, a name or a format is shorter; an instruction is not.
MOST_CHARACTERS = 24
CUT = "…"


def main(path):
    with open(path, encoding="utf-8") as file:
        request = json.load(file)
    try:
        node = found(ast.parse(request["text"]), request["lines"])
        source = "" if node is None else ast.unparse(Bare().visit(node))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        source = ""
    starts = (line for line in source.split("\n") if line.startswith(("def ", "async def ", "class ")))
    return {"source": source, "signature": next(starts, "").rstrip(":")}


def found(tree, lines):
    """The outermost statement that is on these lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and [first_line(node), node.end_lineno] == lines:
            return node
    return None


def first_line(node):
    return min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])


class Bare(ast.NodeTransformer):
    def generic_visit(self, node):
        super().generic_visit(node)
        if getattr(node, "body", None) == []:
            node.body = [ast.copy_location(ast.Pass(), node)]
        return node

    def visit_Expr(self, node):
        """A text that stands alone does nothing."""
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, (str, bytes))
        return None if is_text else self.generic_visit(node)

    def visit_Constant(self, node):
        if isinstance(node.value, str) and len(node.value) > MOST_CHARACTERS:
            return ast.copy_location(ast.Constant(CUT), node)
        if isinstance(node.value, bytes) and len(node.value) > MOST_CHARACTERS:
            return ast.copy_location(ast.Constant(b"..."), node)
        return node


if __name__ == "__main__":
    json.dump(main(sys.argv[1]), sys.stdout)
