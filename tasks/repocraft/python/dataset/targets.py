"""Which reference symbols a test exercises, and which of them is its subject."""

import ast
import re

from source import FUNCTIONS, chain, is_private_name, walk


def reference_imports(tree, package):
    """Imports of the reference anywhere in a test file: {module, name, local, uses}, uses as dotted paths as written."""
    found = {}
    for node in walk(tree):
        for alias in node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else []:
            module = alias.name if isinstance(node, ast.Import) else node.module
            if module.split(".")[0] != package:
                continue
            name = None if isinstance(node, ast.Import) else alias.name
            local = alias.asname or (alias.name.split(".")[0] if name is None else alias.name)
            found[(module, name, local)] = set()
    chains = outer_chains(tree)
    for (module, name, local), uses in found.items():
        base = bound_path(module, name, local)
        uses |= {".".join([base] + parts[1:]) for parts in chains if parts[0] == local}
    return [
        {"module": module, "name": name, "local": local, "uses": sorted(uses)}
        for (module, name, local), uses in sorted(found.items(), key=lambda item: (item[0][0], item[0][1] or "", item[0][2]))
    ]


def bound_path(module, name, local):
    if name:
        return f"{module}.{name}"
    return local if local == module.split(".")[0] else module


def outer_chains(tree):
    """Attribute chains that are not part of a longer one."""
    inner = {id(node.value) for node in walk(tree) if isinstance(node, ast.Attribute)}
    nodes = [node for node in walk(tree) if isinstance(node, (ast.Attribute, ast.Name)) and id(node) not in inner]
    return [parts for parts in map(chain, nodes) if parts]


class Uses(ast.NodeVisitor):
    """Counts the reference symbols a piece of code uses, with a light inference of what its variables hold."""

    def __init__(self, reference, locals_, texts, holds):
        self.reference = reference
        self.locals = locals_
        # Attribute → the class of what it always holds, whose methods give it again unless they say otherwise.
        self.holds = holds
        # Name → the texts its parametrisation gives it.
        self.texts = texts
        self.types = {}
        self.counts = {}
        # Method → the class that was asked for it and only inherits it.
        self.heirs = {}
        # How often a symbol stands among the arguments of a class that is not itself: a value of the set-up.
        self.handed = {}
        # For each call of the reference whose arguments are being read, the innermost last: the class it makes, else None.
        self.makings = []

    def note(self, symbol):
        self.counts[symbol] = self.counts.get(symbol, 0) + 1
        if self.makings and self.makings[-1] not in (None, symbol):
            self.handed[symbol] = self.handed.get(symbol, 0) + 1

    def is_handed(self, symbol):
        """A class whose every use is an argument for the making of another."""
        return self.reference.kinds.get(symbol) == "class" and self.handed.get(symbol, 0) == self.counts[symbol]

    def note_method(self, held, symbol):
        """A method counts; where the class only inherits it, the class counts as well, and alone where its parent is private."""
        owner = symbol.rpartition(".")[0]
        if owner != held:
            self.note(held)
            if is_private_name(owner.rpartition(".")[2]):
                return
            self.heirs[symbol] = held
        self.note(symbol)

    def symbol_of(self, parts):
        """The longest part of a chain that is a known reference symbol: (symbol, kind, rest)."""
        if parts[0] not in self.locals:
            return None
        dotted = self.locals[parts[0]].split(".") + parts[1:]
        for length in range(len(dotted), 0, -1):
            found = self.reference.resolve(".".join(dotted[:length]))
            if found and found[0] == "reference" and found[2] != "module":
                return found[1], found[2], dotted[length:]
        return None

    def infer(self, node):
        """The reference class an expression's value is an instance of, or None."""
        if isinstance(node, ast.Call):
            return self.infer_call(node)
        if isinstance(node, ast.Attribute) and node.attr in self.holds:
            return self.holds[node.attr]
        parts = chain(node)
        return self.types.get(".".join(parts)) if parts else None

    def infer_call(self, node):
        found = self.symbol_of(chain(node.func) or ["?"])
        if found and not found[2]:
            return found[0] if found[1] == "class" else self.reference.returns(found[0])
        if isinstance(node.func, ast.Attribute):
            method = self.method_of(node.func)
            held = self.infer(node.func.value)
            return method and (self.reference.returns(method, held=held) or (held if held in self.holds.values() else None))
        return None

    def method_of(self, attribute):
        held = self.infer(attribute.value)
        found = held and self.reference.resolve_member(held, attribute.attr, 0)
        return found[1] if found else None

    def visit_Call(self, node):
        """`getattr(value, "name")`, also with the names a parametrisation gives, reaches what `value.name` does."""
        if chain(node.func) == ["getattr"] and len(node.args) > 1:
            value, name = node.args[:2]
            texts = [name.value] if isinstance(name, ast.Constant) else self.texts.get(getattr(name, "id", None), [])
            for text in texts:
                if isinstance(text, str) and text.isidentifier():
                    self.visit_Attribute(ast.Attribute(value=value, attr=text, ctx=ast.Load()))
        callee = self.callee_of(node)
        self.visit(node.func)
        if callee:
            self.makings.append(callee if self.reference.kinds.get(callee) == "class" else None)
        for argument in [*node.args, *node.keywords]:
            self.visit(argument)
        if callee:
            self.makings.pop()

    def callee_of(self, call):
        """The reference symbol that is called, or None."""
        found = self.symbol_of(chain(call.func) or ["?"])
        if found:
            return None if found[2] else found[0]
        return self.method_of(call.func) if isinstance(call.func, ast.Attribute) else None

    def visit_Assign(self, node):
        held = self.infer(node.value)
        for target in node.targets:
            parts = chain(target)
            if held and parts:
                self.types[".".join(parts)] = held
        self.generic_visit(node)

    def visit_With(self, node):
        for item in node.items:
            held, parts = self.infer(item.context_expr), chain(item.optional_vars) if item.optional_vars else None
            if held and parts:
                self.types[".".join(parts)] = held
        self.generic_visit(node)

    def visit_Attribute(self, node):
        found = self.symbol_of(chain(node) or ["?"])
        if found:
            return self.note(found[0])
        method = self.method_of(node)
        if method:
            self.note_method(self.infer(node.value), method)
        held = self.types.get(".".join(chain(node) or ["?"]))
        if held:
            self.note(held)
        self.generic_visit(node)

    def visit_Name(self, node):
        found = self.symbol_of([node.id])
        if found:
            self.note(found[0])


