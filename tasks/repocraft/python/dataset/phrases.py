"""Expressions of a test in words: its variables opened, its literals as they are written, names without those of the project."""

import ast
import re
from collections import Counter

from harvest import is_test_class
from source import FUNCTIONS, chain, walk

# Of a literal as much is said as a reader takes in; the rest is counted.
LONGEST_LITERAL = 70
UNSAID = "a certain value"
LONGEST_PHRASE = 150
SHORT = 24
MOST_INTRODUCED = 4
DEEPEST = 3
WIDEST = 6
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


class Speech:
    """Says expressions of one test. `values` holds what its names stand for at that place; None where that cannot be said."""

    def __init__(self, module, wording, values=None):
        self.module = module
        self.wording = wording
        self.values = dict(values or {})
        # How often each name is read: what is read once is opened where it stands, the rest is introduced once.
        self.reads = Counter()
        self.introduced = {}
        self.pending = []
        # Names of whole libraries: no receiver of a call.
        self.libraries = {name for name, found in module.bindings.items() if isinstance(found[0][0], ast.Import)}

    def is_library(self, name):
        return name in self.libraries and name not in self.values

    def bind(self, target, value):
        """Notes what an assignment binds; of several names at once nothing is known but that they are new."""
        parts = chain(target)
        if parts and not isinstance(target, (ast.Tuple, ast.List)):
            name = ".".join(parts)
            own = value is not None and any(chain(node) == parts for node in walk(value))
            self.values[name] = None if own else value
            return
        if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)) and len(target.elts) == len(value.elts):
            for name, element in zip(target.elts, value.elts):
                self.bind(name, element)
            return
        for node in [] if isinstance(target, ast.Subscript) else walk(target):
            if isinstance(node, ast.Name):
                self.values[node.id] = None

    def value_of(self, node):
        """What a name stands for, followed to an expression that is no name; the node itself where that is not known."""
        for _ in range(4):
            parts = chain(node)
            found = self.values.get(".".join(parts)) if parts else None
            if found is None:
                return node
            node = found
        return node

    def say(self, node, depth=0):
        text = self.said(node, depth)
        return text if len(text) <= LONGEST_PHRASE else self.said(node, DEEPEST)

    def say_both(self, left, right):
        """Two sides of a relation; where they read alike, in full. None where they still do."""
        sides = self.say(left), self.say(right)
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

    def introductions(self):
        """What the names mean that were said since the last time, the ones they are made of first."""
        said = []
        while self.pending and len(said) < MOST_INTRODUCED:
            word, value = self.pending.pop(0)
            text = self.say(value, 1)
            if UNSAID not in text and not self.gives_away(text) and text != word:
                said.insert(0, f"{word} being {text}")
        self.pending = []
        return said

    def inner(self, node, depth):
        return self.said(node, depth + 1)

    def literal(self, node):
        text = self.written(node)
        if self.gives_away(text):
            return "a given text"
        if len(text) <= LONGEST_LITERAL:
            return {"None": "none", "True": "true", "False": "false"}.get(text, text)
        if isinstance(node, ast.Constant):
            return f"{text[:LONGEST_LITERAL]}…"
        parts = getattr(node, "elts", None) or getattr(node, "keys", None) or [node]
        shown = [self.written(part) for part in parts[:2] if part is not None]
        return f"{len(parts)} given values from {', '.join(shown)}"[:LONGEST_LITERAL].rstrip("([,") + "…"

    def gives_away(self, text):
        return bool(set(re.findall(r"[\w-]+", text.lower())) & self.wording.giving_away)

    def written(self, node):
        """A literal's own text, on one line."""
        first, last = node.lineno - 1, node.end_lineno - 1
        lines = [line.encode("utf-8") for line in self.module.lines[first : last + 1]]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        spoken = " ".join(re.sub(r"(^|\s)#.*$", "", line.decode("utf-8")).strip() if first != last else line.decode("utf-8") for line in lines)
        return re.sub(r"\s+", " ", spoken).replace("[ ", "[").replace("( ", "(").replace(", ]", "]").replace(" ]", "]")

    def words(self, name):
        if len(name) <= 2 and name.isidentifier() and name.lower() not in self.wording.giving_away:
            return name
        return self.wording.name(name) or self.wording.replacements.get(name.lower(), UNSAID)

    def name(self, node, parts, depth):
        path = ".".join(parts)
        found = self.values.get(path)
        if found is not None and (is_literal(found) and len(self.literal(found)) <= SHORT or chain(found)):
            return self.inner(found, depth) if depth < 2 * DEEPEST else self.words(parts[-1])
        if found is not None and not names_itself(found):
            if self.reads[path] <= 1 and depth < DEEPEST and not isinstance(found, ast.ClassDef):
                return self.inner(found, depth)
            if self.introduced.get(path) is not found:
                self.introduced[path] = found
                self.pending.append((self.words(parts[-1]), found))
            return self.words(parts[-1])
        if len(parts) == 1 or self.is_library(parts[0]) or parts[0] in ("self", "cls") and len(parts) == 2:
            return self.words(parts[-1])
        return f"{self.words(parts[-1])} of {self.inner(node.value, depth)}"

    def attribute(self, node, depth):
        return f"{self.words(node.attr)} of {self.inner(node.value, depth)}"

    def call(self, node, depth):
        parts = chain(node.func)
        last = parts[-1] if parts else getattr(node.func, "attr", None)
        if last is None:
            return f"what {self.inner(node.func, depth)} gives for {self.arguments(node, depth)}"
        only = node.args[0] if len(node.args) == 1 and not node.keywords else None
        is_plain = parts is not None and (len(parts) == 1 or self.is_library(parts[0]))
        if is_plain and only is not None:
            if last == "len":
                return f"the length of {self.inner(only, depth)}"
            if last in AS_KIND and len(parts) == 1:
                return f"{self.inner(only, depth)} as a {AS_KIND[last]}"
            if last == "str":
                return f"the text of {self.inner(only, depth)}"
            if last in HOLDERS:
                return self.said(only, depth)
        if depth >= DEEPEST:
            return self.words(last)
        if parts and isinstance(self.values.get(last), ast.ClassDef) and len(parts) == 1:
            self.name(node.func, parts, depth)
        given = self.arguments(node, depth)
        if is_plain and given and len(given) <= SHORT and not re.search(r"[^,] ", given):
            return f"{self.words(last)}{given if given.startswith('(') else f'({given})'}"
        if is_plain:
            made = with_article(self.words(last)) if last[:1].isupper() else self.words(last)
            return f"{made} of {given}" if given else made
        receiver = self.inner(node.func.value, depth)
        return f"{self.words(last)} of {receiver}" + (f" given {given}" if given else "")

    def arguments(self, node, depth):
        named = [f"{self.words(keyword.arg)} {self.inner(keyword.value, depth)}" for keyword in node.keywords if keyword.arg]
        every = [self.inner(argument, depth) for argument in node.args] + named
        most = WIDEST if depth >= 0 else 12
        shown = every[:most] + ([] if len(every) <= most else ["…"])
        return f"({', '.join(shown)})" if len(shown) > 1 else "".join(shown)

    def joined(self, node, depth):
        operator = OPERATORS.get(type(node.op), "with")
        sides = [self.operand(side, node, depth) for side in (node.left, node.right)]
        return f"{sides[0]} {operator} {sides[1]}"

    def operand(self, side, node, depth):
        text = self.said(side, depth)
        looser = isinstance(side, ast.BinOp) and (BINDING[type(side.op)] < BINDING[type(node.op)] or side is node.right)
        return f"({text})" if looser or " of " in text else text

    def signed(self, node, depth):
        text = self.said(node.operand, depth)
        return SIGNS[type(node.op)] + (f"({text})" if " " in text else text)

    def class_body(self, node, depth):
        """A class a test defines: what it is a kind of, and what it sets."""
        kinds = [self.said(base, DEEPEST) for base in node.bases]
        inner = [member for member in node.body if isinstance(member, ast.Assign) and isinstance(member.targets[0], ast.Name)]
        sets = [f"{self.words(member.targets[0].id)} {self.said(member.value, 2)}" for member in inner[:WIDEST]]
        does = [self.words(member.name) for member in node.body if isinstance(member, FUNCTIONS)][:WIDEST]
        text = f"a kind of {' and '.join(kinds) or 'object'}"
        text += f" with {', '.join(sets)}" if sets else ""
        return text + (f" that has its own {', '.join(does)}" if does else "")

    def item(self, node, depth):
        place = self.inner(node.slice, depth)
        kind = "items" if isinstance(node.slice, ast.Slice) else "item"
        return f"{kind} {place} of {self.inner(node.value, depth)}"

    def composed(self, node, depth):
        parts = [self.inner(part.value, depth) for part in node.values if isinstance(part, ast.FormattedValue)]
        return f"a text with {' and '.join(parts)}" if parts else "a text"

    def unpacked(self, node, depth):
        return self.inner(node.value, depth)

    def chosen(self, node, depth):
        return f"{self.inner(node.body, depth)} or {self.inner(node.orelse, depth)}"

    def combined(self, node, depth):
        return (" and " if isinstance(node.op, ast.And) else " or ").join(self.inner(value, depth) for value in node.values)

    def part(self, node, depth):
        ends = [self.inner(end, depth) if end else "" for end in (node.lower, node.upper)]
        return f"{ends[0]}:{ends[1]}"

    def several(self, node, depth):
        every = [self.inner(element, depth) for element in node.elts[:WIDEST]]
        return f"[{', '.join(every)}{', …' if len(node.elts) > WIDEST else ''}]"

    def mapping(self, node, depth):
        pairs = [f"{self.inner(key, depth) if key else 'more'}: {self.inner(value, depth)}" for key, value in zip(node.keys, node.values)]
        return "{" + ", ".join(pairs[:WIDEST] + (["…"] if len(pairs) > WIDEST else [])) + "}"

    def each(self, node, depth):
        return f"{self.inner(node.elt, depth)} for each of {self.inner(node.generators[0].iter, depth)}"

    def compared(self, node, depth):
        parts = [f"{RELATION[type(op)]} {self.inner(right, depth)}" for op, right in zip(node.ops, node.comparators)]
        text = " ".join([self.inner(node.left, depth), *parts])
        return f"({text})" if depth > 0 else text

    def function(self, node, depth):
        return self.inner(node.body, depth)


