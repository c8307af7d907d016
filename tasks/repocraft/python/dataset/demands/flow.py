"""Loops, conditions and attempts of a test: what is asserted in their turns, where they hold, and where they fail."""

import ast

from clauses import Heading
from demands.acts import act_of
from demands.assertions import say_condition
from demands.assignments import changed_inside
from demands.checks import is_check, is_failing
from demands.refusals import say_exception
from doings import in_a_row
from phrases.steps import say_made
from source import walk
from syntax import assigned_name, handed_on


def read_on(demands, statement, rest):
    condition, done = say_condition(demands, statement.test), list(demands.done)
    demands.read_where(f"where {condition}", statement.body)
    demands.done = done
    demands.closing = ""
    demands.read_where(f"unless {condition}", rest)


def read_branch(demands, statement):
    holds = demands.speech.truth(statement.test) if demands.inside else None
    if holds is not None:
        return demands.read(statement.body if holds else statement.orelse)
    since, done, before = demands.speech.clock, list(demands.done), demands.speech.values
    condition, changing = say_condition(demands, statement.test), demands.changing
    demands.changing = changing | {name for name in changed_inside([statement]) if before.get(name) is not None}
    said = len(demands.clauses)
    demands.read_where(f"where {condition}", statement.body)
    # Of what was said last.
    last = demands.clauses[-1].under if len(demands.clauses) > said else ()
    is_told_apart = len(last) == len(demands.under) + 1
    demands.gather(Heading(since, f"where {condition}", is_condition=True), done)
    done, bound, demands.speech.values = list(demands.done), demands.speech.values, before
    if statement.orelse:
        left = "otherwise" if is_told_apart else f"unless {condition}"
        demands.read_under(Heading(demands.speech.clock, left, is_condition=True, is_else=True), statement.orelse)
    demands.gather(Heading(since, f"unless {condition}", is_condition=True), done)
    demands.changing = changing
    demands.speech.choose(statement.test, before, bound)
    return None


def read_try(demands, statement):
    """What is tried holds; what is checked where it fails holds on other machines, or is all there is to check."""
    checks = any(map(is_check, walk(ast.Module(body=statement.body, type_ignores=[]))))
    kinds = [handler.type for handler in statement.handlers if handler.type is not None]
    fails = [node for part in (statement.body, statement.orelse) for inner in part for node in walk(inner) if is_failing(node)]
    if fails and kinds:
        acts = [act_of(demands, inner) for inner in statement.body if not any(map(is_failing, walk(inner)))]
        names = " or ".join(say_exception(demands, kind) for kind in kinds)
        demands.note(f"{'; '.join(act.text for act in acts if act) or 'it'} is refused with {names}")
        for handler in statement.handlers:
            demands.speech.told.add(handler.name)
            demands.read(handler.body)
        return
    passed_over = [handler.type for handler in statement.handlers if handler.type is not None and all(isinstance(inner, (ast.Pass, ast.Continue)) for inner in handler.body)]
    names = [name for name in (say_exception(demands, one) for one in passed_over) if name not in ("ImportError", "ModuleNotFoundError")]
    if names:
        demands.read_where(f"unless that is refused with {' or '.join(names)}", statement.body)
    else:
        demands.read(statement.body)
    if not checks:
        for handler in statement.handlers:
            demands.speech.told.add(handler.name)
            demands.read_where(f"where that is refused with {say_exception(demands, handler.type) if handler.type else 'an exception'}", handler.body)
    demands.read(statement.orelse)
    demands.read(statement.finalbody)


def read_loop(demands, loop):
    since, done = demands.speech.clock, list(demands.done)
    names = [node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)]
    turns = f"for each {' and '.join(map(demands.speech.words, names))} of {demands.speech.say(loop.iter, 1)}"
    carried, changing = [name for name in handed_on(loop) if name not in names], demands.changing
    outside = demands.carried
    checks = [node.lineno for node in walk(loop) if is_check(node)]
    if checks:
        # What is made something else before it is looked at is told where that is done.
        before = {name for name in carried if demands.speech.values.get(name) is not None and made_at(loop, name) < min(checks)}
        turns += carried_over(demands, loop, dict.fromkeys(carried), before)
        demands.carried = demands.carried | (set(carried) - before)
        demands.changing = changing | before
        demands.remade = demands.remade | before
    else:
        demands.changing = changing | {name for name in carried if demands.speech.values.get(name) is not None}
    demands.speech.bind(loop.target, None)
    demands.speech.told |= set(names)
    demands.speech.turns.append(demands.speech.clock)
    demands.read_under(Heading(demands.speech.clock, turns, is_loop=True), loop.body)
    demands.speech.turns.pop()
    if checks:
        end_turn(demands, done)
    demands.gather(Heading(since, turns, is_loop=True), done)
    demands.changing, demands.carried = changing, outside


def end_turn(demands, done):
    """What is done after the last look of a turn, for the next one."""
    inner = [act for act in demands.done if act not in done]
    last = [act for act in inner if not act.is_quiet]
    if last:
        demands.done = [act for act in demands.done if act not in last]
        closing, demands.closing = demands.closing, ""
        doings = [deed.doing for deed in map(demands.tell, last) if deed]
        demands.note(f"at the end of each turn {in_a_row(doings)}" if doings else "")
        demands.closing = closing


def carried_over(demands, loop, names, before):
    """What a counter, and what one turn leaves for the next, is at first and after each turn."""
    told, assigned = [], {}
    for node in walk(loop):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []:
            if isinstance(target, ast.Name):
                assigned[target.id] = node
    for name in names:
        first, word = demands.speech.values.get(name), demands.speech.words(name)
        node = assigned.get(name)
        if first is None or node is None:
            demands.speech.give(name, None)
            continue
        start = demands.speech.meaning(first)
        if name in before:
            told.append(f"{word} being {start} at first")
            continue
        values = {**demands.speech.values, **dict.fromkeys(assigned)}
        demands.speech.told |= set(assigned)
        with demands.speech.moment(values, demands.speech.clock):
            after = say_made(demands.speech, node, name, demands.speech.say(node.value, 1))
        told.append(f"{word} being {start} at first and {after} after each turn")
    demands.speech.told -= set(assigned) - set(names)
    for name in names:
        demands.speech.give(name, None)
        demands.speech.told.add(name)
    return f", {', '.join(told)}" if told else ""


def ends_test(statement):
    """Whether a condition ends a test or a turn early, so that nothing is asserted where it holds but what stands before."""
    return isinstance(statement, ast.If) and not statement.orelse and isinstance(statement.body[-1], (ast.Return, ast.Continue))


def made_at(loop, name):
    """The line at which a loop makes a name something else."""
    return min((node.lineno for node in walk(loop) if isinstance(node, (ast.Assign, ast.AugAssign)) and assigned_name(node) == name), default=0)
