"""Expressions of a test in words: its variables opened, its literals as they are written, names without those of the project."""

import ast
import re
from collections import Counter

from source import FUNCTIONS, chain, walk

# Of a literal as much is said as a reader takes in; the rest is counted.
LONGEST_LITERAL = 300
LONGEST_TEXT = 300
UNSAID = "a certain value"
LONGEST_PHRASE = 400
LONGEST_SIDES = 640
SHORT = 24
MOST_INTRODUCED = 8
DEEPEST = 5
WIDEST = 10
LONGEST_BODY = 240
LONGEST_SHORTENED = 120
AS_KIND = {"list": "list", "tuple": "tuple", "set": "set", "dict": "dictionary", "int": "integer", "float": "number", "bool": "truth value"}
OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Mod: "%", ast.FloorDiv: "//", ast.MatMult: "@",
    ast.BitOr: "|", ast.BitAnd: "&", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
BINDING = {kind: 3 if kind is ast.Pow else 2 if kind in (ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.MatMult) else 1 for kind in OPERATORS}
# What these make is called like the variable it is put into.
NAMING = {"Symbol", "symbols", "Function", "Dummy", "Wild", "MatrixSymbol", "IndexedBase", "Idx", "dynamicsymbols", "ReadySymbol", "Var", "Integer"}
SIGNS = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "not ", ast.Not: "not "}
# Wrappers that say how a value is held, not which.
HOLDERS = {"array", "asarray", "asanyarray"}
# Methods of numpy's functions, which say nothing without them.
OF_FUNCTIONS = {"outer", "reduce", "accumulate", "reduceat", "at"}
JOINING = {"r_", "c_"}
JOINED = re.compile(r" [-+*/%@|&^<>]+ ")


