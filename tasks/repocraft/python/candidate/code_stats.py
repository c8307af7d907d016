"""
Counts the code of a candidate and prints one JSON object: files, lines of code, functions, placeholders among them, and the
code itself without comments, docstrings and blank lines, for a tokenizer to count. Tests, examples and benchmarks are left
out, as in layout.py. Nothing of the candidate is imported or run.
Usage: code_stats.py TREE
"""

import ast
import io
import json
import sys
import tokenize
import warnings

from layout import TooBig, python_files
from placeholders import placeholder_rule

MAX_FILES = 20_000
MAX_BYTES = 512 * 1024 * 1024
MAX_FILE_BYTES = 4 * 1024 * 1024
# The largest reference (sympy) has 20 MB of code.
MAX_CODE_CHARACTERS = 64 * 1024 * 1024

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def main(tree):
    counts = {"files": 0, "loc": 0, "functions": 0, "stubs": 0, "unreadable": 0, "cut": False}
    code, characters = [], 0
    try:
        files = python_files(tree, MAX_FILES, MAX_BYTES)
    except TooBig:
        return {**counts, "cut": True, "code": []}
    for path in files:
        counts["files"] += 1
        try:
            source = read(f"{tree}/{path}")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                parsed = ast.parse(source)
            bare = bare_code(source, docstring_spans(parsed))
            text = "".join(f"{line}\n" for line in bare)
        except (SyntaxError, ValueError, LookupError, RecursionError, MemoryError, OSError, tokenize.TokenError):
            counts["unreadable"] += 1
            continue
        counts["loc"] += len(bare)
        for owner, node in functions_of(parsed):
            counts["functions"] += 1
            counts["stubs"] += placeholder_rule(node, owner) is not None
        if characters + len(text) <= MAX_CODE_CHARACTERS:
            code.append(text)
            characters += len(text)
        else:
            counts["cut"] = True
    return {**counts, "code": code}


def read(path):
    with open(path, "rb") as handle:
        source = handle.read(MAX_FILE_BYTES + 1)
    if len(source) > MAX_FILE_BYTES:
        raise ValueError(f"longer than {MAX_FILE_BYTES} bytes")
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    return io.TextIOWrapper(io.BytesIO(source), encoding).read()


def docstring_spans(parsed):
    """First and last line of every docstring."""
    spans = []
    for node in ast.walk(parsed):
        if isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS)) and ast.get_docstring(node, clean=False) is not None:
            spans.append((node.body[0].lineno, node.body[0].end_lineno))
    return spans


def bare_code(source, docstrings):
    """The lines of a file without comments, docstrings and blank lines; lines inside other strings stay as they are."""
    # Not splitlines: a form feed ends no line for Python.
    lines = source.split("\n")
    inside = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
        elif token.type == tokenize.STRING and token.start[0] != token.end[0]:
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
    gone = {row for first, last in docstrings for row in range(first, last + 1)}
    return [line for row, line in enumerate(lines, 1) if row not in gone and (line.strip() or row in inside)]


def functions_of(parsed):
    """(enclosing class or None, function) for every function and method, nested ones included."""
    waiting = [(None, parsed)]
    while waiting:
        owner, node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, FUNCTIONS):
                yield owner, child
            waiting.append((child if isinstance(child, ast.ClassDef) else owner if not isinstance(node, FUNCTIONS) else None, child))


if __name__ == "__main__":
    json.dump(main(sys.argv[1]), sys.stdout, separators=(",", ":"))
