"""What a test names, changes and makes something else."""

import ast

from demands.acts import act_of, making, setting_all
from demands.set_up import is_row
from phrases.names import NAMING
from source import chain, walk
from syntax import assigned_name, changes_something, is_read, last_name, root_of


def read_assignment(demands, statement):
    value = statement.value
    if demands.is_quiet and value is not None and is_row(value) and not demands.speech.turns:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        demands.rows.append((demands.speech.words(chain(value.func)[-3]), chain(target), value))
    for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
        name = getattr(target, "id", None)
        if value is None:
            continue
        if changes_something(target):
            demands.do(lambda: act_of(demands, statement), [root_of(target)])
        elif isinstance(target, ast.Tuple) and all(map(changes_something, target.elts)):
            demands.do(lambda target=target: setting_all(demands, target, statement.value), [root_of(part) for part in target.elts])
        elif name in demands.carried:
            # It is told of the loop as a whole.
            continue
        elif name in demands.changing and (demands.speech.values.get(name) is not None or name in demands.remade):
            demands.speech.remade.add(name)
            demands.do(lambda name=name: making(demands, name, statement), [name])
        elif isinstance(statement, ast.AugAssign) and name is not None:
            demands.bind(target, ast.BinOp(left=ast.Name(id=name, ctx=ast.Load()), op=statement.op, right=value))
        elif isinstance(statement, ast.AugAssign):
            demands.do(lambda: act_of(demands, statement), [root_of(target)])
        else:
            demands.bind(target, value)


def is_passed_over(demands, statements, place):
    """Whether what a call gave is named and never looked at: that it can be called is asked."""
    statement = statements[place]
    name = assigned_name(statement) if isinstance(statement, ast.Assign) else None
    if name is None or demands.inside or not isinstance(statement.value, ast.Call) or last_name(statement.value) in NAMING or name in demands.changing:
        return False
    for other in statements[place + 1 :]:
        if any(isinstance(node, ast.Name) and node.id == name and is_read(node) for node in walk(other)):
            return False
        if isinstance(other, ast.Assign) and assigned_name(other) == name:
            return True
    return demands.last_read.get(name, 0) <= statement.end_lineno


def changed_inside(statements):
    """Names that are both bound and changed in some statements."""
    bound, changed = set(), set()
    for node in [part for statement in statements for part in walk(statement)]:
        for target in node.targets if isinstance(node, ast.Assign) else []:
            (changed.add(root_of(target)) if changes_something(target) else bound.add(getattr(target, "id", None)))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
            changed.add(root_of(node.value.func))
    return (bound & changed) - {None}
