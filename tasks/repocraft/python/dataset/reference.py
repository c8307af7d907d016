"""What the reference library defines: symbols by place of definition, re-exports resolved, return types where they show."""

import ast
import re

from source import FUNCTIONS, IMPORTS, Tree, chain, dotted_name, walk


class Reference:
    """Index of one package below `root`. Symbols are dotted strings by place of definition.

    Modules whose dotted name matches `without` (the tests some packages carry inside) are left out.
    """

    def __init__(self, root, package, without=None):
        self.tree = Tree(root)
        self.package = package
        self.kinds = {}
        self.nodes = {}
        self.modules = {}
        self.classes = {}
        for path in self.tree.paths(package):
            if not (without and without.search(dotted_name(path))):
                self.add_module(self.tree.load(path))

    def add_module(self, module):
        self.modules[module.name] = module
        self.kinds[module.name] = "module"
        for statement in module.tree.body:
            self.add_definition(module.name, statement)

    def add_definition(self, owner, statement):
        if isinstance(statement, FUNCTIONS):
            kind = "method" if self.kinds.get(owner) == "class" else "function"
            self.kinds[f"{owner}.{statement.name}"] = kind
            self.nodes[f"{owner}.{statement.name}"] = statement
        elif isinstance(statement, ast.ClassDef):
            symbol = f"{owner}.{statement.name}"
            self.kinds[symbol] = "class"
            self.nodes[symbol] = statement
            self.classes.setdefault(statement.name, []).append(symbol)
            for member in statement.body:
                self.add_definition(symbol, member)

    def resolve(self, dotted, depth=0):
        """('reference', symbol, kind) | ('external', module, name or None) | None for a dotted path as a test writes it."""
        if depth > 12:
            return None
        if dotted in self.kinds:
            return ("reference", dotted, self.kinds[dotted])
        owner, _, name = dotted.rpartition(".")
        if not owner:
            return None
        if owner in self.modules:
            return self.resolve_in_module(self.modules[owner], name, depth)
        above = self.resolve(owner, depth + 1)
        if not above:
            return None
        if above[0] == "external":
            return ("external", ".".join(part for part in above[1:] if part), name)
        if above[2] == "class":
            return self.resolve_member(above[1], name, depth)
        return self.resolve(f"{above[1]}.{name}", depth + 1) if above[1] != owner else None

    def resolve_in_module(self, module, name, depth):
        for statement, alias in reversed(module.bindings.get(name, [])):
            if isinstance(statement, IMPORTS):
                return self.follow_import(module, statement, alias, depth)
            return ("reference", f"{module.name}.{name}", "variable")
        for statement, _ in module.bindings.get("*", []):
            source = module.absolute(statement)
            found = self.inside(source) and not name.startswith("_") and self.resolve(f"{source}.{name}", depth + 1)
            if found:
                return found
        return None

    def follow_import(self, module, statement, alias, depth):
        if isinstance(statement, ast.Import):
            full = alias.name if alias.asname else alias.name.split(".")[0]
            return self.resolve(full, depth + 1) if self.inside(full) else ("external", full, None)
        source = module.absolute(statement)
        if self.inside(source):
            return self.resolve(f"{source}.{alias.name}", depth + 1)
        return ("external", source, alias.name)

    def resolve_member(self, symbol, name, depth):
        """A method of a class or of one of its bases inside the reference."""
        if f"{symbol}.{name}" in self.kinds:
            return ("reference", f"{symbol}.{name}", self.kinds[f"{symbol}.{name}"])
        for base in self.bases(symbol):
            found = self.resolve_member(base, name, depth + 1) if depth < 12 else None
            if found:
                return found
        return None

    def bases(self, symbol):
        module = self.module_of(symbol)
        found = []
        for base in self.nodes[symbol].bases:
            parts = chain(base)
            target = parts and self.resolve(f"{module}.{'.'.join(parts)}")
            if target and target[0] == "reference" and target[2] == "class":
                found.append(target[1])
        return found

    def is_exception(self, symbol):
        if self.kinds.get(symbol) != "class":
            return False
        names = [(chain(base) or ["?"])[-1] for base in self.nodes[symbol].bases]
        return any(re.search(r"(Error|Exception|Warning)$", name) for name in names) or any(
            self.is_exception(base) for base in self.bases(symbol)
        )

    def module_of(self, symbol):
        while symbol and self.kinds.get(symbol) != "module":
            symbol = symbol.rpartition(".")[0]
        return symbol

    def inside(self, dotted):
        return dotted == self.package or dotted.startswith(self.package + ".")

    def returns(self, symbol, depth=0, held=None):
        """The reference class a function or method gives back, from its docstring or its return statements; None if unknown.

        `held` is the class of the instance that a method is asked of: what gives back its own kind gives back the heir's.
        """
        node = self.nodes.get(symbol)
        if depth > 4 or not isinstance(node, FUNCTIONS):
            return None
        documented = re.search(r":(?:rtype:|returns?:.*?:class:`)\s*[`~]*([\w.]+)", ast.get_docstring(node) or "")
        if documented:
            return self.class_named(documented.group(1))
        owner = symbol.rpartition(".")[0]
        module = self.module_of(symbol)
        own = (held or owner) if self.kinds.get(owner) == "class" else None
        annotated = annotation_name(node.returns)
        if annotated:
            return own if own and annotated == "Self" else self.class_named(annotated)
        made = {}
        for child in walk(node):
            if isinstance(child, ast.Assign) and isinstance(child.value, ast.Call):
                for target in child.targets:
                    if isinstance(target, ast.Name):
                        made[target.id] = child.value
        for child in walk(node):
            if not isinstance(child, ast.Return):
                continue
            value = child.value
            if isinstance(value, ast.Name):
                if value.id == "self" and own:
                    return own
                value = made.get(value.id)
            if isinstance(value, ast.Call):
                found = self.call_type(module, own or owner, value, depth)
                if found:
                    return found
        return None

    def call_type(self, module, owner, call, depth):
        parts = chain(call.func)
        if not parts:
            return None
        base = f"{owner}.{'.'.join(parts[1:])}" if parts[0] == "self" else f"{module}.{'.'.join(parts)}"
        target = self.resolve(base)
        if not target or target[0] != "reference":
            return None
        return target[1] if target[2] == "class" else self.returns(target[1], depth + 1, owner if parts[0] == "self" else None)

    def class_named(self, name):
        options = self.classes.get(name.split(".")[-1], [])
        return options[0] if len(options) == 1 else None


def annotation_name(node):
    """The class an annotation names, quoted or not; None for anything more."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value if re.fullmatch(r"[\w.]+", node.value) else None
    return (chain(node) or [None])[-1] if node else None
