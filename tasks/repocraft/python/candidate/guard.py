"""
Judges a rewrite of a test that a model made, without running it: does it still ask the same of the library under test?
Both texts are compared as syntax trees, statement by statement. What does not ask the library has to be the same; where the
library is asked, another shape is allowed (another name, a method for a function, other keywords, a constructor in two
steps), as long as every constant and every variable of the test is still handed over, and nothing else.
Usage: guard.py REQUEST.json, with {"test_code", "rewritten", "packages": [of the reference], "target": name under test,
"located": {name, owner}, "candidate": {packages, modules: {module: {name: where from}}, callables, classes}};
prints {"accepted": true} or {"code", "message"}.
"""

import ast
import json
import re
import sys
from collections import Counter

from flow import alike, expanded, feeds, single_values
from view import BUILTINS, CODING, FUNCTIONS, TestView, chain, names_of, own_attribute

# A rewrite asks the same in other words; it has no reason to be much longer.
MAX_GROWTH = 3
MAX_CHARACTERS = 200_000
SOFT = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)
# Where the library is asked, the shape of the question may differ; nothing else may.
QUESTIONS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Await)
PLAIN = QUESTIONS + (
    *(ast.Constant, ast.keyword, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.Starred, ast.Slice),
    *(ast.UnaryOp, ast.USub, ast.UAdd, ast.Load, ast.Store),
)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
DECIDING = (ast.Compare, ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr, ast.BinOp, *COMPREHENSIONS)
CONDITION = re.compile(r"^(assert_|assert(True|False|IsNot|IsNone|IsNotNone|NotEqual|NotIn))$")
CHECKER = re.compile(r"^_?(assert|check|expect|verify|fail)|^(raises|warns|approx|skip|xfail|importorskip|exit)$|[aA]ssert")
# Exceptions that a wrong call raises by itself: where one of these is expected, only names may change.
RAISED_BY_MISTAKE = {
    *("TypeError", "AttributeError", "NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError"),
    *("Exception", "BaseException"),
}
FREE_CONSTANTS = {"None", "True", "False"}


class Refused(Exception):
    def __init__(self, code, message, node=None):
        where = f"line {node.lineno}: " if hasattr(node, "lineno") else ""
        super().__init__(where + message)
        self.code, self.message = f"guard.{code}", where + message


class Unit:
    """What changed its place between one judged statement and the next: it has to be there before and after."""

    def __init__(self):
        self.lost, self.gained = Account(), Account()
        self.known = set()

    def settle(self, node):
        missing = self.lost.constants - self.gained.constants
        added = self.gained.constants - self.lost.constants
        if missing:
            raise Refused("constant", f"{first(missing)} is missing", node)
        if strange := [text for text in added if text not in FREE_CONSTANTS]:
            raise Refused("constant", f"{strange[0]} is not in the test", node)
        if self.lost.foreign != self.gained.foreign:
            other = (self.gained.foreign - self.lost.foreign) or (self.lost.foreign - self.gained.foreign)
            raise Refused("name", f"{first(other)} is used otherwise than in the test", node)
        if unused := self.lost.variables - self.gained.variables:
            raise Refused("input", f"{first(unused)} is not handed over any more", node)
        if strange := self.gained.variables - self.lost.variables - self.known:
            raise Refused("input", f"{first(strange)} is not handed over in the test", node)


class Account:
    def __init__(self):
        self.constants, self.foreign, self.variables = Counter(), Counter(), set()

    def copy(self):
        other = Account()
        other.constants, other.foreign, other.variables = Counter(self.constants), Counter(self.foreign), set(self.variables)
        return other


