"""Expressions of a test in words: its variables opened, its literals as they are written, names without those of the project."""

import ast
import builtins
import copy
import datetime
import re
from collections import Counter
from contextlib import contextmanager

from clauses import Meaning
from source import FUNCTIONS, chain, walk

# Of a literal as much is said as a reader takes in; the rest is counted.
LONGEST_LITERAL = 900
LONGEST_TEXT = 600
UNSAID = "a certain value"
# Stands where something was left out; nothing that an outcome may hang on is left out of a description.
CUT = "…\ue000"
LONGEST_PHRASE = 1200
LONGEST_SIDES = 1600
SHORT = 24
MOST_INTRODUCED = 32
DEEPEST = 14
WIDE = 24
WIDEST = 80
LONGEST_BODY = 1200
LONGEST_DEFINED = 2000
LONGEST_SHORTENED = 240
# Lines of a class that there is room for in no description.
LONGEST_CLASS = 80
AS_KIND = {"list": "list", "tuple": "tuple", "set": "set", "dict": "dictionary", "int": "integer", "float": "float", "bool": "truth value"}
OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Mod: "%", ast.FloorDiv: "//", ast.MatMult: "@",
    ast.BitOr: "|", ast.BitAnd: "&", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
BINDING = {kind: 3 if kind is ast.Pow else 2 if kind in (ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.MatMult) else 1 for kind in OPERATORS}
# What these make is called like the variable it is put into.
NAMING = {"Symbol", "symbols", "Function", "Dummy", "Wild", "MatrixSymbol", "IndexedBase", "Idx", "dynamicsymbols", "ReadySymbol", "Var", "Integer"}
# … and nothing more is to be said of these.
PLAIN_NAMES = {"Symbol", "symbols", "var", "Var", "ReadySymbol", "Integer"}
SIGNS = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not "}
# Wrappers that say how a value is held, not which.
HOLDERS = {"array", "asarray", "asanyarray"}
# Methods of numpy's functions, which say nothing without them.
OF_FUNCTIONS = {"outer", "reduce", "accumulate", "reduceat", "at"}
# Modules of libraries that need not be named; what else a function is taken of is said.
MODULES = {"random", "linalg", "testing", "special", "fft", "sparse", "stats", "path", "ma", "signal", "optimize", "spatial", "np", "numpy", "tools", "api"}
JOINING = {"r_": "the concatenation", "c_": "the columns"}
# Names that mean the same in every file.
BUILTINS = {*dir(builtins), "self", "cls", "request", "__file__", "__name__"}
# What is drawn at random is another thing each time it is written.
DRAWS = re.compile(r"^(rand\w*|choices?|sample|shuffle|permutation|uniform|\w*normal\w*|exponential|poisson|binomial|gamma|beta|standard_\w+|bytes|chisquare|gumbel|laplace|logistic|multinomial|dirichlet|rvs|integers)$")
GENERATORS = {"RandomState", "default_rng", "Random", "Generator"}
JOINED = re.compile(r" [-+*/%@|&^<>]+ ")


