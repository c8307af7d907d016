"""Expressions of a test in words: its variables opened, its literals as they are written, names without those of the project."""

import ast
import builtins
import re
from collections import Counter
from contextlib import contextmanager

from clauses import Meaning
from doings import Single
from marks import UNSAID, is_unsaid
from phrases.calls import doing_of, say_call
from phrases.containers import say_awaited, say_comprehension, say_elements, say_item, say_mapping, say_slice, say_unpacked
from phrases.definitions import say_class, say_function, say_kinds, say_lambda, say_outline
from phrases.literals import say_composed, say_literal
from phrases.names import is_fleeting, say_attribute, say_name
from phrases.operators import say_choice, say_combination, say_comparison, say_operation, say_sign, say_under
from phrases.room import DEEPEST, LONGEST_CLASS, LONGEST_DEFINED, LONGEST_PHRASE, LONGEST_SHORTENED, LONGEST_SIDES, LONGEST_TEXT, MOST_INTRODUCED, WIDE, WIDEST
from source import FUNCTIONS, chain, walk
from syntax import DEFINED, Under, closed, is_literal, is_read, path_of, root_path

# Names that mean the same in every file.
BUILTINS = {*dir(builtins), "self", "cls", "request", "__file__", "__name__"}


class Speech:
    """Says expressions of one test. `values` holds what its names stand for at that place; None where that cannot be said.

    What a name is bound to keeps the values of that moment (`scope`) and its place in the order of the test (`time`): it is
    said with those, and only where they still hold it is said in the place of the name.
    """

    def __init__(self, module, wording, values=None):
        self.module = module
        self.wording = wording
        self.values = dict(values or {})
        # Bindings and acts in the order of the test, and which of them changed what.
        self.clock = 0
        self.touches = []
        # Names of what is changed anywhere, and names that a loop or a condition makes something else.
        self.changed, self.remade = set(), set()
        # The moment of which is spoken; None for now. The values there, and the times of what is being opened.
        self.at = None
        self.here = self.values
        self.opening = []
        self.within = None
        self.is_stale = False
        # Names bound inside an expression; names whose meaning a heading tells; names that mean nothing to a reader.
        self.inner_names = frozenset()
        # When the loops began that are read.
        self.turns = []
        # The arguments of the function that is told, and the names a loop of it makes something else in each turn.
        self.own_names = self.carried = frozenset()
        # Names that are spelled, since in words they would be those of another.
        self.spelling = frozenset()
        # Whether a text is only kept somewhere, so that any would do.
        self.is_held = False
        # What several modules have under one name.
        self.qualified = frozenset()
        # What is both a function and an attribute.
        self.doubled = frozenset()
        self.told = {*BUILTINS, *module.imported_names()}
        self.unbound = set()
        self.mentions = set()
        # How often each name is read: what is read once is opened where it stands, the rest is introduced once. As what the
        # reader knows each, and what is to be explained.
        self.reads = Counter()
        self.introduced = {}
        self.pending = []
        # What the clause at hand explains already.
        self.explaining = set()
        # Characters of one written text, and parts of one list.
        self.longest_text, self.widest = LONGEST_TEXT, WIDEST
        # Names of whole libraries: no receiver of a call.
        self.libraries = {name for name, found in module.bindings.items() if isinstance(found[0][0], ast.Import)}
        # What a name is called where it is from.
        imported = ((name, found[0][1]) for name, found in module.bindings.items() if isinstance(found[0][0], ast.ImportFrom))
        self.aliases = {name: alias.name for name, alias in imported if alias is not None and alias.asname}

    def is_library(self, name):
        return name in self.libraries and name not in self.values

    def bind(self, target, value):
        """Notes what an assignment binds; of several names at once what part of the whole each is."""
        self.clock += 1
        self.bind_in(target, value, self.values)

    def bind_in(self, target, value, scope):
        parts = chain(target)
        if parts:
            self.give(path_of(parts), value, scope)
        elif not isinstance(target, (ast.Tuple, ast.List)):
            return
        elif isinstance(value, (ast.Tuple, ast.List)) and len(target.elts) == len(value.elts):
            for name, element in zip(target.elts, value.elts):
                self.bind_in(name, element, scope)
        else:
            for node in walk(target):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    self.give(node.id, None, scope)
            whole = self.whole_of(target, value, scope)
            for place, name in enumerate(target.elts):
                if isinstance(name, ast.Starred) or value is None:
                    break
                item = ast.Subscript(value=value, slice=ast.Constant(value=place), ctx=ast.Load())
                item.whole = whole
                self.bind_in(name, item, scope)

    def whole_of(self, target, value, scope):
        """What several names are parts of, where it is another thing each time it is written: told once for all of them."""
        if not isinstance(value, ast.Call) or not all(isinstance(name, ast.Name) for name in target.elts):
            return None
        return (tuple(name.id for name in target.elts), closed(value, scope, self.clock)) if is_fleeting(self, value) else None

    def give(self, path, value, scope=None):
        """Another value for a name. What was made of the one before goes on speaking of that."""
        self.values = {**self.values, path: closed(value, self.values if scope is None else scope, self.clock)}

    def touch(self, root):
        """Notes that a thing was changed, under whatever name."""
        for _ in range(4):
            if root is None:
                return
            self.touches.append((self.clock, root))
            parts = chain(self.values.get(root))
            root = root_path(parts) if parts else None

    def changed_since(self, root, time):
        until = self.clock if self.at is None else self.at
        return any(time < when <= until and touched == root for when, touched in self.touches)

    @contextmanager
    def moment(self, values, time):
        """What is said inside is said of an earlier moment."""
        outside = self.values, self.at, self.here, self.opening, self.within, self.inner_names
        self.values, self.at, self.opening, self.within, self.inner_names = values, time, [], None, frozenset()
        yield
        self.values, self.at, self.here, self.opening, self.within, self.inner_names = outside

    def value_of(self, node):
        """What a name stands for, followed to an expression that is no name; the node itself where that is not known."""
        scope = self.values
        for _ in range(6):
            parts = chain(node)
            found = scope.get(path_of(parts)) if parts and parts[0] not in self.inner_names else None
            if found is None:
                return node
            node, scope = found, getattr(found, "scope", scope)
        return node

    def say(self, node, depth=0, longest=LONGEST_PHRASE):
        return self.fitting(node, lambda level: self.said(node, level), len, depth, longest)

    def doing(self, node, depth=0):
        """What an expression does that stands alone, as data where it is a call."""

        def speak(level):
            return doing_of(self, node, level) if isinstance(node, ast.Call) else Single(self.said(node, level))

        return self.fitting(node, speak, lambda doing: len(doing.text), depth)

    def fitting(self, node, speak, length, depth, longest=LONGEST_PHRASE):
        """As much as there is room for: where it is too long, the ends of its texts go, then the innermost level, then the next."""
        pending = list(self.pending)
        outside, wide, part = self.longest_text, self.widest, self.longest_text if is_literal(node) else min(self.longest_text, longest // 3)
        for level, self.longest_text, self.widest in [(depth, outside, WIDEST), *((level, part, WIDE) for level in range(depth, DEEPEST + 1))]:
            self.pending = list(pending)
            found = speak(level)
            if length(found) <= longest:
                break
        self.longest_text, self.widest = outside, wide
        return found

    def say_both(self, left, right):
        """Two sides of a relation; where they read alike, in full. None where they still do."""
        # What the one leaves free the other may take.
        sides = [self.say(left, 0, LONGEST_SIDES), self.say(right, 0, LONGEST_SIDES)]
        if sum(map(len, sides)) > LONGEST_SIDES:
            shorter = min((0, 1), key=lambda side: len(sides[side]))
            room = max(LONGEST_SIDES - len(sides[shorter]), LONGEST_SIDES // 2)
            sides = [self.say(node, 0, LONGEST_SIDES // 2 if side == shorter else room) for side, node in enumerate((left, right))]
        if sides[0] == sides[1]:
            sides = [self.said(left, -2), self.said(right, -2)]
        return None if sides[0] == sides[1] else tuple(sides)

    def said(self, node, depth):
        if hasattr(node, "scope") and node is not self.within:
            return self.said_there(node, depth)
        if is_literal(node):
            return say_literal(self, node)
        parts = chain(node)
        if parts:
            return say_name(self, node, parts, depth)
        for kind, speak in SPEAKERS.items():
            if isinstance(node, kind):
                return speak(self, node, depth)
        return UNSAID

    def said_there(self, node, depth):
        """A value with what the names in it stood for when it was bound."""
        outside = self.values, self.within, self.inner_names
        if not self.opening:
            self.here = self.values
        self.told |= getattr(node, "told", set())
        self.values, self.within, self.inner_names = node.scope, node, frozenset()
        self.opening.append(node.time)
        text = self.said(node, depth)
        self.opening.pop()
        self.values, self.within, self.inner_names = outside
        return text

    def opened(self, found, depth):
        """A value in the place of its name; None where a name in it means something else by now, or was changed since."""
        pending, mentions, unbound = list(self.pending), set(self.mentions), set(self.unbound)
        outside, self.is_stale = self.is_stale, False
        text = self.inner(found, depth)
        is_stale, self.is_stale = self.is_stale, outside
        if is_stale:
            self.pending, self.mentions, self.unbound = pending, mentions, unbound
        return None if is_stale else text

    def mention(self, path, root):
        """Notes that a name is said as such."""
        self.mentions.add(root)
        if not self.opening:
            return
        if self.here.get(path) is not self.values.get(path) or self.changed_since(root, self.opening[-1]):
            self.is_stale = True

    def forget(self):
        """Nobody has read the names that were said since the last time: they are introduced when they are said again."""
        self.pending, self.mentions, self.unbound = [], set(), set()

    def meaning(self, value, longest=LONGEST_PHRASE):
        """What a name was bound to, in words of that moment."""
        if isinstance(value, ast.ClassDef) and value.end_lineno - value.lineno > LONGEST_CLASS:
            return say_outline(self, value)
        longest = max(longest, LONGEST_DEFINED) if isinstance(value, DEFINED) else longest
        with self.moment(getattr(value, "scope", self.values), getattr(value, "time", 0)):
            return self.say(value, 1, longest)

    def introduce(self, path, value):
        """Has a name explained before what is said, where the reader does not know it as that."""
        words = self.words(path.rpartition(".")[2])
        if getattr(value, "whole", None) is not None:
            self.introduced[path] = value
            names, value = value.whole
            path, words = ", ".join(names), f"({', '.join(map(self.words, names))})"
        is_known = self.introduced.get(path) is value or id(value) in self.explaining
        if not is_known and all(entry[2] is not value for entry in self.pending):
            self.pending.append((path, words, value))

    def explore(self):
        """Finds the names that the meanings of names speak of."""
        for place in range(1000):
            if place >= len(self.pending):
                break
            self.meaning(self.pending[place][2])

    def differs(self, value):
        """Whether something a value is made of was changed since, or its name is known to mean something else now."""
        for node in walk(value):
            parts = chain(node) if is_read(node) else None
            root = root_path(parts) if parts else None
            if root and (self.changed_since(root, value.time) or self.values.get(root) is not value.scope.get(root) and (root in self.introduced or any(root == path for path, _, _ in self.pending))):
                return True
        return False

    def truth(self, node):
        """Whether a condition holds at this place; None where that is not known."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            holds = self.truth(node.operand)
            return None if holds is None else not holds
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)) and getattr(node.comparators[0], "value", 1) is None:
            found = self.value_of(node.left)
            is_known = isinstance(found, (ast.Constant, ast.List, ast.Dict, ast.Tuple, ast.Lambda, *DEFINED))
            is_none = isinstance(found, ast.Constant) and found.value is None
            return is_none == isinstance(node.ops[0], ast.Is) if is_known else None
        found = self.value_of(node)
        return bool(found.value) if isinstance(found, ast.Constant) else None

    def introductions(self, room, since=None):
        """What the names mean that were said since the last time, the ones they are made of first, in so many characters.

        Where they are too long, what is defined goes before what is computed, and long values are said shorter before they go.
        What has gone is introduced when it is said again. With `since` only those that were bound after that time.
        """
        found, later, outside = [], [], set(self.explaining)
        while self.pending and len(found) < MOST_INTRODUCED:
            path, word, value = self.pending.pop(0)
            if since is not None and getattr(value, "time", 0) <= since:
                later.append((path, word, value))
                continue
            if id(value) in self.explaining:
                continue
            self.explaining.add(id(value))
            text = self.meaning(value)
            is_new = text not in (word, f"{word}()")
            if not is_unsaid(text) and not self.gives_away(text) and is_new:
                found.insert(0, [f"{word} being {text}", path, word, value])
            elif is_new:
                self.unbound.add(path)
        while found and sum(len(entry[0]) + 2 for entry in found) > room:
            longest = max(found, key=lambda entry: (isinstance(entry[3], DEFINED), len(entry[0])))
            is_defined = isinstance(longest[3], DEFINED)
            shorter = f"{longest[2]} being {say_outline(self, longest[3]) if is_defined else self.meaning(longest[3], LONGEST_SHORTENED)}"
            if len(shorter) < len(longest[0]):
                longest[0] = shorter
            else:
                found.remove(longest)
                self.unbound.add(longest[1])
        self.unbound |= {path for path, _, _ in self.pending}
        self.pending, self.explaining = later, outside
        # What a file binds is bound before everything else, in the order of its lines.
        found.sort(key=lambda entry: (entry[3].time, 0) if hasattr(entry[3], "time") else (0, getattr(entry[3], "lineno", 0)))
        # Of a name that was explained twice, the last meaning is what it goes on to stand for.
        self.introduced.update((path, value) for _, path, _, value in found)
        return [Meaning(getattr(value, "time", 0), text, self.kind_of(word, value) if isinstance(value, ast.ClassDef) else text, value) for text, _, word, value in found]

    def kind_of(self, word, defined):
        """What a class is a kind of, without what it sets and does; nobody hears it now."""
        outside = list(self.pending), set(self.mentions), set(self.unbound)
        with self.moment(getattr(defined, "scope", self.values), getattr(defined, "time", 0)):
            text = f"{word} being {say_kinds(self, defined)}"
        self.pending, self.mentions, self.unbound = outside
        return text

    @contextmanager
    def apart(self):
        """What is said inside is explained inside."""
        pending, self.pending = self.pending, []
        yield
        self.pending = pending + self.pending

    def inner(self, node, depth):
        return self.said(node, depth + 1)

    def gives_away(self, text):
        return self.wording.gives_away(text)

    def words(self, name):
        if (len(name) <= 2 or len(name) == 3 and sum(map(str.isupper, name)) > 1 or name in self.spelling) and name.isidentifier() and not self.gives_away(name):
            return name
        if (re.fullmatch(r"__\w+__", name) and name != "__init__" or "__" in name.strip("_")) and not self.gives_away(name):
            # What is looked through is spelled.
            return name
        return self.wording.spoken(name) or self.wording.replacements.get(name.lower(), UNSAID)

    def spelled(self, name):
        """A name that the test gives, and the library reads: no word of it is said in full."""
        return name if name.startswith("_") and not self.gives_away(name) or name.isalpha() and not self.gives_away(name) else self.words(name)

    def choose(self, test, before, bound):
        """Of a name that stands for one thing where a condition holds, and else for another, both."""
        for name, value in bound.items():
            other = self.values.get(name) if self.values.get(name) is not value else before.get(name)
            # It may go through something, and be made something else there.
            is_either = value is not other and (other is not None or name in self.told)
            if value is not None and is_either and not isinstance(value, DEFINED) and not isinstance(other, DEFINED):
                # The condition is of the values before it; what stays as it was is spoken of by its name.
                if other is None or other is before.get(name) and "." not in name:
                    other = closed(ast.Name(id=name, ctx=ast.Load()), before if other is not None else {**before, name: None}, self.clock)
                self.give(name, ast.IfExp(test=closed(test, before, self.clock), body=value, orelse=other))
            elif value is not None and name not in self.values:
                self.give(name, value)


# Of the nodes that are neither literals nor names.
SPEAKERS = {
    ast.Attribute: say_attribute, ast.Call: say_call, ast.BinOp: say_operation, ast.UnaryOp: say_sign, ast.Compare: say_comparison,
    ast.BoolOp: say_combination, ast.IfExp: say_choice, Under: say_under, ast.Subscript: say_item, ast.Slice: say_slice,
    (ast.List, ast.Tuple, ast.Set): say_elements, ast.Dict: say_mapping, ast.Starred: say_unpacked, ast.Await: say_awaited,
    (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp): say_comprehension, ast.JoinedStr: say_composed,
    ast.Lambda: say_lambda, ast.ClassDef: say_class, FUNCTIONS: say_function,
}  # fmt: skip
