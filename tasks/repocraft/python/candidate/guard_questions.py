"""Expressions: where a test asks the library, a rewrite may ask in another shape with the same in it; nowhere else."""

import ast
import re
from collections import Counter

from guard_accounts import Refused, Unit, first, is_raises, kind, roots, short, stored_in, variable
from guard_flow import alike, expanded, feeds, single_values
from guard_view import BUILTINS, TestView, chain

SOFT = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)
# Where the library is asked, the shape of the question may differ; nothing else may.
QUESTIONS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Await)
PLAIN = (
    *QUESTIONS,
    *(ast.Constant, ast.keyword, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.Starred, ast.Slice),
    *(ast.UnaryOp, ast.USub, ast.UAdd, ast.Load, ast.Store),
)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
DECIDING = (ast.Compare, ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr, ast.BinOp, *COMPREHENSIONS)
CONDITION = re.compile(r"^(assert_|assert(True|False|IsNot|IsNone|IsNotNone|NotEqual|NotIn))$")
CHECKER = re.compile(r"^_?(assert|check|expect|verify|fail)|^(raises|warns|approx|skip|xfail|importorskip|exit)$|[aA]ssert")
ASSERTING = re.compile(r"^_?assert")
# Exceptions that a wrong call raises by itself: where one of these is expected, only names may change.
RAISED_BY_MISTAKE = {
    *("TypeError", "AttributeError", "NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError"),
    *("Exception", "BaseException"),
}


