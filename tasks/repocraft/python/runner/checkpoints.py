"""Puts a checkpoint at the end of test bodies: where the parent is asked, when a body is over, what is to become of it.

It stands in the test file itself and not in a hook around the call: a hook would also be reached when another function,
or no function, was run in the test's place. What must be reached through the body's own statements can only be reached by
executing them.

Lines stay where they are, except below a body that ends in a compound statement (one line more).
"""

import ast

# Names of this form are not mangled inside classes.
NAME = "__checkpoint__"
FORK = "__fork__"
# Where the first call says so the process is copied, here and not below it: what the candidate has hung on a fork is called
# with nothing of the harness's above it. The second call is told in which of the two it is.
CALL = f"{NAME}() and {NAME}({FORK}())"


def with_checkpoints(source, names):
    """The source with every function of these names ending in a checkpoint, before each `return` of its own as well."""
    text = source.encode()
    starts = [0]
    for line in text.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    edits = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in names:
            edits += [(starts[exit.lineno - 1] + exit.col_offset, f"{CALL}; ") for exit in own_returns(node.body)]
            edits.append(at_end(node, text, starts))
    for place, inserted in sorted(edits, reverse=True):
        text = text[:place] + inserted.encode() + text[place:]
    return text.decode()


def at_end(function, text, starts):
    """Where and what to insert after a body's last statement."""
    last = function.body[-1]
    if not hasattr(last, "body") and not isinstance(last, ast.Match):
        return starts[last.end_lineno - 1] + last.end_col_offset, f"; {CALL}"
    place = starts[last.end_lineno]
    first = starts[last.lineno - 1]
    indent = text[first : first + last.col_offset].decode()
    return min(place, len(text)), ("\n" if place > len(text) else "") + f"{indent}{CALL}\n"


def own_returns(body):
    """The `return` statements of a body, not those of functions and classes defined in it."""
    for node in body:
        if isinstance(node, ast.Return):
            yield node
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield from own_returns(ast.iter_child_nodes(node))


def codes_of(code, names):
    """The code objects of functions of these names inside a compiled module."""
    for constant in code.co_consts:
        if hasattr(constant, "co_consts"):
            if constant.co_name in names:
                yield constant
            yield from codes_of(constant, names)