class Speech:
    """Says expressions of one test. `values` holds what its names stand for at that place; None where that cannot be said."""

    def __init__(self, module, wording, values=None):
        self.module = module
        self.wording = wording
        self.values = dict(values or {})
        # Names the test itself binds, and the words of those it has bound to another value.
        self.own = set()
        self.rebound = []
        # How often each name is read: what is read once is opened where it stands, the rest is introduced once.
        self.reads = Counter()
        self.introduced = {}
        self.pending = []
        # Characters of one written text.
        self.longest_text = LONGEST_TEXT
        # Names of whole libraries: no receiver of a call.
        self.libraries = {name for name, found in module.bindings.items() if isinstance(found[0][0], ast.Import)}

    def is_library(self, name):
        return name in self.libraries and name not in self.values

    def bind(self, target, value):
        """Notes what an assignment binds; of several names at once nothing is known but that they are new."""
        parts = chain(target)
        if parts and not isinstance(target, (ast.Tuple, ast.List)):
            name = ".".join(parts)
            first = self.values.get(name)
            self.keep_earlier(name, value)
            own = value is not None and any(chain(node) == parts for node in walk(value))
            if own and len(parts) == 1 and first is not None and not isinstance(first, DEFINED):
                # Made of what the name stood for until now.
                value, own = replaced(value, name, first), False
            self.values[name] = None if own else value
            return
        if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)) and len(target.elts) == len(value.elts):
            for name, element in zip(target.elts, value.elts):
                self.bind(name, element)
            return
        for node in [] if isinstance(target, ast.Subscript) else walk(target):
            if isinstance(node, ast.Name):
                self.values[node.id] = None
        if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Call, ast.Name, ast.Attribute, ast.Subscript)):
            for place, name in enumerate(target.elts):
                if isinstance(name, ast.Starred):
                    break
                self.bind(name, ast.Subscript(value=value, slice=ast.Constant(value=place), ctx=ast.Load()))

    def keep_earlier(self, name, value):
        """Another value for a name: what was made of the first one goes on speaking of that."""
        first = self.values.get(name) if name in self.own else None
        self.own.add(name)
        if first is None or "." in name:
            return
        word = self.words(name)
        self.pending = [(path, f"earlier {word}" if path == name else said, found) for path, said, found in self.pending]
        self.rebound.append(word)
        for other in self.own - {name}:
            made = self.values.get(other)
            if made is not None and any(isinstance(node, ast.Name) and node.id == name for node in walk(made)):
                self.values[other] = renamed(made, name, f"earlier_{name}")
                self.values[f"earlier_{name}"] = first

    def value_of(self, node):
        """What a name stands for, followed to an expression that is no name; the node itself where that is not known."""
        for _ in range(4):
            parts = chain(node)
            found = self.values.get(".".join(parts)) if parts else None
            if found is None:
                return node
            node = found
        return node

    def say(self, node, depth=0, longest=LONGEST_PHRASE):
        """As much as there is room for: where it is too long, the ends of its texts go, then the innermost level, then the next."""
        introduced, pending = dict(self.introduced), list(self.pending)
        outside, part = self.longest_text, self.longest_text if is_literal(node) else min(self.longest_text, longest // 3)
        for level, self.longest_text in [(depth, outside), *((level, part) for level in range(depth, DEEPEST + 1))]:
            self.introduced, self.pending = dict(introduced), list(pending)
            text = self.said(node, level)
            if len(text) <= longest:
                break
        self.longest_text = outside
        return text

    def say_both(self, left, right):
        """Two sides of a relation; where they read alike, in full. None where they still do."""
        sides = self.say(left), self.say(right)
        if sum(map(len, sides)) > LONGEST_SIDES:
            sides = self.say(left, 0, LONGEST_SIDES // 2), self.say(right, 0, LONGEST_SIDES // 2)
        if sides[0] == sides[1]:
            sides = self.said(left, -2), self.said(right, -2)
        return None if sides[0] == sides[1] else sides

    def said(self, node, depth):
        if is_literal(node):
            return self.literal(node)
        parts = chain(node)
        if parts:
            return self.name(node, parts, depth)
        for kind, speak in SPEAKERS.items():
            if isinstance(node, kind):
                return speak(self, node, depth)
        return UNSAID

    def forget(self):
        """Nobody has read the names that were said since the last time: they are introduced when they are said again."""
        for path, _, _ in self.pending:
            self.introduced.pop(path, None)
        self.pending = []

    def introductions(self, room):
        """What the names mean that were said since the last time, the ones they are made of first, in so many characters.

        Where they are too long, what is defined goes before what is computed, and long values are said shorter before they go.
        What has gone is introduced when it is said again.
        """
        found = []
        while self.pending and len(found) < MOST_INTRODUCED:
            path, word, value = self.pending.pop(0)
            text = self.say(value, 1)
            is_new = text not in (word, f"{word}()") and all(entry[2] != word for entry in found)
            if UNSAID not in text and not self.gives_away(text) and is_new:
                found.insert(0, [f"{word} being {text}", path, word, value])
        self.pending = []
        while found and sum(len(entry[0]) + 2 for entry in found) > room:
            longest = max(found, key=lambda entry: (isinstance(entry[3], DEFINED), len(entry[0])))
            shorter = f"{longest[2]} being {self.say(longest[3], 1, LONGEST_SHORTENED)}"
            if not isinstance(longest[3], DEFINED) and len(shorter) < len(longest[0]):
                longest[0] = shorter
            else:
                found.remove(longest)
                self.introduced.pop(longest[1], None)
        self.pending = []
        return [entry[0] for entry in found]

    def inner(self, node, depth):
        return self.said(node, depth + 1)

    def literal(self, node):
        text = self.written(node)
        if self.gives_away(text):
            return "a given text"
        if len(text) <= (self.longest_text if isinstance(node, ast.Constant) else LONGEST_LITERAL):
            return {"None": "none", "True": "true", "False": "false"}.get(text, text)
        if isinstance(node, ast.Constant):
            return f"{text[: self.longest_text]}…"
        parts = [self.written(part) for part in getattr(node, "elts", None) or [] if part is not None]
        parts = parts or [f"{self.written(key)}: {self.written(value)}" for key, value in zip(getattr(node, "keys", []), getattr(node, "values", [])) if key]
        shown, room = [], LONGEST_LITERAL - 40
        for text in parts:
            if len(text) + 2 > room:
                break
            shown.append(text)
            room -= len(text) + 2
        return f"{len(parts)} given values{' from ' if shown else ''}{', '.join(shown)}…"

    def gives_away(self, text):
        return self.wording.gives_away(text)

    def written(self, node):
        """A literal's own text, on one line."""
        if not hasattr(node, "lineno"):
            return ast.unparse(node)
        first, last = node.lineno - 1, node.end_lineno - 1
        lines = [line.encode("utf-8") for line in getattr(node, "lines", self.module.lines)[first : last + 1]]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        spoken = " ".join(re.sub(r"(^|\s)#.*$", "", line.decode("utf-8")).strip() if first != last else line.decode("utf-8") for line in lines)
        return re.sub(r"\s+", " ", spoken).replace("[ ", "[").replace("( ", "(").replace(", ]", "]").replace(" ]", "]")

    def words(self, name):
        if len(name) <= 2 and name.isidentifier() and name.lower() not in self.wording.giving_away:
            return name
        return self.wording.name(name) or self.wording.replacements.get(name.lower(), UNSAID)

    def spelled(self, name):
        """A name that the test gives, and the library reads: no word of it is said in full."""
        return name if name.startswith("__") or name.isalpha() and not self.gives_away(name) else self.words(name)

    def name(self, node, parts, depth):
        path = ".".join(parts)
        found = self.values.get(path)
        if found is not None and (is_literal(found) and len(self.literal(found)) <= SHORT and not is_empty(found) or chain(found)):
            return self.inner(found, depth) if depth < 2 * DEEPEST else self.words(parts[-1])
        if found is not None and not names_itself(found):
            if self.reads[path] <= 1 and depth < DEEPEST and not isinstance(found, DEFINED) and not is_empty(found):
                return self.inner(found, depth)
            if self.introduced.get(path) is not found:
                self.introduced[path] = found
                self.pending.append((path, self.words(parts[-1]), found))
            return self.words(parts[-1])
        if len(parts) > 1 and isinstance(node, ast.Attribute) and depth < DEEPEST:
            held = self.held(node)
            if held is not None:
                return self.inner(held, depth)
        if len(parts) == 1 or self.is_library(parts[0]) or parts[0] in ("self", "cls") and len(parts) == 2:
            return self.words(parts[-1])
        return f"{self.words(parts[-1])} of {self.inner(node.value, depth)}"

    def held(self, node):
        """The literal that an attribute holds of an object whose class is the tests' own (expected figures in a file of results)."""
        made = self.value_of(node.value)
        name = (chain(made.func if isinstance(made, ast.Call) else made) or [None])[-1]
        owner = made if isinstance(made, ast.ClassDef) else self.values.get(name)
        if not isinstance(owner, ast.ClassDef):
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

    def attribute(self, node, depth):
        return f"{self.words(node.attr)} of {self.inner(node.value, depth)}"

    def call(self, node, depth):
        parts = chain(node.func)
        last = parts[-1] if parts else getattr(node.func, "attr", None)
        if last is None:
            return f"what {self.inner(node.func, depth)} gives for {self.arguments(node, depth)}"
        only = node.args[0] if len(node.args) == 1 and not node.keywords else None
        is_plain = parts is not None and (len(parts) == 1 or self.is_library(parts[0]) and not is_of_a_part(parts))
        if is_plain and only is not None:
            if last == "len":
                return f"the length of {self.inner(only, depth)}"
            if last in AS_KIND and len(parts) == 1:
                return f"{self.inner(only, depth)} as a {AS_KIND[last]}"
            if last == "str":
                return f"the text of {self.inner(only, depth)}"
            if last in HOLDERS:
                text = self.said(only, depth)
                return f"a 0-d array of {text}" if isinstance(only, ast.Constant) else text
        if depth >= DEEPEST:
            return self.words(last)
        if last == "hasattr" and len(node.args) == 2:
            return f"whether {self.inner(node.args[0], depth)} has {self.inner(node.args[1], depth)}"
        called = self.values.get(last) if parts and len(parts) == 1 else None
        if isinstance(called, DEFINED):
            self.name(node.func, parts, depth)
        elif called is not None and not chain(called) and not names_itself(called):
            return f"what {self.name(node.func, parts, depth)} gives for {self.arguments(node, depth)}"
        given = self.arguments(node, depth)
        if is_plain and given and len(given) <= SHORT and not re.search(r"[^,] ", given):
            return f"{self.words(last)}{given if is_several(node) or given.startswith('((') else f'({given})'}"
        if is_plain:
            made = with_article(self.words(last)) if last[:1].isupper() or last == "object" else self.words(last)
            return f"{made} of {given}" if given else made if made != self.words(last) else f"{made}()"
        receiver = self.inner(node.func.value, depth)
        receiver = f"({receiver})" if " given " in receiver else receiver
        return f"{self.words(last)} of {receiver}" + (f" given {given}" if given else "")

    def arguments(self, node, depth):
        named = [f"{self.words(keyword.arg)} {self.inner(keyword.value, depth)}" for keyword in node.keywords if keyword.arg]
        unpacked = [f"all of {self.inner(keyword.value, depth)}" for keyword in node.keywords if not keyword.arg]
        every = [self.inner(argument, depth) for argument in node.args] + named + unpacked
        most = 12 if depth < 2 else WIDEST
        shown = every[:most] + ([] if len(every) <= most else ["…"])
        if len(shown) == 1 and node.args:
            return self.alone(node.args[0], shown[0])
        return f"({', '.join(shown)})" if len(shown) > 1 else "".join(shown)

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
        looser = is_joined and (BINDING[type(opened.op)] < BINDING[type(node.op)] or side is node.right)
        return f"({text})" if looser or " of " in text else text

    def signed(self, node, depth):
        text = self.said(node.operand, depth)
        return SIGNS[type(node.op)] + (f"({text})" if " " in text else text)

    def class_body(self, node, depth):
        """A class a test defines: what it is a kind of, and what it sets."""
        kinds = [self.said(base, DEEPEST) for base in node.bases]
        inner = [member for member in node.body if isinstance(member, (ast.Assign, ast.ClassDef)) and named(member)]
        sets = [f"{self.spelled(named(member))} {self.said(getattr(member, 'value', member), max(2, depth))}" for member in inner[:WIDEST]]
        does = [self.method(member, depth) for member in node.body if isinstance(member, FUNCTIONS)][:WIDEST]
        text = f"a kind of {' and '.join(kinds) or 'object'}"
        text += f" with {', '.join(sets)}" if sets else ""
        return text + (f" that has its own {', '.join(does)}" if does else "")

    def method(self, node, depth):
        does = self.doing(node, depth)
        return f"{self.spelled(node.name)} ({does})" if does else self.spelled(node.name)

    def function_body(self, node, depth):
        """A function a test defines: what it takes, and what it gives."""
        given = [self.words(argument.arg) for argument in node.args.posonlyargs + node.args.args if argument.arg not in ("self", "cls")]
        does = self.doing(node, depth)
        return "a function" + (f" of {', '.join(given)}" if given else "") + (f" that {does}" if does else "")

    def doing(self, node, depth):
        """What a function gives, raises or does, as far as there is room; its own names are known inside only."""
        outside, self.values = self.values, dict(self.values)
        introduced, pending = dict(self.introduced), list(self.pending)
        for argument in node.args.posonlyargs + node.args.args + node.args.kwonlyargs:
            self.values[argument.arg] = None
        found = []
        for statement in walk(ast.Module(body=node.body, type_ignores=[])):
            value = getattr(statement, "value", None)
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], (ast.Subscript, ast.Attribute)):
                found.append(f"sets {self.changed(statement.targets[0], depth)} to {self.inner(value, depth)}")
            elif isinstance(statement, ast.Assign):
                self.bind(statement.targets[0], value)
            elif isinstance(statement, ast.AugAssign):
                changed = self.inner(statement.target, depth)
                found.append(f"sets {changed} to {changed} {OPERATORS.get(type(statement.op), 'with')} {self.inner(value, depth)}")
            elif isinstance(statement, ast.Return) and value is not None:
                found.append(f"gives {self.inner(value, depth)}")
            elif isinstance(statement, ast.Yield) and value is not None:
                found.append(f"yields {self.inner(value, depth)}")
            elif isinstance(statement, ast.Raise) and statement.exc is not None:
                found.append(f"raises {self.inner(statement.exc, depth)}")
            elif isinstance(statement, ast.Expr) and isinstance(value, ast.Call):
                found.append(f"does {self.inner(value, depth)}")
        self.values, self.introduced, self.pending = outside, introduced, pending
        told = []
        for text in found[:4]:
            if UNSAID in text or len(text) + sum(map(len, told)) > LONGEST_BODY:
                break
            told.append(text)
        return " and ".join(told)

    def changed(self, target, depth):
        """What a method sets; of its own object by the name that is given to it."""
        parts = chain(target)
        return self.spelled(parts[1]) if parts and len(parts) == 2 and parts[0] == "self" else self.inner(target, depth)

    def item(self, node, depth):
        if (chain(node.value) or [""])[-1] in JOINING:
            return self.inner(node.slice, depth)
        place = self.inner(node.slice, depth)
        if isinstance(node.slice, ast.Tuple) and not is_literal(node.slice) and place.startswith("("):
            place = f"[{place[1:-1]}]"
        kind = "items" if isinstance(node.slice, ast.Slice) else "item"
        return f"{kind} {place} of {self.inner(node.value, depth)}"

    def composed(self, node, depth):
        parts = [f"{{{self.inner(part.value, depth)}}}" if isinstance(part, ast.FormattedValue) else str(part.value) for part in node.values]
        text = re.sub(r"\s+", " ", "".join(parts))
        return f'"{text}"' if len(text) <= LONGEST_LITERAL and not self.gives_away(text) else "a text"

    def unpacked(self, node, depth):
        return self.inner(node.value, depth)

    def chosen(self, node, depth):
        condition = self.said(node.test, depth)
        when = "" if condition == UNSAID else f" where {condition}"
        return f"({self.inner(node.body, depth)}{when}, else {self.inner(node.orelse, depth)})"

    def combined(self, node, depth):
        return (" and " if isinstance(node.op, ast.And) else " or ").join(self.inner(value, depth) for value in node.values)

    def part(self, node, depth):
        ends = [self.inner(end, depth) if end else "" for end in (node.lower, node.upper)]
        return f"{ends[0]}:{ends[1]}"

    def several(self, node, depth):
        every = [self.inner(element, depth) for element in node.elts[:WIDEST]]
        text = f"{', '.join(every)}{', …' if len(node.elts) > WIDEST else ''}"
        if isinstance(node, ast.Tuple):
            return f"({text},)" if len(every) == 1 else f"({text})"
        return f"{{{text}}}" if isinstance(node, ast.Set) else f"[{text}]"

    def mapping(self, node, depth):
        pairs = [f"{self.inner(key, depth) if key else 'more'}: {self.inner(value, depth)}" for key, value in zip(node.keys, node.values)]
        return "{" + ", ".join(pairs[:WIDEST] + (["…"] if len(pairs) > WIDEST else [])) + "}"

    def each(self, node, depth):
        turns, outside = [], self.values
        for generator in node.generators:
            names = [part.id for part in walk(generator.target) if isinstance(part, ast.Name)]
            turn = f"for each {' and '.join(map(self.words, names))} of {self.inner(generator.iter, depth)}"
            # Its names are its own.
            self.values = {**self.values, **dict.fromkeys(names)}
            conditions = [self.said(condition, depth) for condition in generator.ifs]
            turns.append(turn + (f" where {' and '.join(conditions)}" if conditions else ""))
        made = [self.inner(part, depth) for part in ([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])]
        self.values = outside
        text = f"{': '.join(made)} {' '.join(turns)}"
        if isinstance(node, ast.ListComp):
            return f"[{text}]"
        return text if isinstance(node, ast.GeneratorExp) else f"{{{text}}}"

    def compared(self, node, depth):
        parts = [f"{RELATION[type(op)]} {self.inner(right, depth)}" for op, right in zip(node.ops, node.comparators)]
        text = " ".join([self.inner(node.left, depth), *parts])
        return f"({text})" if depth > 0 else text

    def function(self, node, depth):
        outside, given = self.values, [argument.arg for argument in node.args.posonlyargs + node.args.args]
        self.values = {**self.values, **dict.fromkeys(given)}
        text = self.inner(node.body, depth)
        self.values = outside
        return "a function" + (f" of {', '.join(map(self.words, given))}" if given else "") + f" that gives {text}"


