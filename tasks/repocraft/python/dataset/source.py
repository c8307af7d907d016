"""Python files as text with an index of what their top level binds. Text is only ever cut out, never re-printed."""

import ast
import pathlib
import re

IMPORTS = (ast.Import, ast.ImportFrom)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPOUND = (ast.If, ast.Try, ast.With, ast.For, ast.While)


class Module:
    """One parsed file: `path` inside its root, dotted `name`, `lines` of text, and `bindings` of the top level."""

    def __init__(self, path, name, text):
        self.path = path
        self.name = name
        self.lines = text.split("\n")
        self.tree = ast.parse(text)
        self.is_package = path.endswith("__init__.py")
        # What its names stand for (`values.py`), which every test of it asks.
        self.values = {}
        self.imported = None
        # The tree it was loaded from, which has the modules it imports from.
        self.beside = None
        self.bindings = {}
        for statement in self.tree.body:
            for bound, alias in bound_names(statement):
                self.bindings.setdefault(bound, []).append((statement, alias))

    def imported_names(self):
        """What the file imports at its top level, be it under a condition."""
        if self.imported is None:
            nodes = [node for found in self.bindings.values() for node in walk(found[0][0]) if isinstance(found[0][0], (*IMPORTS, *COMPOUND))]
            self.imported = {alias.asname or alias.name.split(".")[0] for node in nodes if isinstance(node, IMPORTS) for alias in node.names}
        return self.imported

    @property
    def package(self):
        return self.name if self.is_package else self.name.rpartition(".")[0]

    def absolute(self, node):
        """The absolute dotted module an `ImportFrom` of this file reads."""
        if not node.level:
            return node.module
        parts = self.package.split(".")
        parts = parts[: len(parts) - node.level + 1]
        return ".".join(parts + ([node.module] if node.module else []))

    def text_of(self, first, last):
        return "\n".join(self.lines[first - 1 : last])

    def segment(self, node):
        return self.text_of(first_line(node), node.end_lineno)


def dotted_name(path):
    """`a/b/__init__.py` → `a.b`."""
    return re.sub(r"(/__init__)?\.py$", "", path).replace("/", ".")


def first_line(node):
    """First line of a statement, decorators included."""
    return min([node.lineno] + [decorator.lineno for decorator in getattr(node, "decorator_list", [])])


def bound_names(statement):
    """(name, import alias or None) for everything a top-level statement binds; compound statements bind as a whole."""
    if isinstance(statement, IMPORTS):
        return [(alias.asname or alias.name.split(".")[0], alias) for alias in statement.names]
    if isinstance(statement, FUNCTIONS + (ast.ClassDef,)):
        return [(statement.name, None)]
    found = []
    if isinstance(statement, COMPOUND):
        for node in walk(statement):
            if isinstance(node, IMPORTS):
                found += [(alias.asname or alias.name.split(".")[0], None) for alias in node.names]
            elif isinstance(node, FUNCTIONS + (ast.ClassDef,)):
                found.append((node.name, None))
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.append((node.id, None))
        return found
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    for target in targets:
        if target is not None:
            found += [(node.id, None) for node in walk(target) if isinstance(node, ast.Name)]
    return found


class Tree:
    """The .py files below a folder, parsed when asked for."""

    def __init__(self, root, prefix=""):
        self.root = pathlib.Path(root)
        self.prefix = prefix
        self.cache = {}
        # Our stand-ins for fixtures from afar, where it is a tree of tests.
        self.fixtures = None

    def load(self, path):
        """The module at a path inside the root, or None when there is no such file."""
        if path not in self.cache:
            file = self.root / path
            if not file.is_file():
                self.cache[path] = None
            else:
                self.cache[path] = Module(path, dotted_name(path), file.read_text(encoding="utf-8"))
                self.cache[path].beside = self
        return self.cache[path]

    def find(self, dotted):
        """The module of a dotted name, or None."""
        base = dotted.replace(".", "/")
        return self.load(base + ".py") or self.load(base + "/__init__.py")

    def paths(self, below="."):
        """Paths of all .py files inside the root, or inside one folder of it."""
        return sorted(str(file.relative_to(self.root)) for file in (self.root / below).rglob("*.py"))

    def forget(self, path):
        """Lets a parsed file go: all test files of a large project at once fill the memory."""
        self.cache.pop(path, None)


def is_private_name(name):
    return name.startswith("_") and not name.startswith("__")


def walk(node):
    """`ast.walk` without contexts and operators; remembered at the node, since every rule walks the same trees."""
    below = getattr(node, "below", None)
    if below is None:
        # The node itself is not in its list: a circle would never be freed, nobody collects garbage here.
        below = node.below = children_of(node)
        for child in below:
            below += children_of(child)
    return [node, *below]


def children_of(node):
    found = []
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            found += [item for item in value if isinstance(item, ast.AST) and item._fields]
        elif isinstance(value, ast.AST) and value._fields:
            found.append(value)
    return found


def chain(node):
    """`['a', 'b', 'c']` for the expression `a.b.c`, else None."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return [node.id] + parts[::-1]


def loaded_names(node):
    """Names a statement reads from outside: loads minus what the outermost function itself assigns."""
    local = set()
    if isinstance(node, FUNCTIONS):
        arguments = node.args
        every = arguments.posonlyargs + arguments.args + arguments.kwonlyargs
        local = {argument.arg for argument in every + [arguments.vararg, arguments.kwarg] if argument}
        for child in walk(ast.Module(body=node.body, type_ignores=[])):
            if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
                local.add(child.id)
        outer = [default for default in arguments.defaults + arguments.kw_defaults + node.decorator_list if default]
        outside = {name.id for part in outer for name in walk(part) if isinstance(name, ast.Name)}
    else:
        outside = set()
    reads = {child.id for child in walk(node) if isinstance(child, ast.Name)}
    return (reads - local) | outside