def uses_of(sources, unit, imports, tree):
    """What one unit uses; where it only works through helpers, what its whole slice does."""
    locals_ = {entry["local"]: bound_path(entry["module"], entry["name"], entry["local"]) for entry in imports}
    visitor = Uses(sources.reference, locals_, unit.parametrised_texts(), sources.settings.get("holds", {}))
    for member in unit.owner.body if unit.owner else []:
        if isinstance(member, FUNCTIONS) and not member.name.startswith("test"):
            visitor.visit(member)
    visitor.counts, visitor.heirs, visitor.handed = {}, {}, {}
    for statement in unit.node.decorator_list + unit.node.body:
        visitor.visit(statement)
    for name in module_values(unit):
        visitor.visit(name)
    if not visitor.counts:
        visitor.visit(tree)
    return visitor


def module_values(unit):
    """Values of decorators that are names (`@possible_keys`)."""
    return [unit.expand(decorator) for decorator in unit.node.decorator_list if isinstance(decorator, ast.Name)]


def words_of(name):
    """Lower-case words of an identifier in snake_case, CamelCase or capitals."""
    name = re.sub(r"([A-Z]{2,})s\b", r"\1", name)
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", name))
    return [word.lower() for word in re.split(r"[^A-Za-z0-9]+", spaced) if word]


def ranked(sources, unit, uses):
    """Symbols of a unit, subject first: shared words with the names of test and file, then uses; plumbing later, exceptions last."""
    spoken = {stem(word) for word in words_of(unit.name) + (words_of(unit.owner.name) if unit.owner else [])}
    in_path = {stem(word) for word in file_words(unit.module.path)}
    filed = in_path - spoken - {stem(sources.settings["package"])}
    around = in_path | {stem(word) for word in (words_of(unit.owner.name) if unit.owner else [])}
    plumbing = set(sources.settings["plumbing"])
    home = home_of(sources, unit)

    def score(symbol):
        owner, _, last = symbol.rpartition(".")
        is_method = sources.reference.kinds.get(symbol) == "method"
        own = words_of(last) + (words_of(owner.rpartition(".")[2]) if is_method else [])
        stems, named = {stem(word) for word in own}, {stem(word) for word in words_of(last)} <= spoken
        shared = len(stems & spoken) + len(stems & filed) / 2
        if uses.is_handed(symbol) and not stems <= around:
            # A value of the set-up can share more words with a test's name than what the test is about.
            shared /= 2
        points = 3 * shared / max(1, len(own)) ** 0.5 + min(uses.counts[symbol], 4) * 0.5
        if (symbol in plumbing or owner in plumbing) and not (is_method and named):
            points -= 2
        if is_method and named and owner not in plumbing:
            points += 1
        if home and f"{sources.reference.module_of(symbol)}.".startswith(home + "."):
            points += 2
        return points

    without = sources.settings["notTargets"]
    own = [symbol for symbol in uses.counts if not (without and re.search(without, symbol))]
    scores = {symbol: score(symbol) for symbol in own}
    for method, heir in uses.heirs.items():
        # What is said of an inherited method is said of the class that was asked for it.
        if method in scores and heir in scores and heir not in plumbing:
            scores[heir] = max(scores[heir], scores[method] + 0.1)
    return sorted(own, key=lambda symbol: (sources.reference.is_exception(symbol), -scores[symbol], symbol))


def file_words(path):
    """Words of a test file's name and of the folders below the tests: `groupby`, `missing` for `tests/groupby/test_missing.py`."""
    parts = re.sub(r"\.py$", "", path).split("/")
    below = [place for place, part in enumerate(parts[:-1]) if part in ("test", "tests")]
    return [word for part in parts[below[0] + 1 if below else -2 :] for word in words_of(part) if word not in ("test", "tests")]


def home_of(sources, unit):
    """The package a test file that lies inside the reference is about: `a.b` for `a/b/tests/test_c.py`."""
    path = unit.module.name
    return re.split(r"\.tests?(?:\.|$)", path)[0] if sources.reference.inside(path) else None


def stem(word):
    return re.sub(r"(ies|es|s|ed|ing)$", "", word) if len(word) > 4 else word