RELATION = {
    ast.Eq: "is", ast.NotEq: "is not", ast.Lt: "is less than", ast.LtE: "is at most", ast.Gt: "is greater than",
    ast.GtE: "is at least", ast.In: "is in", ast.NotIn: "is not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
SPEAKERS = {
    ast.Attribute: Speech.attribute, ast.Call: Speech.call, ast.BinOp: Speech.joined, ast.UnaryOp: Speech.signed,
    ast.Subscript: Speech.item, ast.Slice: Speech.part, (ast.List, ast.Tuple, ast.Set): Speech.several, ast.Dict: Speech.mapping,
    (ast.ListComp, ast.SetComp, ast.GeneratorExp): Speech.each, ast.Compare: Speech.compared, ast.Lambda: Speech.function,
    ast.ClassDef: Speech.class_body, ast.JoinedStr: Speech.composed, (ast.Starred, ast.Await): Speech.unpacked, ast.IfExp: Speech.chosen, ast.BoolOp: Speech.combined,
}  # fmt: skip


def names_itself(value):
    return isinstance(value, ast.Call) and (chain(value.func) or [""])[-1] in NAMING


def with_article(words):
    return f"{'an' if words[:1].lower() in 'aeio' else 'a'} {words}"


def is_literal(node):
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return is_literal(node.operand)
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return all(map(is_literal, node.elts))
    if isinstance(node, ast.Dict):
        return all(key is not None and is_literal(key) for key in node.keys) and all(map(is_literal, node.values))
    return isinstance(node, ast.Constant)


def set_up_values(unit, names):
    """What a class's set-up puts into `self` and `cls`, that of its bases in the same file first."""
    found, seen = {}, []
    owners = [unit.owner] if unit.owner else []
    while owners:
        owner = owners.pop()
        if owner in seen:
            continue
        seen.append(owner)
        bases = [(chain(base) or [""])[-1] for base in owner.bases]
        owners += [statement for statement in unit.module.tree.body if isinstance(statement, ast.ClassDef) and statement.name in bases]
    for owner in reversed(seen):
        for member in owner.body:
            if isinstance(member, ast.Assign) and isinstance(member.targets[0], ast.Name):
                found.update({f"self.{member.targets[0].id}": member.value, f"cls.{member.targets[0].id}": member.value})
            if isinstance(member, FUNCTIONS) and member.name in names:
                found.update(assigned_attributes(member))
    return found


def assigned_attributes(member):
    found = {}
    for node in walk(member):
        for target in node.targets if isinstance(node, ast.Assign) else []:
            parts = chain(target)
            if parts and len(parts) == 2 and parts[0] in ("self", "cls"):
                found.update({f"self.{parts[1]}": node.value, f"cls.{parts[1]}": node.value})
            elif parts and len(parts) == 1:
                found.setdefault(parts[0], node.value)
    return found


def module_values(module):
    """Names of a file's top level that are bound once, to a value or to a class that holds no tests."""
    found = {}
    for name, bound in module.bindings.items():
        statement = bound[0][0]
        if len(bound) == 1 and isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            found[name] = statement.value
        elif len(bound) == 1 and isinstance(statement, ast.ClassDef) and not is_test_class(statement):
            found[name] = statement
    return found