class Questions:
    """Both texts, and where the comparison has come to."""

    def __init__(self, request):
        self.request, self.candidate = request, request["candidate"]
        self.old = TestView(request["test_code"], request["packages"])
        taken = {module.split(".")[0] for module, _, _ in self.old.other}
        self.new = TestView(request["rewritten"], [name for name in self.candidate["packages"] if name not in taken])
        self.expressions = {ast.dump(node) for node in ast.walk(self.old.tree) if isinstance(node, ast.expr)}
        self.callables, self.classes = set(self.candidate["callables"]), set(self.candidate["classes"])
        self.unit, self.function, self.new_function = Unit(), None, None
        # Only names may change; an exception is expected; within a question, whose whole has been looked at.
        self.only_names, self.raising, self.inside = False, False, False
        # How often each variable stands in the statement that judges: what is expected is not told to the candidate.
        self.judging = Counter()

    def same(self, before, after, judged=False):
        if not isinstance(before, ast.AST) or not isinstance(after, ast.AST):
            if type(before) is not type(after) or before != after:
                raise Refused(*self.changed(before, after, judged))
            return
        if not isinstance(before, (ast.Load, ast.Store, ast.Del)) and not self.old.asks(before, self.function):
            # Targets that hold what the library gave are the same names on both sides.
            if ast.dump(before) != ast.dump(after):
                raise Refused(*self.changed(before, after, judged))
            if self.new.asks(after, self.new_function):
                raise Refused("assertion", "the candidate is asked for what the test says itself", after)
            return
        if isinstance(before, ast.Name) and isinstance(before.ctx, ast.Store):
            if not isinstance(after, ast.Name) or before.id != after.id:
                raise Refused("structure", f"another name than {before.id} gets the value", after)
            return
        if isinstance(before, QUESTIONS) and not self.is_of_others(before):
            return self.question(before, after, judged)
        if type(before) is not type(after):
            raise Refused("assertion" if judged else "structure", f"{kind(after)} in place of {kind(before)}", after)
        if isinstance(before, ast.ExceptHandler):
            self.exception(before.type, after.type)
        if isinstance(before, ast.Call):
            self.exceptions_of(before, after)
            if CONDITION.search((chain(before.func) or [""])[-1]) and before.args and after.args:
                self.truth(before.args[0], after.args[0])
            strict, self.only_names = self.only_names, self.only_names or self.expects_mistake(before)
            self.fields(before, after, judged)
            self.only_names = strict
        else:
            self.fields(before, after, judged)

    def is_of_others(self, node):
        """`abs(question)`, `pytest.raises(Theirs)`: the call itself belongs to the test."""
        return isinstance(node, ast.Call) and (self.old.is_own_call(node) or not self.old.asks(node.func, self.function))

    def question(self, before, after, judged):
        """Where the library is asked: the same shape, or all of its parts in another."""
        if not isinstance(after, QUESTIONS) or not self.new.asks(after, self.new_function):
            raise Refused("assertion", f"{short(after)} does not ask the candidate as {short(before)} asks the library", after)
        if not self.inside:
            if self.names_target(before) and not self.is_reached(after):
                raise Refused("not-called", f"{short(after)} does not use {self.request['located']['name']}", after)
            self.check_uncalled(before, after)
        inside, self.inside = self.inside, True
        is_twin = type(before) is type(after) and self.tries(lambda: self.fields(before, after, judged))
        self.inside = inside
        renamed = chain(before) is not None and chain(after) is not None
        if is_twin and not (isinstance(before, ast.Name) and before.id != after.id):
            return
        if self.only_names and not renamed:
            raise Refused("structure", "only names may change where such an exception is expected", after)
        self.check_plain(after)
        elsewhere = set(self.judging - Counter(map(variable, self.chains_of(before))))
        if told := (self.variables_of(after, self.new) - self.variables_of(before, self.old)) & elsewhere:
            raise Refused("input", f"{first(told)} is handed over, and is what the answer is compared with", after)
        self.enter(before, self.old, self.unit.lost)
        self.enter(after, self.new, self.unit.gained)

    def exceptions_of(self, before, after):
        if is_raises(before) and isinstance(after, ast.Call) and before.args and after.args:
            self.exception(before.args[0], after.args[0])

    def exception(self, before, after):
        """An exception of the candidate may stand for one of the library where its name says the same."""
        if before is None or after is None or not self.old.asks(before, self.function):
            return
        if isinstance(before, ast.Tuple) and isinstance(after, ast.Tuple) and len(before.elts) == len(after.elts):
            for one, other in zip(before.elts, after.elts):
                self.exception(one, other)
            return
        names = [self.leaf(node, view) for node, view in ((before, self.old), (after, self.new))]
        if not all(names) or not alike(*names):
            raise Refused("raises", f"{short(after)} may be wider than {short(before)}", after)

    def leaf(self, node, view):
        links = chain(node)
        if links is None:
            return None
        return (view.path(node) or links[-1]).split(".")[-1]

    def truth(self, before, after):
        """Where the answer itself is the condition: an object that is always true is no answer."""
        if isinstance(before, ast.BoolOp) and isinstance(after, ast.BoolOp):
            for one, other in zip(before.values, after.values):
                self.truth(one, other)
            return
        if isinstance(before, ast.UnaryOp) and isinstance(after, ast.UnaryOp):
            return self.truth(before.operand, after.operand)
        pairs = [(before, after)]
        if isinstance(before, ast.Compare) and isinstance(after, ast.Compare):
            loose = any(isinstance(op, (ast.Is, ast.IsNot, ast.NotEq, ast.NotIn)) for op in before.ops)
            pairs = list(zip([before.left, *before.comparators], [after.left, *after.comparators])) if loose else []
        for one, other in pairs:
            if self.old.asks(one, self.function) and self.steps(other, False) < self.steps(one, True):
                raise Refused("tautology", f"{short(other)} is asserted, which the test only goes through for {short(one)}", other)
            if isinstance(other, ast.Name) and not isinstance(one, ast.Name):
                raise Refused("tautology", f"{other.id} by itself is asserted in place of {short(one)}", other)
            if isinstance(other, ast.Call) and self.leaf(other.func, self.new) in self.classes:
                made = self.leaf(one.func, self.old) if isinstance(one, ast.Call) else None
                if not made or not made[:1].isupper():
                    raise Refused("tautology", f"a new {short(other.func)} is always true", other)

    def steps(self, node, is_old):
        """Calls and attributes on the way to a value, through variables that are given one value: `r.history[0].ok` has two."""
        view, function = (self.old, self.function) if is_old else (self.new, self.new_function)
        node, count = expanded(node, single_values(function)), 0
        while isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)) and view.path(node) is None:
            count += not isinstance(node, ast.Subscript)
            if not isinstance(node, ast.Call):
                node = node.value
            elif isinstance(node.func, ast.Attribute) and view.path(node.func) is None:
                node = node.func.value
            else:
                node = node.args[0] if node.args else None
        return count

    def tautology(self, before, after):
        """Two things compared in the test must not become the same thing."""
        values = [single_values(node) for node in (self.function, self.new_function)]
        for one, other in zip(compared(before), compared(after)):
            was = {ast.dump(expanded(node, values[0])) for node in one}
            now = {ast.dump(expanded(node, values[1])) for node in other}
            if len(now) < len(was):
                raise Refused("tautology", f"{short(other[0])} is compared with itself", after)

    def check_uncalled(self, before, after):
        """A method that is not called is an object, and always true."""
        known = {part.attr for part in ast.walk(before) if isinstance(part, ast.Attribute)}
        inner = {id(part.func) for part in ast.walk(after) if isinstance(part, ast.Call)}
        inner |= {id(part.value) for part in ast.walk(after) if isinstance(part, ast.Attribute)}
        handed_over = any(self.old.path(part) for part in ast.walk(before) if isinstance(part, (ast.Name, ast.Attribute)))
        for part in ast.walk(after):
            if not isinstance(part, (ast.Name, ast.Attribute)) or id(part) in inner:
                continue
            name = self.leaf(part, self.new) or getattr(part, "attr", None)
            is_path = self.new.path(part) is not None
            if name in self.callables and not (is_path and handed_over) and (is_path or name not in known):
                raise Refused("not-called", f"{short(part)} is not called", part)

    def check_plain(self, node):
        """Nothing is computed around a question that the test does not compute."""
        waiting = [node]
        while waiting:
            part = waiting.pop()
            if isinstance(part, ast.expr) and ast.dump(part) in self.expressions:
                continue
            if not isinstance(part, PLAIN + SOFT) or isinstance(part, ast.AugAssign):
                raise Refused("structure", f"{kind(part)} is not in the test", part)
            waiting.extend(ast.iter_child_nodes(part))

    # What is asked with what.

    def enter(self, node, view, account):
        for part in ast.walk(node):
            if isinstance(part, ast.Constant):
                account.constants[repr(part.value)] += 1
        for links in roots(node):
            if links[0] in view.local:
                continue
            if self.is_variable(links[0]):
                account.variables.add(variable(links))
            else:
                account.foreign[".".join(links)] += 1

    def is_variable(self, name):
        if name in ("self", "cls"):
            return True
        foreign = {local for _, _, local in self.old.other} | BUILTINS
        return name not in foreign

    def variables_of(self, node, view):
        found = [links for links in roots(node) if links[0] not in view.local]
        return {variable(links) for links in found if self.is_variable(links[0])}

    def chains_of(self, node):
        """Of the test: what its variables are used for, once for each use."""
        return [links for links in roots(node) if links[0] not in self.old.local and self.is_variable(links[0])]

    def check_flow(self, before, after):
        """A variable of the test is made of what it was made of, and not of another one."""
        was = feeds(before, lambda node: self.variables_of(node, self.old))
        now = feeds(after, lambda node: self.variables_of(node, self.new))
        for name, sources in now.items():
            if name not in was:
                continue
            if strange := {source for source in sources if source in was or source in self.old.words} - was[name] - {name}:
                raise Refused("flow", f"{name} is made of {first(strange)}", after if hasattr(after, "lineno") else None)

    def names_target(self, node):
        return self.request["target"] in self.names_in(node, self.old)

    def is_located(self, node):
        located = self.request["located"]
        return bool({located["name"], located["owner"]} & set(self.names_in(node, self.new)))

    def is_reached(self, node):
        """In the expression, or on the way to a variable that is new in it."""
        if self.is_located(node):
            return True
        fresh = {name for name in self.variables_of(node, self.new) if name not in self.old.words}
        scope = self.new_function
        return scope is not None and any(
            self.is_located(part) for part in ast.walk(scope)
            if isinstance(part, SOFT) and fresh & (set(stored_in(part)) | self.variables_of(part, self.new))
        )

    def names_in(self, node, view):
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute):
                yield part.attr
            elif isinstance(part, ast.Name) and part.id in view.local:
                yield view.local[part.id].split(".")[-1]

    # Trying.

    def tries(self, attempt):
        kept = self.unit.lost.copy(), self.unit.gained.copy(), set(self.unit.known)
        state = self.function, self.new_function, self.only_names, self.inside, self.unit
        try:
            attempt()
            return True
        except Refused:
            self.function, self.new_function, self.only_names, self.inside, self.unit = state
            self.unit.lost, self.unit.gained, self.unit.known = kept
            return False

    def changed(self, before, after, judged):
        if isinstance(before, ast.Constant) or isinstance(after, ast.Constant):
            return "constant", f"{short(after)} in place of {short(before)}", after
        return "assertion" if judged else "structure", f"{short(after)} in place of {short(before)}", after


def compared(node):
    """Pairs of things that are compared: by an operator, or as the first arguments of a checking function."""
    for part in ast.walk(node):
        if isinstance(part, ast.Compare):
            yield [part.left, *part.comparators]
        elif isinstance(part, ast.Call) and len(part.args) > 1:
            yield part.args[:2]
