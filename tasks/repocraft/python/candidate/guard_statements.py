"""Statements: what judges or decides stands one to one; what only asks may be said in another way in between."""

import ast
import re
from collections import Counter

from guard_accounts import FREE_CONSTANTS, Refused, Unit, first, is_raises, kind, root_of, roots, short, stored_words, variable
from guard_questions import ASSERTING, CHECKER, DECIDING, RAISED_BY_MISTAKE, SOFT, Questions
from guard_view import BUILTINS, FUNCTIONS, chain

# Names the test framework looks for.
SPECIAL = re.compile(r"__|pytest|setup|teardown|setUp|tearDown|test|collect_ignore|load_tests")


class Statements(Questions):
    """Walks both texts side by side."""

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
            if isinstance(part, ast.Call) and (view.is_own_call(part) or self.is_checker(part.func, view, function)):
                return False
        is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        return not is_call or view.asks(node.value.func, function)

    def is_checker(self, node, view, function):
        """By its name; one that the library brings along is called `assert_…`."""
        name = (chain(node) or [getattr(node, "attr", "")])[-1]
        return (ASSERTING if view.asks(node, function) else CHECKER).search(name) is not None

    def between(self, before, after):
        rest = list(after)
        odd = []
        for node in before:
            match = next((other for other in rest if self.tries(lambda other=other, node=node: self.statement(node, other))), None)
            if match is None:
                odd.append(node)
            else:
                rest.remove(match)
        if self.raising and len(after) > len(before):
            raise Refused("raises", "more is done where an exception is expected", rest[0] if rest else after[0])
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
                    if self.new_function is None or word in BUILTINS or SPECIAL.match(word):
                        raise Refused("name", f"{word} is new here", node)
                    self.unit.known.add(word)
            if isinstance(part, (ast.Attribute, ast.Subscript)) and isinstance(part.ctx, (ast.Store, ast.Del)):
                self.check_set(part, node)
        if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Name, ast.Tuple)) and self.variables_of(node.value, self.new):
            raise Refused("flow", "a variable is given the value of another", node)
        self.check_plain(node)
        self.enter(node, self.new, self.unit.gained)

    def check_set(self, target, node):
        """`cart.discount = 0.25` says what a constructor was told; it must not be what the test looks at afterwards."""
        if root_of(target.value) in self.new.local:
            raise Refused("redefined", "something of the candidate is replaced", node)
        read = {
            part.attr
            for part in ast.walk(self.new_function or self.new.tree)
            if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Load)
        }
        said = [part for part in ast.walk(node) if isinstance(part, ast.Constant) and repr(part.value) not in FREE_CONSTANTS]
        if getattr(target, "attr", None) in read or not (said or self.variables_of(node.value, self.new)):
            raise Refused("redefined", f"{short(target)} is given a value by the test itself", node)

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
        paths = [
            {".".join([view.local[links[0]], *links[1:]]) for item in node.decorator_list for links in roots(item) if links[0] in view.local}
            for node, view in ((before, self.old), (after, self.new))
        ]
        if len(paths[1]) < len(paths[0]):
            raise Refused("tautology", "several symbols became one", after)
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
        outer = self.only_names, self.raising
        for one, other in zip(before.items, after.items):
            self.same(one, other)
            self.only_names |= self.expects_mistake(one.context_expr)
            self.raising |= is_raises(one.context_expr)
        self.block(before.body, after.body)
        self.only_names, self.raising = outer

    def expects_mistake(self, node):
        if not is_raises(node):
            return False
        items = node.args[:1] + [word.value for word in node.keywords]
        expected = {part.id for item in items for part in ast.walk(item) if isinstance(part, ast.Name)}
        return bool(expected & RAISED_BY_MISTAKE)


def odd_one(fixed, more):
    shapes = Counter(kind(node) for _, node in (fixed[0] if more is fixed[1] else fixed[1]))
    for _, node in more:
        if not shapes[kind(node)]:
            return node
        shapes[kind(node)] -= 1
    return None
