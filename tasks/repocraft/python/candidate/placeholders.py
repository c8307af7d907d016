"""
What a placeholder is: a function whose body only stands for one. One meaning for everything that counts them: the metric
`stubs` of any candidate (code_stats.py) and the check of a generation (generators/zerorepo/python/verify.py, which finds this file by
the link beside it).

The paper (RPG, arXiv 2509.16198) prints no such count and defines no rule; it shows an agent that simulates operations with
tagged dictionaries instead of doing them. The rules make that countable: empty, not-implemented, constant, tagged-dictionary,
unused-parameters. What is empty by design is none: abstract methods, overloads, methods of protocols.
"""

import ast

# Decorators and a base class of what is empty by design.
ABSTRACT = {"abstractmethod", "abstractproperty", "overload"}
PROTOCOL = "Protocol"
# Keys under which a dictionary names an operation.
TAGS = {"type", "op", "operation", "kind", "tag", "action", "node", "name", "func", "function"}
CONSTANT = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.UnaryOp, ast.USub, ast.Load)
# Made of what was given, without computing anything.
PLAIN = (*CONSTANT, ast.Name, ast.JoinedStr, ast.FormattedValue)


def placeholder_rule(function, owner=None):
    """The rule by which a function is a placeholder, or None. `owner` is the class around it."""
    if is_empty_by_design(function, owner):
        return None
    body = [one for one in function.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    parameters = parameters_of(function)
    if all(isinstance(one, ast.Pass) or (isinstance(one, ast.Return) and one.value is None) for one in body):
        return None if function.name == "__init__" and not parameters else "empty"
    only = body[0] if len(body) == 1 else None
    if isinstance(only, ast.Raise):
        # To refuse every call is something; to say that it is not written yet is not.
        return "not-implemented" if raised(only) in ("NotImplementedError", "NotImplemented") else None
    if names_an_operation(function, body):
        return "tagged-dictionary"
    # What a protocol of Python asks for may well be the same for every argument.
    if not parameters or (function.name.startswith("__") and function.name.endswith("__")):
        return None
    if isinstance(only, ast.Return) and is_made_of(only.value, CONSTANT):
        return "constant"
    used = {one.id for statement in body for one in ast.walk(statement) if isinstance(one, ast.Name)}
    return None if used & (parameters | {"self", "cls", "locals", "super"}) else "unused-parameters"


def is_empty_by_design(function, owner):
    decorators = {last_name(one.func if isinstance(one, ast.Call) else one) for one in function.decorator_list}
    bases = {last_name(base.value if isinstance(base, ast.Subscript) else base) for base in owner.bases} if owner else set()
    return bool(decorators & ABSTRACT) or PROTOCOL in bases


def parameters_of(function):
    """Names of what a caller hands over."""
    args = function.args
    given = args.posonlyargs + args.args + args.kwonlyargs + [one for one in (args.vararg, args.kwarg) if one is not None]
    return {one.arg for one in given} - {"self", "cls"}


def raised(statement):
    exception = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
    return last_name(exception)


def names_an_operation(function, body):
    """{'op': 'add', 'args': [a, b]}, maybe after plain assignments: says what should be computed, and computes nothing."""
    *before, last = body
    if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Dict):
        return False
    pairs = [(getattr(key, "value", None), getattr(item, "value", None)) for key, item in zip(last.value.keys, last.value.values)]
    is_tagged = any(isinstance(text, str) and (key in TAGS or text == function.name) for key, text in pairs)
    is_idle = all(isinstance(one, ast.Assign) and is_made_of(one.value, PLAIN) for one in before)
    return is_tagged and is_idle and all(is_made_of(item, PLAIN) for item in last.value.values)


def is_made_of(value, kinds):
    return all(isinstance(one, kinds) for one in ast.walk(value))


def last_name(node):
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