class Guard:
    def __init__(self, request):
        self.request, self.candidate = request, request["candidate"]
        self.old = TestView(request["test_code"], request["packages"])
        taken = {module.split(".")[0] for module, _, _ in self.old.other}
        self.new = TestView(request["rewritten"], [name for name in self.candidate["packages"] if name not in taken])
        self.expressions = {ast.dump(node) for node in ast.walk(self.old.tree) if isinstance(node, ast.expr)}
        self.callables, self.classes = set(self.candidate["callables"]), set(self.candidate["classes"])
        self.unit, self.function, self.new_function = Unit(), None, None
        # Only names may change; within a question, whose whole has been looked at.
        self.only_names, self.inside = False, False
        # How often each variable stands in the statement that judges: what is expected is not told to the candidate.
        self.judging = Counter()

    def judge(self):
        self.check_text()
        self.check_imports()
        self.block(self.old.tree.body, self.new.tree.body)
        self.check_names()
        self.check_flow(self.old.tree, self.new.tree)
        if not self.is_located(self.new.tree):
            raise Refused("not-called", f"{self.request['located']['name']} is not used")

    # The whole text.

    def check_text(self):
        before, after = self.request["test_code"], self.request["rewritten"]
        if len(after) > min(MAX_CHARACTERS, MAX_GROWTH * len(before) + 2000):
            raise Refused("size", "it is much longer than the test")
        if CODING.search("\n".join(after.split("\n")[:2])) and not CODING.search("\n".join(before.split("\n")[:2])):
            raise Refused("encoding", "it declares an encoding")

    def check_imports(self):
        for node in self.new.imports:
            for module, name, local in names_of(node):
                if (module, name, local) in self.old.other:
                    continue
                if name == "*" or not self.is_of_candidate(module, name):
                    raise Refused("import", f"{module}{'' if name is None else f'.{name}'} is neither of the candidate nor of the test", node)
                if local in BUILTINS or (local in self.old.words and local not in self.old.local):
                    raise Refused("redefined", f"{local} means something else in the test", node)
        bound = Counter(local for node in self.new.imports for _, _, local in set(names_of(node)))
        for node in ast.walk(self.new.tree):
            for word in bound_words(node):
                if word in self.new.local:
                    raise Refused("redefined", f"{word} is bound anew", node)
        paths = {}
        for node in self.new.imports:
            for module, name, local in names_of(node):
                if bound[local] > 1 and paths.setdefault(local, (module, name)) != (module, name) and name is not None:
                    raise Refused("redefined", f"{local} is imported from two places", node)

    def is_of_candidate(self, module, name):
        """Made in the candidate, as far as its text tells: what it imports from elsewhere is another implementation."""
        modules = self.candidate["modules"]
        if module not in modules:
            return False
        if name is None or f"{module}.{name}" in modules:
            return True
        names = modules[module]
        source = names.get(name, "")
        if source is None:
            return True
        if source:
            return source.split(".")[0] in self.candidate["packages"]
        return any(key.startswith("*") and (key[1:].split(".")[0] in self.candidate["packages"]) for key in names)

    def check_names(self):
        for node in ast.walk(self.new.tree):
            if isinstance(node, ast.Attribute):
                if node.attr.startswith("__") and node.attr not in self.old.words:
                    raise Refused("name", f"{node.attr} is not used in the test", node)
                self.check_path(node)
            if isinstance(node, ast.Name) and node.id in BUILTINS | {"__file__", "__name__"} and node.id not in self.old.words:
                raise Refused("name", f"{node.id} is not used in the test", node)

    def check_path(self, node):
        """`package.os` leads out of the candidate."""
        path = self.new.path(node)
        if path is None:
            return
        parts = path.split(".")
        for cut in range(len(parts) - 1, 0, -1):
            module = ".".join(parts[:cut])
            if module in self.candidate["modules"]:
                if not self.is_of_candidate(module, parts[cut]) and not parts[cut].startswith("__"):
                    raise Refused("import", f"{module}.{parts[cut]} is not made in the candidate", node)
                return

    # Statements.

    def block(self, before, after):
        """Pairs the statements that judge or decide; what stands between them may be said in another way."""
        fixed = [[(place, node) for place, node in enumerate(body) if not self.is_soft(node, view, function)]
                 for body, view, function in ((before, self.old, self.function), (after, self.new, self.new_function))]
        if len(fixed[0]) != len(fixed[1]):
            more = fixed[1] if len(fixed[1]) > len(fixed[0]) else fixed[0]
            raise Refused("structure", f"{len(fixed[1])} statements that judge or decide for {len(fixed[0])}", odd_one(fixed, more))
        left, right = 0, 0
        for (place, node), (there, other) in zip(fixed[0], fixed[1]):
            outer, self.unit = self.unit, Unit()
            self.between(before[left:place], after[right:there])
            self.judging = Counter(map(variable, self.chains_of(node))) if isinstance(node, (ast.Assert, ast.Expr)) else Counter()
            self.statement(node, other)
            self.unit.settle(other)
            self.unit, self.judging = outer, Counter()
            left, right = place + 1, there + 1
        outer, self.unit = self.unit, Unit()
        self.between(before[left:], after[right:])
        self.unit.settle(after[right] if right < len(after) else None)
        self.unit = outer

    def is_soft(self, node, view, function):
        """Asks the library and judges nothing."""
        if not isinstance(node, SOFT) or not view.asks(node, function):
            return False
        for part in ast.walk(node):
            if isinstance(part, DECIDING) and view.asks(part, function):
                return False
            if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not):
                return False
            if isinstance(part, ast.Call) and CHECKER.search((chain(part.func) or [getattr(part.func, "attr", "")])[-1]):
                return False
        is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        return not is_call or view.asks(node.value.func, function)

    def between(self, before, after):
        rest = list(after)
        odd = []
        for node in before:
            match = next((other for other in rest if self.tries(lambda other=other, node=node: self.statement(node, other))), None)
            if match is None:
                odd.append(node)
            else:
                rest.remove(match)
        if (odd or rest) and self.only_names:
            raise Refused("structure", "only names may change where such an exception is expected", (rest or odd)[0])
        stored = {word for node in before for part in ast.walk(node) for word in stored_words(part)}
        self.unit.known |= stored | {name for node in before for name in self.variables_of(node, self.old)}
        for node in odd:
            self.enter(node, self.old, self.unit.lost)
        for node in rest:
            self.added(node, odd)
        kept = {word for node in after for part in ast.walk(node) for word in stored_words(part)}
        if gone := stored - kept:
            raise Refused("structure", f"{first(gone)} gets no value any more", (after or [None])[0])

    def added(self, node, replaced):
        """A statement of the rewrite that has no twin in the test."""
        if isinstance(node, ast.Expr) and not isinstance(node.value, (ast.Call, ast.Await)):
            raise Refused("structure", "a statement without effect", node)
        given = {word for other in replaced for part in ast.walk(other) for word in stored_words(part)}
        for part in ast.walk(node):
            for word in stored_words(part):
                if word in self.old.words and word not in given:
                    raise Refused("redefined", f"{word} gets another value", node)
                if word not in self.old.words:
                    if self.new_function is None or word in BUILTINS or word.startswith(("__", "pytest")):
                        raise Refused("name", f"{word} is new here", node)
                    self.unit.known.add(word)
            if isinstance(part, (ast.Attribute, ast.Subscript)) and isinstance(part.ctx, (ast.Store, ast.Del)):
                base = part.value
                if root_of(base) in self.new.local:
                    raise Refused("redefined", "something of the candidate is replaced", node)
        if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Name, ast.Tuple)) and self.variables_of(node.value, self.new):
            raise Refused("flow", "a variable is given the value of another", node)
        self.check_plain(node)
        self.enter(node, self.new, self.unit.gained)

    def statement(self, before, after):
        if type(before) is not type(after):
            raise Refused("structure", f"{kind(after)} in place of {kind(before)}", after)
        if isinstance(before, FUNCTIONS):
            return self.function_pair(before, after)
        if isinstance(before, (ast.With, ast.AsyncWith)):
            return self.with_pair(before, after)
        if isinstance(before, ast.Assert):
            self.same(before.test, after.test, judged=True)
            self.truth(before.test, after.test)
            self.tautology(before.test, after.test)
            if before.msg is not None and after.msg is not None:
                self.same(before.msg, after.msg)
            return None
        return self.fields(before, after, judged=isinstance(before, ast.Expr))

    def fields(self, before, after, judged=False):
        for field in before._fields:
            if field in ("ctx", "kind", "type_comment", "returns"):
                continue
            one, other = getattr(before, field), getattr(after, field)
            if isinstance(one, list) and any(isinstance(item, ast.stmt) for item in one + other):
                self.block(one, other)
            elif isinstance(one, list):
                if len(one) != len(other):
                    raise Refused("assertion" if judged else "structure", f"another number of {field}", after)
                for each, twin in zip(one, other):
                    self.same(each, twin, judged)
            else:
                self.same(one, other, judged)

    def function_pair(self, before, after):
        if before.name != after.name:
            raise Refused("structure", f"{after.name} in place of {before.name}", after)
        outer = self.function, self.new_function
        for part in ("args", "decorator_list"):
            for one, other in zip(*[value if isinstance(value, list) else [value] for value in (getattr(before, part), getattr(after, part))]):
                self.same(one, other)
        if len(before.decorator_list) != len(after.decorator_list):
            raise Refused("structure", "another number of decorators", after)
        if outer[0] is None:
            self.function, self.new_function = before, after
        self.block(before.body, after.body)
        if outer[0] is None:
            self.check_flow(before, after)
            if self.names_target(before) and not self.is_located(after):
                raise Refused("not-called", f"{self.request['located']['name']} is not used in {after.name}", after)
        self.function, self.new_function = outer

    def with_pair(self, before, after):
        if len(before.items) != len(after.items):
            raise Refused("structure", "another number of contexts", after)
        strict = self.only_names
        for one, other in zip(before.items, after.items):
            self.same(one, other)
            self.only_names |= self.expects_mistake(one.context_expr)
        self.block(before.body, after.body)
        self.only_names = strict

    def expects_mistake(self, node):
        if not isinstance(node, ast.Call) or "aises" not in (chain(node.func) or [""])[-1]:
            return False
        expected = {part.id for item in node.args[:1] + [word.value for word in node.keywords] for part in ast.walk(item) if isinstance(part, ast.Name)}
        return bool(expected & RAISED_BY_MISTAKE)

    # Expressions.

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
        return isinstance(node, ast.Call) and not self.old.asks(node.func, self.function)

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
        if "aises" in (chain(before.func) or [""])[-1] and isinstance(after, ast.Call) and before.args and after.args:
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
            if isinstance(other, ast.Name) and not isinstance(one, ast.Name):
                raise Refused("tautology", f"{other.id} by itself is asserted in place of {short(one)}", other)
            if isinstance(other, ast.Call) and self.leaf(other.func, self.new) in self.classes:
                made = self.leaf(one.func, self.old) if isinstance(one, ast.Call) else None
                if not made or not made[:1].isupper():
                    raise Refused("tautology", f"a new {short(other.func)} is always true", other)

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