class Under(ast.expr):
    """A value that was computed under contexts (`with`)."""

    _fields = ("value", "around")


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
            for place, name in enumerate(target.elts):
                if isinstance(name, ast.Starred) or value is None:
                    break
                self.bind_in(name, ast.Subscript(value=value, slice=ast.Constant(value=place), ctx=ast.Load()), scope)

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
        """As much as there is room for: where it is too long, the ends of its texts go, then the innermost level, then the next."""
        pending = list(self.pending)
        outside, wide, part = self.longest_text, self.widest, self.longest_text if is_literal(node) else min(self.longest_text, longest // 3)
        for level, self.longest_text, self.widest in [(depth, outside, WIDEST), *((level, part, WIDE) for level in range(depth, DEEPEST + 1))]:
            self.pending = list(pending)
            text = self.said(node, level)
            if len(text) <= longest:
                break
        self.longest_text, self.widest = outside, wide
        return text

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
            return self.literal(node)
        parts = chain(node)
        if parts:
            return self.name(node, parts, depth)
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
            return self.outline(value)
        longest = max(longest, LONGEST_DEFINED) if isinstance(value, DEFINED) else longest
        with self.moment(getattr(value, "scope", self.values), getattr(value, "time", 0)):
            return self.say(value, 1, longest)

    def introduce(self, path, value):
        """Has a name explained before what is said, where the reader does not know it as that."""
        is_known = self.introduced.get(path) is value or id(value) in self.explaining
        if not is_known and all(entry[2] is not value for entry in self.pending):
            self.pending.append((path, self.words(path.rpartition(".")[2]), value))

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
            if UNSAID not in text and not self.gives_away(text) and is_new:
                found.insert(0, [f"{word} being {text}", path, word, value])
            elif is_new:
                self.unbound.add(path)
        while found and sum(len(entry[0]) + 2 for entry in found) > room:
            longest = max(found, key=lambda entry: (isinstance(entry[3], DEFINED), len(entry[0])))
            is_defined = isinstance(longest[3], DEFINED)
            shorter = f"{longest[2]} being {self.outline(longest[3]) if is_defined else self.meaning(longest[3], LONGEST_SHORTENED)}"
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
            text = f"{word} being {self.kinds(defined)}"
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

    def literal(self, node):
        text = self.written(node)
        if not self.is_held and isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.lower() in self.wording.giving_away:
            # It is a name that something goes by.
            return f"a given text{CUT}"
        if any(isinstance(key, ast.Constant) and self.gives_away(str(key.value)) for part in walk(node) if isinstance(part, ast.Dict) for key in part.keys):
            return f"a given text{CUT}"
        if self.gives_away(text):
            text = self.wording.disguised(text)
        if self.gives_away(text):
            return f"a given text{CUT}"
        first = node.elts[0] if isinstance(node, ast.Tuple) and node.elts else None
        if hasattr(node, "lineno") and first is not None and (first.lineno, first.col_offset) == (node.lineno, node.col_offset):
            # It is written without brackets.
            text = f"({text})"
        if len(text) <= (self.longest_text if isinstance(node, ast.Constant) else LONGEST_LITERAL):
            return {"None": "none", "True": "true", "False": "false"}.get(text, text)
        if isinstance(node, ast.Constant):
            return text[: self.longest_text] + CUT
        parts = [self.wording.disguised(self.written(part)) for part in getattr(node, "elts", None) or [] if part is not None]
        parts = parts or [self.wording.disguised(f"{self.written(key)}: {self.written(value)}") for key, value in zip(getattr(node, "keys", []), getattr(node, "values", [])) if key]
        shown, room = [], LONGEST_LITERAL - 40
        for text in parts:
            if len(text) + 2 > room:
                break
            shown.append(text)
            room -= len(text) + 2
        return f"{len(parts)} given values{' from ' if shown else ''}{', '.join(shown)}{CUT}"

    def gives_away(self, text):
        return self.wording.gives_away(text)

    def written(self, node):
        """A literal's own text, on one line."""
        if not hasattr(node, "lineno") or any(map(is_folded, walk(node))):
            return ast.unparse(node)
        first, last = node.lineno - 1, node.end_lineno - 1
        if first == last:
            line = getattr(node, "lines", self.module.lines)[first].encode("utf-8")
            return line[node.col_offset : node.end_col_offset].decode("utf-8")
        lines = [line.encode("utf-8") for line in getattr(node, "lines", self.module.lines)[first : last + 1]]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        spoken = " ".join(re.sub(r"(^|\s)#.*$", "", line.decode("utf-8")).strip() if first != last else line.decode("utf-8") for line in lines)
        return re.sub(r"\s+", " ", spoken).replace("[ ", "[").replace("( ", "(").replace(", ]", "]").replace(" ]", "]")

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

    def name(self, node, parts, depth):
        path, root = path_of(parts), root_path(parts)
        found = None if parts[0] in self.inner_names else self.values.get(path)
        # A name that meant more before is explained again.
        if found is not None and (not names_itself(found, parts[-1]) or self.introduced.get(path) not in (None, found)):
            # What was changed is no longer what it was bound to; what cannot be changed is.
            is_fixed = isinstance(found, (ast.Constant, ast.UnaryOp, ast.Tuple)) and is_literal(found) and path not in self.remade
            is_as_bound = is_fixed or not self.changed_since(root, getattr(found, "time", 0))
            # A list that is changed somewhere is spoken of by its name.
            is_kept = is_empty(found) or isinstance(found, (ast.List, ast.Dict, ast.Set)) and root in self.changed
            is_short = is_literal(found) and len(self.literal(found)) <= SHORT
            is_before = bool(self.turns) and getattr(found, "time", 0) <= self.turns[-1] and any(isinstance(part, ast.Call) for part in walk(found))
            is_once = self.reads[path] <= 1 and not is_before and depth < DEEPEST and not isinstance(found, DEFINED) and not is_drawn(found)
            is_alias = chain(found) is not None and (len(chain(found)) == 1 or root not in self.changed)
            if is_alias or is_as_bound and not is_kept and (is_short or is_once):
                text = self.opened(found, depth)
                if text is not None:
                    return text
            self.introduce(path, found)
            self.mention(path, root)
            return self.words(parts[-1])
        if len(parts) > 1 and isinstance(node, ast.Attribute) and depth < DEEPEST:
            held = self.held(node)
            if held is not None:
                return self.inner(held, depth)
        if len(parts) == 1 or self.is_library(parts[0]) or parts[0] in ("self", "cls") and len(parts) == 2:
            if parts[0] not in self.inner_names:
                self.mention(path, root)
                if found is None and path not in self.told and parts[0] not in self.told and (len(parts) == 1 or path in self.values):
                    self.unbound.add(path)
                if found is None and path in self.aliases:
                    return self.words(self.aliases[path])
                if path not in self.values and isinstance(getattr(builtins, path, None), type(len)):
                    return f"the function {path}"
            if len(parts) > 2 and parts[-2][:1].isupper():
                return f"{self.words(parts[-1])} of {self.words(parts[-2])}"
            return self.words(parts[-1])
        return f"{self.part_named(parts[-1])} of {self.thing(node.value, depth)}"

    def part_named(self, name):
        """An attribute; said to be one where a function goes by its name."""
        return f"attribute {self.words(name)}" if name in self.doubled else self.words(name)

    def held(self, node):
        """The literal that an attribute holds of an object whose class is the tests' own (expected figures in a file of results)."""
        made = self.value_of(node.value)
        name = (chain(made.func if isinstance(made, ast.Call) else made) or [None])[-1]
        owner = made if isinstance(made, ast.ClassDef) else self.values.get(name)
        if not isinstance(owner, ast.ClassDef) or not self.is_of_tests(owner):
            return None
        for statement in walk(owner):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else None
            is_it = isinstance(target, ast.Name) and target.id == node.attr or chain(target) in (["self", node.attr], ["cls", node.attr])
            if target is not None and is_it:
                value = statement.value
                while isinstance(value, ast.Call) and (chain(value.func) or [""])[-1] in HOLDERS and value.args:
                    value = value.args[0]
                return value if is_literal(value) else None
        return None

    def is_of_tests(self, owner):
        """Whether a class has nothing of the library: its bases are the tests' own as well."""
        bases = [self.value_of(base) for base in owner.bases if getattr(base, "id", None) != "object"]
        return all(isinstance(base, ast.ClassDef) and base is not owner and self.is_of_tests(base) for base in bases)

    def attribute(self, node, depth):
        return f"{self.part_named(node.attr)} of {self.thing(node.value, depth)}"

    def call(self, node, depth):
        parts = chain(node.func)
        last = parts[-1] if parts else getattr(node.func, "attr", None)
        if last is None:
            return self.result(self.inner(node.func, depth), node, depth)
        only = node.args[0] if len(node.args) == 1 and not node.keywords else None
        is_plain = parts is not None and (len(parts) == 1 or self.is_library(parts[0]) and not is_of_a_part(parts))
        if is_plain and only is not None:
            if last == "len":
                return f"the length of {self.inner(only, depth)}"
            if last in AS_KIND and len(parts) == 1:
                return f"{self.inner(only, depth)} as a {AS_KIND[last]}"
            if last == "str":
                return f"the text of {self.inner(only, depth)}"
            if last in HOLDERS and len(parts) > 1:
                text = self.said(only, depth)
                if isinstance(only, ast.Constant):
                    return f"a 0-d array of {text}"
                # What is compared with is compared by its values; what is handed over is an array.
                return text if depth == 0 else f"an array {text}" if text.startswith("[") else f"{'an array' if last == 'array' else last} of {text}"
        if depth >= DEEPEST:
            return self.words(last) + (CUT if node.args or node.keywords else "")
        if last == "hasattr" and len(node.args) == 2:
            return f"whether {self.inner(node.args[0], depth)} has {self.inner(node.args[1], depth)}"
        called = self.values.get(last) if parts and len(parts) == 1 and last not in self.inner_names else None
        word = self.words(self.aliases.get(last, last) if called is None and parts and len(parts) == 1 else last)
        if parts and len(parts) == 2 and parts[0] in ("self", "cls") and isinstance(self.values.get(path_of(parts)), FUNCTIONS):
            # A method of the test's own class.
            return self.result(self.name(node.func, parts, depth), node, depth)
        if isinstance(called, DEFINED) or chain(called):
            word = self.name(node.func, parts, depth)
        elif called is not None and not names_itself(called, last):
            return self.result(self.name(node.func, parts, depth), node, depth)
        word = f"nd{word}" if last == "array" and parts and parts[0] in ("np", "numpy") else word
        given = self.arguments(node, depth)
        if parts and last in self.qualified and len(parts) > 1:
            word = f"{word} of {self.words(parts[-2])}"
        if is_plain and (len(parts) < 3 or parts[-2] in MODULES or parts[-2] in self.libraries):
            made = with_article(word) if last[:1].isupper() or last == "object" else word
            if given:
                return f"{word}{given if given.startswith('(') and not self.is_single(node) else f'({given})'}"
            return made if made != word else f"{made}()"
        if parts and last[:1].isupper() and not given:
            return f"{self.words(last)}() of {self.thing(node.func.value, depth)}"
        receiver = self.thing(node.func.value, depth)
        receiver = f"({receiver})" if " given " in receiver else receiver
        return f"{self.words(last)} of {receiver} given {given}" if given else f"{self.words(last)}() of {receiver}"

    def is_single(self, node):
        """Whether a call has one argument that is not in brackets by itself."""
        return len(node.args) == 1 and not node.keywords and not isinstance(self.value_of(node.args[0]), (ast.Tuple, ast.BinOp))

    def result(self, text, node, depth):
        given = self.arguments(node, depth)
        if " " not in text:
            return f"{text}{given}" if is_several(node) and given.startswith("(") or given.startswith("((") else f"{text}({given})"
        return f"what {text} gives for {given}" if given else f"what calling {text} gives"

    def arguments(self, node, depth):
        named = [f"{self.keyword(keyword.arg)} {self.inner(keyword.value, depth)}" for keyword in node.keywords if keyword.arg]
        unpacked = [f"all of {self.inner(keyword.value, depth)}" for keyword in node.keywords if not keyword.arg]
        every = [self.inner(argument, depth) for argument in node.args] + named + unpacked
        most = self.widest
        shown = every[:most] + ([] if len(every) <= most else [CUT])
        if len(shown) == 1 and node.args:
            return self.alone(node.args[0], shown[0])
        return f"({', '.join(shown)})" if len(shown) > 1 else "".join(shown)

    def keyword(self, name):
        """The name of an argument, in its spelling where words would lose it."""
        return name if name != name.lower() and not self.gives_away(name) else self.words(name)

    def alone(self, node, text):
        """The only argument of a call: in brackets where it is a tuple or computed, or the call would seem to end before it does."""
        opened = self.value_of(node)
        is_joined = isinstance(opened, ast.BinOp) and bool(JOINED.search(text))
        is_tuple = isinstance(opened, ast.Tuple) and text.startswith("(")
        return f"({text})" if is_joined or is_tuple else text

    def joined(self, node, depth):
        operator = OPERATORS.get(type(node.op), "with")
        sides = [self.operand(side, node, depth) for side in (node.left, node.right)]
        return f"{sides[0]} {operator} {sides[1]}"

    def operand(self, side, node, depth):
        text = self.said(side, depth)
        # A name may be opened where it stands.
        opened = side if isinstance(side, ast.BinOp) else self.value_of(side)
        is_joined = isinstance(opened, ast.BinOp) and bool(JOINED.search(text))
        looser = is_joined and (BINDING[type(opened.op)] < BINDING[type(node.op)] or side is node.right or isinstance(node.op, ast.Pow))
        return f"({text})" if looser or " of " in text or " gives " in text else text

    def thing(self, node, depth):
        """What something is taken of: in brackets where it is computed by operators."""
        text = self.inner(node, depth)
        return f"({text})" if isinstance(self.value_of(node), ast.BinOp) and JOINED.search(text) else text

    def signed(self, node, depth):
        text = self.said(node.operand, depth)
        told = SIGNS[type(node.op)] + (f"({text})" if " " in text else text)
        return f"({told})" if isinstance(node.op, ast.Not) else told

    def class_body(self, node, depth):
        """A class a test defines: what it is a kind of, and what it sets."""
        text = self.kinds(node)
        inner = [member for member in node.body if isinstance(member, (ast.Assign, ast.ClassDef)) and named(member)]
        sets = [f"{self.spelled(named(member))} {self.member(member, max(2, depth))}" for member in inner[:WIDE]]
        does = [self.method(member, depth) for member in node.body if isinstance(member, FUNCTIONS)][:WIDE]
        text += f" with {', '.join(sets)}" if sets else ""
        return text + (f" that has its own {', '.join(does)}" if does else "")

    def member(self, node, depth):
        text = self.said(getattr(node, "value", node), depth)
        return f"({text})" if isinstance(node, ast.ClassDef) else text

    def outline(self, node):
        """A class a test defines by the names of what it has; a function not at all."""
        if not isinstance(node, ast.ClassDef):
            return self.meaning(node)
        names = [self.words(named(member)) for member in node.body if isinstance(member, (ast.Assign, ast.ClassDef)) and named(member)]
        return self.kinds(node) + (f" with {', '.join(names)}" if names else "")

    def kinds(self, node):
        return f"a kind of {' and '.join(self.said(base, DEEPEST) for base in node.bases) or 'object'}"

    def method(self, node, depth):
        does, given = self.doing(node, depth), self.taken(node)
        is_property = any(getattr(decorator, "id", None) == "property" for decorator in node.decorator_list)
        named = f"{'property ' if is_property else ''}{'async ' if isinstance(node, ast.AsyncFunctionDef) else ''}{self.spelled(node.name)}{f' of ({given})' if given else ''}"
        return f"{named} ({does})" if does else named

    def taken(self, node):
        """The arguments of a function, with what they are by default."""
        every = node.args.posonlyargs + node.args.args
        defaults = dict(zip([argument.arg for argument in every][len(every) - len(node.args.defaults) :], node.args.defaults))
        defaults |= {argument.arg: value for argument, value in zip(node.args.kwonlyargs, node.args.kw_defaults) if value is not None}
        names = [argument.arg for argument in [*every, *node.args.kwonlyargs] if argument.arg not in ("self", "cls")]
        told = [self.words(name) + (f" ({self.said(defaults[name], DEEPEST)} by default)" if name in defaults else "") for name in names]
        told += [f"{stars}{self.words(argument.arg)}" for stars, argument in (("*", node.args.vararg), ("**", node.args.kwarg)) if argument is not None]
        return ", ".join(told)

    def function_body(self, node, depth):
        """A function a test defines: what it takes, and what it gives."""
        does, given = self.doing(node, depth), self.taken(node)
        kind = "an async function" if isinstance(node, ast.AsyncFunctionDef) else "a function"
        return kind + (f" of {given}" if given else "") + (f" that {does}" if does else "")

    def doing(self, node, depth):
        """What a function gives, raises or does, as far as there is room; its own names are known inside only."""
        own = {argument.arg for argument in walk(node.args) if isinstance(argument, ast.arg)}
        since, pending = self.clock, list(self.pending)
        outside = self.values, self.told, self.reads, self.touches, dict(self.introduced), set(self.unbound)
        outer, self.own_names = (self.own_names, self.carried, self.changed), own
        self.carried, self.changed = frozenset(), self.changed | set(changed_roots(node))
        self.values = {name: value for name, value in self.values.items() if name not in own}
        self.told, self.touches = self.told | own, list(self.touches)
        self.reads = Counter(".".join(parts) for parts in (chain(part) for part in walk(node) if is_read(part)) if parts) | self.reads
        told, is_whole = [], True
        for text in self.steps(node.body, depth, since):
            if UNSAID in text or len(text) + sum(map(len, told)) > LONGEST_BODY:
                is_whole = False
                break
            told.append(text)
        self.values, self.told, self.reads, self.touches, self.introduced, self.unbound = outside
        self.own_names, self.carried, self.changed = outer
        if not is_whole and isinstance(node, ast.FunctionDef) and self.values.get(node.name) is node:
            # Nobody can say what it gives.
            self.unbound.add(node.name)
        if not is_whole:
            told.append(CUT)
        # What is defined outside is explained outside.
        self.pending = pending + [entry for entry in self.pending if entry not in pending and getattr(entry[2], "time", 0) <= since]
        return one_after_another(told)

    def steps(self, body, depth, since):
        """What statements of a function do, in their order, with what its own names mean there and the conditions they stand under."""
        found = []
        for place, statement in enumerate(body):
            if sum(map(len, found)) > LONGEST_BODY:
                # There is no room for the rest.
                break
            value, text = getattr(statement, "value", None), ""
            if isinstance(statement, ast.If):
                self.carried, around = self.carried | taken_names(statement), self.carried
                ends = isinstance(statement.body[-1], (ast.Return, ast.Raise, ast.Break, ast.Continue))
                rest = statement.orelse or (body[place + 1 :] if ends else [])
                condition, before = self.inner(statement.test, depth), self.values
                first = self.steps(statement.body, depth, since)
                bound, self.values = self.values, before
                second = self.steps(rest, depth, since)
                self.choose(statement.test, before, bound)
                self.carried = around
                told = [f"where {condition}: {one_after_another(first)}"] if first else []
                told += [f"{'otherwise: ' if first else f'unless {condition}: '}{one_after_another(second)}"] if second else []
                text = ", ".join(told)
                if ends and not statement.orelse:
                    return [*found, *([self.explained(text, since)] if text else [])]
            elif isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
                text = self.in_turns(statement, depth)
            elif isinstance(statement, (ast.With, ast.AsyncWith, ast.Try)):
                found += self.steps(statement.body, depth, since)
            elif isinstance(statement, (ast.Assign, ast.AugAssign)):
                text = self.assigned(statement, body[place + 1 :], depth)
            elif isinstance(statement, DEFINED):
                self.bind(ast.Name(id=statement.name, ctx=ast.Store()), statement)
            elif isinstance(statement, ast.AnnAssign) and value is not None:
                self.bind(statement.target, value)
            elif isinstance(statement, ast.Delete):
                text = "deletes " + " and ".join(self.inner(target, depth) for target in statement.targets)
                for target in statement.targets:
                    self.touch(root_of(target))
            elif isinstance(statement, ast.Assert):
                text = f"requires that {self.inner(statement.test, depth)}"
            elif isinstance(statement, (ast.Break, ast.Continue)):
                text = "goes no further" if isinstance(statement, ast.Break) else "goes on with the next"
            elif isinstance(statement, ast.Return) and value is not None:
                text = f"gives {self.inner(value, depth)}"
            elif isinstance(statement, ast.Expr) and isinstance(value, ast.Yield) and value.value is not None:
                text = f"yields {self.inner(value.value, depth)}"
            elif isinstance(statement, ast.Expr) and isinstance(value, ast.YieldFrom):
                text = f"yields all of {self.inner(value.value, depth)}"
            elif isinstance(statement, ast.Raise) and statement.exc is not None:
                text = f"raises {self.inner(statement.exc, depth)}"
            elif isinstance(statement, ast.Expr) and isinstance(value, ast.Call):
                text = f"does {self.inner(value, depth)}"
                self.clock += 1
                self.touch(root_of(value.func))
            if text:
                found.append(self.explained(text, since))
        return found

    def in_turns(self, loop, depth):
        """What a loop of a function does, with what its turns hand on."""
        names = [part.id for part in walk(loop.target) if isinstance(part, ast.Name)] if hasattr(loop, "target") else []
        turn = f"for each {' and '.join(map(self.words, names))} of {self.inner(loop.iter, depth)}" if names else ""
        carried = {name for name in handed_on(loop) if self.values.get(name) is not None or name in self.own_names or name in self.carried}
        starts = [f"{self.words(name)} being {self.meaning(self.values[name])} at first" for name in sorted(carried) if self.values.get(name) is not None]
        outside, self.carried = self.carried, self.carried | carried
        self.told = self.told | set(names) | carried
        self.values = {**self.values, **dict.fromkeys([*names, *carried])}
        turn = turn or f"while {self.inner(getattr(loop, 'test', loop), depth)}"
        told = self.steps(loop.body, depth, self.clock)
        self.carried = outside
        return f"{', '.join([turn, *starts])}: {one_after_another(told)}" if told else CUT

    def assigned(self, statement, rest, depth):
        """What an assignment of a function does; empty where it only names something."""
        value, name, is_counted = statement.value, assigned_name(statement), isinstance(statement, ast.AugAssign)
        target = statement.target if is_counted else statement.targets[0]
        if not is_counted and isinstance(target, (ast.Subscript, ast.Attribute)):
            text = f"sets {self.part_set(target, depth)} to {self.inner(value, depth)}"
            self.clock += 1
            self.touch(root_of(target))
            return text
        if name in self.carried:
            text = f"makes {self.words(name)} {self.made(statement, name, self.inner(value, depth))}"
            self.clock += 1
            self.tell_as_name(name)
            return text
        if is_counted and name is None:
            changed = self.inner(target, depth)
            return f"sets {changed} to {changed} {OPERATORS.get(type(statement.op), 'with')} {self.inner(value, depth)}"
        if is_counted and name in self.own_names:
            # It may be the thing of whoever called.
            return f"changes {self.words(name)} by {OPERATORS.get(type(statement.op), 'with')} {self.inner(value, depth)}"
        if is_counted:
            self.bind(target, ast.BinOp(left=ast.Name(id=name, ctx=ast.Load()), op=statement.op, right=value))
        elif name is not None and reads_any(value, counted_paths(rest)):
            text = f"takes {self.words(name)} as {self.inner(value, depth)}"
            self.tell_as_name(name)
            return text
        else:
            self.bind(target, value)
        return ""

    def tell_as_name(self, name):
        """From here on a name is spoken of as such."""
        self.values = {**self.values, name: None}
        self.told = self.told | {name}

    def made(self, statement, name, text):
        """What an assignment makes of a name: what is assigned, or the name and what is added to it."""
        return f"{self.words(name)} {OPERATORS.get(type(statement.op), 'with')} {text}" if isinstance(statement, ast.AugAssign) else text

    def explained(self, text, since):
        """A step with what the function's own names mean that it speaks of."""
        meanings = [meaning.text for meaning in self.introductions(LONGEST_BODY, since)]
        return f"with {', '.join(meanings)}: {text}" if meanings else text

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

    def part_set(self, target, depth):
        """What a method sets; of its own object by the name that is given to it."""
        parts = chain(target)
        return self.spelled(parts[1]) if parts and len(parts) == 2 and parts[0] == "self" else self.inner(target, depth)

    def item(self, node, depth):
        joining = (chain(node.value) or [""])[-1]
        if joining in JOINING:
            return f"{JOINING[joining]} of {self.inner(node.slice, depth)}"
        place = self.inner(node.slice, depth)
        if joining == "s_":
            return f"the slice {place}"
        if isinstance(node.slice, ast.Tuple) and not is_literal(node.slice) and place.startswith("("):
            place = f"[{place[1:-1]}]"
        kind = "items" if isinstance(node.slice, ast.Slice) else "items at" if isinstance(node.slice, ast.List) else "item"
        held = self.inner(node.value, depth)
        is_joined = isinstance(self.value_of(node.value), ast.BinOp) and bool(JOINED.search(held))
        return f"{kind} {place} of {f'({held})' if is_joined else held}"

    def composed(self, node, depth):
        parts = [self.filled_in(part, depth) if isinstance(part, ast.FormattedValue) else str(part.value) for part in node.values]
        text = "".join(parts).replace("\n", "\\n")
        return f'"{text}"' if len(text) <= LONGEST_LITERAL and not self.gives_away(text) else f"a text{CUT}"

    def filled_in(self, part, depth):
        """What a place of a composed text holds: a text that is known, or what is computed, in braces."""
        value = self.value_of(part.value)
        form = "".join(str(getattr(piece, "value", "?")) for piece in part.format_spec.values) if part.format_spec else ""
        is_known = isinstance(value, ast.Constant) and (isinstance(value.value, str) and not form or type(value.value) is int and form in ("", "d"))
        return str(value.value) if is_known else f"{{{self.inner(part.value, depth)}}}"

    def unpacked(self, node, depth):
        return f"all of {self.inner(node.value, depth)}"

    def awaited(self, node, depth):
        return self.inner(node.value, depth)

    def computed_under(self, node, depth):
        return f"({self.inner(node.value, depth)} under {' and '.join(self.inner(part, depth) for part in node.around)})"

    def chosen(self, node, depth):
        condition = self.said(node.test, depth)
        when = "" if condition == UNSAID else f" where {condition}"
        return f"({self.inner(node.body, depth)}{when}, else {self.inner(node.orelse, depth)})"

    def combined(self, node, depth):
        if isinstance(node.op, ast.Or) and len(node.values) == 2 and self.truth(node.values[0]) is False:
            return self.inner(node.values[1], depth)
        return (" and " if isinstance(node.op, ast.And) else " or ").join(self.inner(value, depth) for value in node.values)

    def part(self, node, depth):
        ends = [self.inner(end, depth) if end else "" for end in (node.lower, node.upper)]
        step = f":{self.inner(node.step, depth)}" if node.step else ""
        return f"{ends[0]}:{ends[1]}{step}"

    def several(self, node, depth):
        every = [self.inner(element, depth) for element in node.elts[: self.widest]]
        text = f"{', '.join(every)}{f', {CUT}' if len(node.elts) > self.widest else ''}"
        if isinstance(node, ast.Tuple):
            return f"({text},)" if len(every) == 1 else f"({text})"
        return f"{{{text}}}" if isinstance(node, ast.Set) else f"[{text}]"

    def mapping(self, node, depth):
        pairs = [f"{self.inner(key, depth) if key else 'more'}: {self.inner(value, depth)}" for key, value in zip(node.keys, node.values)]
        return "{" + ", ".join(pairs[: self.widest] + ([CUT] if len(pairs) > self.widest else [])) + "}"

    def each(self, node, depth):
        turns, outside = [], self.inner_names
        for generator in node.generators:
            names = [part.id for part in walk(generator.target) if isinstance(part, ast.Name)]
            turn = f"for each {' and '.join(map(self.words, names))} of {self.inner(generator.iter, depth)}"
            # Its names are its own.
            self.inner_names |= set(names)
            conditions = [self.said(condition, depth) for condition in generator.ifs]
            turns.append(turn + (f" where {' and '.join(conditions)}" if conditions else ""))
        self.turns.append(self.clock)
        made = [self.inner(part, depth) for part in ([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])]
        self.turns.pop()
        self.inner_names = outside
        text = f"{': '.join(made)} {' '.join(turns)}"
        if isinstance(node, ast.ListComp):
            return f"[{text}]"
        return text if isinstance(node, ast.GeneratorExp) else f"{{{text}}}"

    def compared(self, node, depth):
        parts = [f"{RELATION[type(op)]} {self.inner(right, depth)}" for op, right in zip(node.ops, node.comparators)]
        text = " ".join([self.inner(node.left, depth), *parts])
        return f"({text})" if depth > 0 else text

    def function(self, node, depth):
        outside, given = self.inner_names, [argument.arg for argument in node.args.posonlyargs + node.args.args]
        self.inner_names |= set(given)
        text = self.inner(node.body, depth)
        self.inner_names = outside
        return "a function" + (f" of {', '.join(map(self.words, given))}" if given else "") + f" that gives {text}"


RELATION = {
    ast.Eq: "is", ast.NotEq: "is not", ast.Lt: "is less than", ast.LtE: "is at most", ast.Gt: "is greater than",
    ast.GtE: "is at least", ast.In: "is in", ast.NotIn: "is not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
SPEAKERS = {
    ast.Attribute: Speech.attribute, ast.Call: Speech.call, ast.BinOp: Speech.joined, ast.UnaryOp: Speech.signed,
    ast.Subscript: Speech.item, ast.Slice: Speech.part, (ast.List, ast.Tuple, ast.Set): Speech.several, ast.Dict: Speech.mapping,
    (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp): Speech.each, ast.Compare: Speech.compared, ast.Lambda: Speech.function,
    ast.ClassDef: Speech.class_body, FUNCTIONS: Speech.function_body, ast.JoinedStr: Speech.composed, ast.Starred: Speech.unpacked, ast.Await: Speech.awaited, ast.IfExp: Speech.chosen, Under: Speech.computed_under, ast.BoolOp: Speech.combined,
}  # fmt: skip


DEFINED = (ast.ClassDef, *FUNCTIONS)


def path_of(parts):
    """A chain as a key of values; of the test's own object under one name."""
    return ".".join(["self", *parts[1:]] if parts[0] == "cls" else parts)


def root_path(parts):
    """The part of a chain that is the thing itself: a name, or an attribute of the test's own object."""
    return path_of(parts[:2] if parts[0] in ("self", "cls") else parts[:1])


def closed(value, scope, time):
    """A value with the values of the moment it is bound in. The tree it is from is shared, so that it is a copy."""
    if value is None or isinstance(value, DEFINED) or hasattr(value, "scope"):
        return value
    made = copy.copy(value)
    made.scope, made.time = scope, time
    return made


def is_drawn(value):
    """Whether a value is a draw at random, or what it is drawn from, so that its place matters."""
    calls = [node.func for node in walk(value) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    if any((chain(function) or [])[-2:] == ["objects", "create"] for function in calls):
        # A row is there from when it is made.
        return True
    if isinstance(value, ast.Call) and (chain(value.func) or [getattr(value.func, "attr", "")])[-1] in ("copy", "deepcopy"):
        # A copy is of the moment it is made at.
        return True
    return any(DRAWS.match(function.attr) for function in calls) or isinstance(value, ast.Call) and (chain(value.func) or [""])[-1] in GENERATORS


def named(member):
    """The name a statement of a class's body binds; None for `a.b = …` and the like."""
    return member.name if isinstance(member, ast.ClassDef) else getattr(member.targets[0], "id", None)


def names_itself(value, name):
    """Whether a value says no more than its name: a symbol without assumptions, also as one of several."""
    place = None
    if isinstance(value, ast.Subscript):
        value, place = value.value, getattr(value.slice, "value", None)
    if isinstance(value, ast.Call) and value.args and isinstance(value.args[0], ast.Constant) and isinstance(value.args[0].value, str) and ":" not in value.args[0].value:
        words = re.split(r"[\s,]+", value.args[0].value.strip(" ,"))
        if place is None and len(words) == 1 and words[0] != name or isinstance(place, int) and -len(words) <= place < len(words) and words[place] != name:
            return False
    if not isinstance(value, ast.Call) or len(value.args) > 1 and (chain(value.func) or [""])[-1] != "map" or value.keywords:
        return False
    made = (chain(value.func) or [""])[-1]
    if made in PLAIN_NAMES and not (value.args and isinstance(value.args[0], (ast.Constant, ast.Tuple, ast.List))):
        return False
    return made in PLAIN_NAMES or made == "map" and bool(value.args) and (chain(value.args[0]) or [""])[-1] in PLAIN_NAMES


def spelled_names(nodes, wording):
    """Names whose words are those of another name too, but for case and underscores: a class and a function, a value and another.

    A thing that is called like its class is told from it by its place.
    """
    parts = [part for node in nodes for part in walk(node)]
    names = {part.id if isinstance(part, ast.Name) else part.attr for part in parts if isinstance(part, ast.Name) or is_of_library(part)}
    attributes = {part.attr for part in parts if isinstance(part, ast.Attribute)}
    cased = frozenset(name for name in attributes for other in attributes if name != other and name.lower() == other.lower())
    bound = {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    bound |= {part.arg for part in parts if isinstance(part, ast.arg)}
    alike = {}
    for name in sorted(names):
        alike.setdefault(wording.name(name).lower(), []).append(name)
    groups = [[name for name in group if name not in bound or not any(other[:1].isupper() for other in group)] for group in alike.values()]
    cased |= {name for name in names if name != name.lower() and hasattr(datetime, name.lower())}
    return cased | frozenset(name for group in groups if len(group) > 1 for name in group)


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


def one_after_another(steps):
    """Steps in a row; one with a condition or in turns ends with its bracket, where another follows."""
    is_one = len(steps) < 2
    return " and ".join(f"({step})" if not is_one and re.match("where |unless |for each |while |with ", step) else step for step in steps)


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


def qualified_names(nodes):
    """Classes and functions of one name that are read from several modules."""
    found = {}
    for part in (part for node in nodes for part in walk(node)):
        parts = chain(part) if isinstance(part, ast.Attribute) else None
        if parts and len(parts) > 1 and parts[-1][:1].isupper():
            found.setdefault(parts[-1], set()).add(parts[-2])
    return frozenset(name for name, modules in found.items() if len(modules) > 1)


def doubled_names(nodes):
    """Names that are called as functions and read as attributes too."""
    parts = [part for node in nodes for part in walk(node)]
    called = {part.func.id for part in parts if isinstance(part, ast.Call) and isinstance(part.func, ast.Name)}
    methods = {id(part.func) for part in parts if isinstance(part, ast.Call)}
    return frozenset(part.attr for part in parts if isinstance(part, ast.Attribute) and id(part) not in methods and part.attr in called)


def is_of_library(node):
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id not in ("self", "cls")


def is_folded(node):
    """Whether a text is written over several lines or in several pieces, so that its source is not its value."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, (str, bytes)):
        return False
    return getattr(node, "lineno", 0) != getattr(node, "end_lineno", 0) or bool(re.search(r"\s\s", str(node.value)))


def is_of_a_part(parts):
    """Whether a function of a library belongs to one of its classes or functions (`np.add.outer`), and not to a module."""
    return len(parts) > 2 and (parts[-1] in OF_FUNCTIONS or parts[-2][:1].isupper())


def changed_roots(node):
    """The names of what statements change: by an item, an attribute or a method."""
    for part in walk(node):
        targets = part.targets if isinstance(part, (ast.Assign, ast.Delete)) else [part.target] if isinstance(part, ast.AugAssign) else []
        yield from (root_of(target) for target in targets if isinstance(target, (ast.Subscript, ast.Attribute)))
        if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call) and isinstance(part.value.func, ast.Attribute):
            yield root_of(part.value.func)


def is_several(call):
    """Whether more than one thing is handed over."""
    return len(call.args) + len(call.keywords) > 1


def with_article(words):
    return f"{'an' if words[:1].lower() in 'aeio' else 'a'} {words}"


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


def replaced(node, name, other):
    """An expression with another one in the place of a name; what has changed is no longer written as it stood."""
    if isinstance(node, ast.Name) and node.id == name:
        return other
    if isinstance(node, list):
        return [replaced(part, name, other) for part in node]
    if not isinstance(node, ast.AST) or isinstance(node, DEFINED) or all(getattr(part, "id", None) != name for part in walk(node)):
        return node
    return type(node)(**{field: replaced(getattr(node, field, None), name, other) for field in node._fields})


def root_of(node):
    """The name that a chain of attributes, items and calls begins with (`a` of `a.b(1).c[2]`); of the test's own object its attribute."""
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        parts = chain(node)
        if parts:
            return root_path(parts)
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", None)


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
