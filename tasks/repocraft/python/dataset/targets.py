"""Which reference symbols a test exercises, and which of them is its subject."""

import ast
import re

from source import FUNCTIONS, chain


def reference_imports(tree, package):
    """Imports of the reference anywhere in a test file: {module, name, local, uses}, uses as dotted paths as written."""
    found = {}
    for node in ast.walk(tree):
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
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    nodes = [node for node in ast.walk(tree) if isinstance(node, (ast.Attribute, ast.Name)) and id(node) not in inner]
    return [parts for parts in map(chain, nodes) if parts]


class Uses(ast.NodeVisitor):
    """Counts the reference symbols a piece of code uses, with a light inference of what its variables hold."""

    def __init__(self, reference, locals_):
        self.reference = reference
        self.locals = locals_
        self.types = {}
        self.counts = {}

    def note(self, symbol):
        self.counts[symbol] = self.counts.get(symbol, 0) + 1

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
        parts = chain(node)
        return self.types.get(".".join(parts)) if parts else None

    def infer_call(self, node):
        found = self.symbol_of(chain(node.func) or ["?"])
        if found and not found[2]:
            return found[0] if found[1] == "class" else self.reference.returns(found[0])
        if isinstance(node.func, ast.Attribute):
            method = self.method_of(node.func)
            return method and self.reference.returns(method)
        return None

    def method_of(self, attribute):
        held = self.infer(attribute.value)
        found = held and self.reference.resolve_member(held, attribute.attr, 0)
        return found[1] if found else None

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
            self.note(method)
        held = self.types.get(".".join(chain(node) or ["?"]))
        if held:
            self.note(held)
        self.generic_visit(node)

    def visit_Name(self, node):
        found = self.symbol_of([node.id])
        if found:
            self.note(found[0])


def uses_of(sources, unit, imports, tree):
    """Symbol → number of uses in one unit; where it only works through helpers, in its whole slice."""
    locals_ = {entry["local"]: bound_path(entry["module"], entry["name"], entry["local"]) for entry in imports}
    visitor = Uses(sources.reference, locals_)
    for member in unit.owner.body if unit.owner else []:
        if isinstance(member, FUNCTIONS) and not member.name.startswith("test"):
            visitor.visit(member)
    visitor.counts = {}
    for statement in unit.node.decorator_list + unit.node.body:
        visitor.visit(statement)
    for name in module_values(unit):
        visitor.visit(name)
    if not visitor.counts:
        visitor.visit(tree)
    return visitor.counts


def module_values(unit):
    """Values of decorators that are names (`@possible_keys`)."""
    return [unit.expand(decorator) for decorator in unit.node.decorator_list if isinstance(decorator, ast.Name)]


def words_of(name):
    """Lower-case words of an identifier in snake_case, CamelCase or capitals."""
    name = re.sub(r"([A-Z]{2,})s\b", r"\1", name)
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", name))
    return [word.lower() for word in re.split(r"[^A-Za-z0-9]+", spaced) if word]


def ranked(sources, unit, counts):
    """Symbols of a unit, subject first: shared words with the test's name, then uses; plumbing later, exceptions last."""
    spoken = {stem(word) for word in words_of(unit.name) + (words_of(unit.owner.name) if unit.owner else [])}
    plumbing = set(sources.settings["plumbing"])
    home = home_of(sources, unit)

    def score(symbol):
        owner, _, last = symbol.rpartition(".")
        is_method = sources.reference.kinds.get(symbol) == "method"
        own = words_of(last) + (words_of(owner.rpartition(".")[2]) if is_method else [])
        shared = len({stem(word) for word in own} & spoken)
        points = 3 * shared / max(1, len(own)) ** 0.5 + min(counts[symbol], 4) * 0.5
        if symbol in plumbing or owner in plumbing:
            points -= 2
        if home and f"{sources.reference.module_of(symbol)}.".startswith(home + "."):
            points += 2
        return points

    without = sources.settings["notTargets"]
    own = [symbol for symbol in counts if not (without and re.search(without, symbol))]
    return sorted(own, key=lambda symbol: (sources.reference.is_exception(symbol), -score(symbol), symbol))


def home_of(sources, unit):
    """The package a test file that lies inside the reference is about: `a.b` for `a/b/tests/test_c.py`."""
    path = unit.module.name
    return re.split(r"\.tests?(?:\.|$)", path)[0] if sources.reference.inside(path) else None


def stem(word):
    return re.sub(r"(ies|es|s|ed|ing)$", "", word) if len(word) > 4 else word
