"""What counts as a check of a test, and what must not be reached."""

import ast
import re

from source import FUNCTIONS, walk
from syntax import last_name


def is_check(node):
    if isinstance(node, ast.Assert):
        return True
    return isinstance(node, ast.Call) and bool(re.match(r"assert|raises$|warns$|eq_$", last_name(node)))


def is_checking(statement):
    """Whether a statement inside a block that has to fail is a check of its own."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and re.match("assert|eq_$", last_name(statement.value)):
        return True
    return isinstance(statement, (ast.Assert, *FUNCTIONS)) or isinstance(statement, ast.With) and any(map(is_check, walk(statement)))


def is_failing(node):
    """Whether a statement says that it must not be reached."""
    if isinstance(node, ast.Raise):
        return isinstance(node.exc, ast.Call) and last_name(node.exc) == "AssertionError"
    return isinstance(node, ast.Call) and last_name(node) == "fail" or isinstance(node, ast.Assert) and getattr(node.test, "value", None) is False