RELATION = {
    ast.Eq: "is", ast.NotEq: "is not", ast.Lt: "is less than", ast.LtE: "is at most", ast.Gt: "is greater than",
    ast.GtE: "is at least", ast.In: "is in", ast.NotIn: "is not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
SPEAKERS = {
    ast.Attribute: Speech.attribute, ast.Call: Speech.call, ast.BinOp: Speech.joined, ast.UnaryOp: Speech.signed,
    ast.Subscript: Speech.item, ast.Slice: Speech.part, (ast.List, ast.Tuple, ast.Set): Speech.several, ast.Dict: Speech.mapping,
    (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp): Speech.each, ast.Compare: Speech.compared, ast.Lambda: Speech.function,
    ast.ClassDef: Speech.class_body, FUNCTIONS: Speech.function_body, ast.JoinedStr: Speech.composed, (ast.Starred, ast.Await): Speech.unpacked, ast.IfExp: Speech.chosen, ast.BoolOp: Speech.combined,
}  # fmt: skip


DEFINED = (ast.ClassDef, *FUNCTIONS)


def named(member):
    """The name a statement of a class's body binds; None for `a.b = …` and the like."""
    return member.name if isinstance(member, ast.ClassDef) else getattr(member.targets[0], "id", None)


def names_itself(value):
    """Whether a value says no more than its name: a symbol without assumptions, also as one of several."""
    if isinstance(value, ast.Subscript):
        value = value.value
    if not isinstance(value, ast.Call) or any(keyword.arg != "cls" for keyword in value.keywords):
        return False
    made = (chain(value.func) or [""])[-1]
    return made in NAMING or made == "map" and bool(value.args) and (chain(value.args[0]) or [""])[-1] in NAMING


def is_of_a_part(parts):
    """Whether a function of a library belongs to one of its classes or functions (`np.add.outer`), and not to a module."""
    return len(parts) > 2 and (parts[-1] in OF_FUNCTIONS or parts[-2][:1].isupper())


def is_several(call):
    """Whether more than one thing is handed over."""
    return len(call.args) + len(call.keywords) > 1


def with_article(words):
    return f"{'an' if words[:1].lower() in 'aeio' else 'a'} {words}"


def renamed(node, name, other):
    """An expression with another name in the place of one; what is as it was is shared."""
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
