"""What can be read off the syntax tree of a test: what is a literal, what a name is bound to, what is changed."""

import ast
import copy

from source import FUNCTIONS, chain, walk

DEFINED = (ast.ClassDef, *FUNCTIONS)


class Under(ast.expr):
    """A value that was computed under contexts (`with`)."""

    _fields = ("value", "around")


def path_of(parts):
    """A chain as a key of values; of the test's own object under one name."""
    return ".".join(["self", *parts[1:]] if parts[0] == "cls" else parts)


def root_path(parts):
    """The part of a chain that is the thing itself: a name, or an attribute of the test's own object."""
    return path_of(parts[:2] if parts[0] in ("self", "cls") else parts[:1])


def root_of(node):
    """The name that a chain of attributes, items and calls begins with (`a` of `a.b(1).c[2]`); of the test's own object its attribute."""
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        parts = chain(node)
        if parts:
            return root_path(parts)
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", None)


def closed(value, scope, time):
    """A value with the values of the moment it is bound in. The tree it is from is shared, so that it is a copy."""
    if value is None or isinstance(value, DEFINED) or hasattr(value, "scope"):
        return value
    made = copy.copy(value)
    made.scope, made.time = scope, time
    return made


def last_name(call):
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return getattr(call.func, "id", "")


def is_read(node):
    return isinstance(getattr(node, "ctx", None), ast.Load) and isinstance(node, (ast.Name, ast.Attribute))


def is_empty(node):
    """A list or dictionary without anything in it, which a test fills later."""
    return isinstance(node, ast.List) and not node.elts or isinstance(node, ast.Dict) and not node.keys


def is_literal(node):
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return is_literal(node.operand)
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return all(map(is_literal, node.elts))
    if isinstance(node, ast.Dict):
        return all(key is not None and is_literal(key) for key in node.keys) and all(map(is_literal, node.values))
    return isinstance(node, ast.Constant)


def changes_something(target):
    """Whether what is assigned to is a part of something: an item or attribute, but for those of the test's own object."""
    if isinstance(target, ast.Subscript):
        return True
    return isinstance(target, ast.Attribute) and chain(target.value) not in (["self"], ["cls"])


def changed_roots(node):
    """The names of what statements change: by an item, an attribute or a method."""
    for part in walk(node):
        targets = part.targets if isinstance(part, (ast.Assign, ast.Delete)) else [part.target] if isinstance(part, ast.AugAssign) else []
        yield from (root_of(target) for target in targets if isinstance(target, (ast.Subscript, ast.Attribute)))
        if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call) and isinstance(part.value.func, ast.Attribute):
            yield root_of(part.value.func)


def assigned_name(statement):
    """The one name that a statement assigns."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return getattr(targets[0], "id", None) if len(targets) == 1 else None


def handed_on(loop):
    """The names that a loop counts up, or reads before it assigns them: what a turn finds is of the turn before."""
    read, given, found = set(), set(), []
    raised = [node.target for node in walk(loop) if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)]
    ends = {id(part): (node.end_lineno, node.end_col_offset) for node in walk(loop) if isinstance(node, ast.Assign) for target in node.targets for part in walk(target)}
    # What is assigned is assigned after what it is made of is read.
    for node in sorted((node for node in walk(loop) if isinstance(node, ast.Name)), key=lambda node: ends.get(id(node), (node.lineno, node.col_offset))):
        if isinstance(node.ctx, ast.Load):
            read |= {node.id} - given
        elif node.id in read:
            found.append(node.id)
        elif not any(node is target for target in raised):
            given.add(node.id)
    # What is counted up from what the same turn gave it is handed to nobody.
    return list(dict.fromkeys([*found, *(target.id for target in raised if target.id not in given)]))


def counted_paths(statements):
    """What is added to somewhere in statements (`self.index += 1`)."""
    return {path_of(parts) for statement in statements for node in walk(statement) if isinstance(node, ast.AugAssign) and (parts := chain(node.target))}


def reads_any(value, paths):
    return any(is_read(node) and chain(node) and path_of(chain(node)) in paths for node in walk(value))


def taken_names(statement):
    """Names that a branch makes of something it changes afterwards."""
    counted = counted_paths([statement])
    made = [node for node in walk(statement) if isinstance(node, ast.Assign) and assigned_name(node)]
    return {assigned_name(node) for node in made if reads_any(node.value, counted)}


def renamed(node, name, other):
    """An expression or statement with another name in the place of one; what is as it was is shared."""
    if isinstance(node, ast.Name):
        return ast.copy_location(ast.Name(id=other, ctx=node.ctx), node) if node.id == name else node
    if isinstance(node, list):
        return [renamed(part, name, other) for part in node]
    if not isinstance(node, ast.AST) or isinstance(node, DEFINED):
        return node
    made = type(node)(**{field: renamed(getattr(node, field, None), name, other) for field in node._fields})
    for attribute in ("lineno", "col_offset", "end_lineno", "end_col_offset", "lines"):
        if hasattr(node, attribute):
            setattr(made, attribute, getattr(node, attribute))
    return made