def roots(node):
    """Every chain that begins with a name, as its links: `a.b.c` once, not three times."""
    links = chain(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
    if links is not None:
        if isinstance(node, ast.Attribute) or isinstance(node.ctx, ast.Load):
            yield links
        return
    for part in ast.iter_child_nodes(node):
        yield from roots(part)


def variable(links):
    return f"self.{links[1]}" if links[0] in ("self", "cls") and len(links) > 1 else links[0]


def root_of(node):
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def stored_words(node):
    if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
        yield node.id
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and own_attribute(node):
        yield own_attribute(node)


def stored_in(node):
    return [word for part in ast.walk(node) for word in stored_words(part)]


def bound_words(node):
    if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, FUNCTIONS + (ast.ClassDef,)) or (isinstance(node, ast.ExceptHandler) and node.name):
        yield node.name
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names


def compared(node):
    """Pairs of things that are compared: by an operator, or as the first arguments of a checking function."""
    for part in ast.walk(node):
        if isinstance(part, ast.Compare):
            yield [part.left, *part.comparators]
        elif isinstance(part, ast.Call) and len(part.args) > 1:
            yield part.args[:2]


def odd_one(fixed, more):
    shapes = Counter(kind(node) for _, node in (fixed[0] if more is fixed[1] else fixed[1]))
    for _, node in more:
        if not shapes[kind(node)]:
            return node
        shapes[kind(node)] -= 1
    return None


def first(found):
    return sorted(map(str, found))[0]


def kind(node):
    return type(node).__name__


def short(node):
    if isinstance(node, (ast.operator, ast.cmpop, ast.boolop, ast.unaryop)):
        return kind(node)
    try:
        text = ast.unparse(node) if isinstance(node, ast.AST) else repr(node)
    except (ValueError, RecursionError):
        text = kind(node)
    return text if len(text) <= 80 else f"{text[:79]}…"


def main(path):
    with open(path, encoding="utf-8") as handle:
        request = json.load(handle)
    return verdict(request)


def verdict(request):
    try:
        Guard(request).judge()
        return {"accepted": True}
    except Refused as refusal:
        return {"code": refusal.code, "message": refusal.message}
    except (SyntaxError, RecursionError, ValueError, MemoryError) as error:
        return {"code": "guard.syntax", "message": f"{type(error).__name__}: {error}"}


if __name__ == "__main__":
    json.dump(main(sys.argv[1]), sys.stdout)
