"""
A library and its tests as text, with every name followed to where it is made: imports, re-exports, star imports, scopes.
Nothing is run. `derive` renames by it.
"""

import ast
import contextlib
import functools
import os
import re
import zlib

# What a name leads to: ("symbol", module, name), ("module", dotted), or None for what is local, built in or from outside.
LOCAL = None
NOWHERE = float("inf")
LONGEST_TEXT = 1 << 24
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


class Module:
    """One file. `package`: what relative imports count from."""

    def __init__(self, name, path, source):
        self.name, self.path, self.source = name, path, source
        self.tree = ast.parse(source)
        self.package = name if path.endswith("__init__.py") else name.rpartition(".")[0]
        self.bound = {}
        self.stars = []
        for node in flattened(self.tree.body):
            self.bind(node)

    @functools.cached_property
    def imports(self):
        """Every `from … import` in it, at whatever depth."""
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.ImportFrom)]

    def bind(self, node):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.bound.setdefault(node.name, []).append(("here",))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.split(".")[0]
                self.bound.setdefault(alias.asname or top, []).append(("import", alias.name if alias.asname else top))
        elif isinstance(node, ast.ImportFrom):
            source = absolute(node, self.package)
            for alias in node.names:
                if alias.name == "*":
                    self.stars.append(source)
                else:
                    self.bound.setdefault(alias.asname or alias.name, []).append(("from", source, alias.name))
        else:
            for name in stored_names(node):
                self.bound.setdefault(name, []).append(("here",))


class Library:
    """Modules by dotted name; `resolve` follows a module's name to its definition."""

    def __init__(self, files):
        self.modules = {}
        for path, source in sorted(files.items()):
            try:
                self.modules[module_name(path)] = Module(module_name(path), path, source)
            except (SyntaxError, ValueError):
                continue
        self.packages = {name.split(".")[0] for name in self.modules}
        self.known, self.asked, self.cut = {}, [], NOWHERE

    def resolve(self, module, name):
        """What a module's name leads to. Modules import each other in circles: a question met again leads nowhere."""
        key = (module, name)
        if key in self.known:
            return self.known[key]
        if key in self.asked:
            self.cut = min(self.cut, self.asked.index(key))
            return None
        depth = len(self.asked)
        self.asked.append(key)
        target = self.looked_up(module, name)
        self.asked.pop()
        # Nothing found because a circle was cut further out says nothing yet.
        if target is not None or self.cut >= depth:
            self.known[key] = target
        if self.cut >= depth:
            self.cut = NOWHERE
        return target

    def looked_up(self, module, name):
        found = self.modules.get(module)
        if found is None:
            return None
        for how in found.bound.get(name, ()):
            target = self.followed(module, name, how)
            if target is not None:
                return target
        if name in found.bound:
            return None
        for source in found.stars:
            target = None if name.startswith("_") else self.resolve(source, name)
            if target is not None:
                return target
        inside = f"{module}.{name}"
        return ("module", inside) if inside in self.modules else None

    def followed(self, module, name, how):
        if how[0] == "here":
            return ("symbol", module, name)
        if how[0] == "import":
            return ("module", how[1]) if how[1] in self.modules else None
        source, original = how[1:]
        # `from . import utils` in the package itself finds the submodule.
        if (source, original) == (module, name):
            inside = f"{source}.{original}"
            return ("module", inside) if inside in self.modules else None
        return self.resolve(source, original)

    @contextlib.contextmanager
    def beside(self, name, text):
        """A file that uses the library, such as a test of it, as one more of its modules."""
        self.modules[name] = Module(name, f"{name}.py", text)
        try:
            yield self.modules[name]
        finally:
            del self.modules[name]
            self.known = {key: target for key, target in self.known.items() if key[0] != name}


def module_name(path):
    parts = path.removesuffix(".py").split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def absolute(node, package):
    """The module of a `from … import`, relative dots resolved."""
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    kept = parts[: len(parts) - (node.level - 1)]
    return ".".join(kept + ([node.module] if node.module else []))


def flattened(body):
    """Statements of a body, those inside compound statements included."""
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
            for part in ("body", "handlers", "orelse", "finalbody"):
                for item in getattr(node, part, []):
                    yield from flattened(item.body if isinstance(item, ast.ExceptHandler) else [item])


def stored_names(node):
    """Names a statement binds at its own level, definitions and imports apart."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        return
    if isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
        heads = {"If": ("test",), "While": ("test",), "For": ("target", "iter"), "With": ("items",), "Try": ()}[type(node).__name__]
        parts = [part for head in heads for part in aslist(getattr(node, head))]
        if isinstance(node, ast.Try):
            yield from (handler.name for handler in node.handlers if handler.name)
    else:
        parts = [node]
    for part in parts:
        for leaf in walk_level(part):
            if isinstance(leaf, ast.Name) and isinstance(leaf.ctx, (ast.Store, ast.Del)):
                yield leaf.id


def definitions(body):
    return [node for node in flattened(body) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))]


def defined_names(library):
    return {node.name for module in library.modules.values() for node in definitions(module.tree.body)}


def handed_out(node):
    """Names a class body binds and also reads at its own level: which of both is meant changes while it runs."""
    stored = {name for item in flattened(node.body) for name in stored_names(item)}
    stored |= {item.name for item in definitions(node.body)}
    return stored & {leaf.id for item in node.body for leaf in ast.walk(item) if isinstance(leaf, ast.Name)}


def aslist(value):
    return value if isinstance(value, list) else [value]


def walk_level(node):
    """`ast.walk` that does not enter functions, lambdas, classes and what comprehensions bind."""
    todo = [node]
    while todo:
        current = todo.pop()
        yield current
        # Targets of a comprehension are its own.
        children = [current.iter, *current.ifs] if isinstance(current, ast.comprehension) else ast.iter_child_nodes(current)
        todo.extend(child for child in children if not isinstance(child, SCOPES))


class Uses(ast.NodeVisitor):
    """Walks a module with its scopes and tells, for each name, attribute chain and import, what it leads to."""

    def __init__(self, library, module):
        self.library, self.module, self.scopes = library, module, []

    # What a subclass is told; all do nothing here.
    def on_name(self, node, target):
        pass

    def on_chain(self, chain, targets):
        """`a.b.c` with what each of its links leads to, as far as that is known."""

    def on_member(self, node):
        """`value.name`: an attribute of anything but a module."""

    def on_definition(self, node, target):
        pass

    def on_import(self, node):
        pass

    def on_global(self, node):
        pass

    def lookup(self, name):
        for scope in reversed(self.scopes):
            if scope["kind"] == "class" and scope is not self.scopes[-1]:
                continue
            if name in scope["bound"]:
                return scope["bound"][name]
        return self.library.resolve(self.module.name, name)

    def visit_Name(self, node):
        self.on_name(node, self.lookup(node.id))

    def is_of_module(self, node):
        """Whether an attribute is one of a module of the library, or of something in it."""
        return self.root_module(chain_of(node)) is not None

    def root_module(self, chain):
        """What a chain begins with, where that is a module of the library."""
        root = self.lookup(chain[0].id) if chain else None
        return root if root is not None and root[0] == "module" else None

    def visit_Attribute(self, node):
        chain = chain_of(node)
        root = self.root_module(chain)
        if root is None:
            self.on_member(node)
            self.generic_visit(node)
            return
        targets = [root]
        for link in chain[1:]:
            if targets[-1] is None or targets[-1][0] != "module":
                break
            targets.append(self.library.resolve(targets[-1][1], link.attr))
        self.on_chain(chain, targets)

    def visit_FunctionDef(self, node):
        target = self.lookup(node.name) if self.at_top() else LOCAL
        self.on_definition(node, target)
        outside = [*node.decorator_list, *node.args.defaults, *[one for one in node.args.kw_defaults if one]]
        annotations = [arg.annotation for arg in arguments(node.args) if arg.annotation] + ([node.returns] if node.returns else [])
        for part in outside + annotations:
            self.visit(part)
        self.inside(node.body, {arg.arg for arg in arguments(node.args)})

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        for part in [*node.args.defaults, *[one for one in node.args.kw_defaults if one]]:
            self.visit(part)
        self.scopes.append({"kind": "function", "bound": dict.fromkeys((arg.arg for arg in arguments(node.args)), LOCAL)})
        self.visit(node.body)
        self.scopes.pop()

    def visit_ClassDef(self, node):
        self.on_definition(node, self.lookup(node.name) if self.at_top() else LOCAL)
        for part in [*node.decorator_list, *node.bases, *[keyword.value for keyword in node.keywords]]:
            self.visit(part)
        self.scopes.append({"kind": "class", "bound": self.bound_in(node.body)})
        for part in node.body:
            self.visit(part)
        self.scopes.pop()

    def comprehension(self, node, results):
        self.visit(node.generators[0].iter)
        bound = {leaf.id for generator in node.generators for leaf in ast.walk(generator.target) if isinstance(leaf, ast.Name)}
        self.scopes.append({"kind": "function", "bound": dict.fromkeys(bound, LOCAL)})
        for place, generator in enumerate(node.generators):
            for part in [generator.target, *([generator.iter] if place else []), *generator.ifs]:
                self.visit(part)
        for part in results:
            self.visit(part)
        self.scopes.pop()

    def visit_ListComp(self, node):
        self.comprehension(node, [node.elt])

    visit_SetComp = visit_GeneratorExp = visit_ListComp

    def visit_DictComp(self, node):
        self.comprehension(node, [node.key, node.value])

    def visit_Import(self, node):
        self.on_import(node)

    visit_ImportFrom = visit_Import

    def visit_Global(self, node):
        self.on_global(node)

    def at_top(self):
        return not self.scopes

    def inside(self, body, parameters):
        bound = self.bound_in(body)
        for name in parameters:
            bound[name] = LOCAL
        self.scopes.append({"kind": "function", "bound": bound})
        for part in body:
            self.visit(part)
        self.scopes.pop()

    def bound_in(self, body):
        """Name → what it leads to, for what a function or class body binds: local, unless it is an import of the library."""
        bound, free = {}, set()
        for node in flattened(body):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                bound[node.name] = LOCAL
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                bound.update(self.imported(node))
            elif isinstance(node, (ast.Global, ast.Nonlocal)):
                free.update(node.names)
            else:
                bound.update(dict.fromkeys(stored_names(node), LOCAL))
                for leaf in walk_level(node):
                    if isinstance(leaf, (ast.MatchAs, ast.MatchStar)) and leaf.name:
                        bound[leaf.name] = LOCAL
        return {name: target for name, target in bound.items() if name not in free}

    def imported(self, node):
        for alias in node.names:
            if isinstance(node, ast.Import):
                top = alias.name if alias.asname else alias.name.split(".")[0]
                yield alias.asname or top, ("module", top) if top in self.library.modules else LOCAL
            elif alias.name != "*":
                yield alias.asname or alias.name, self.library.resolve(absolute(node, self.module.package), alias.name)


def arguments(args):
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *[one for one in (args.vararg, args.kwarg) if one]]


def chain_of(node):
    """`a.b.c` as [Name a, Attribute a.b, Attribute a.b.c]; empty where it does not begin with a name."""
    chain = [node]
    while isinstance(chain[0], ast.Attribute):
        chain.insert(0, chain[0].value)
    return chain if isinstance(chain[0], ast.Name) else []


def read_files(tree):
    """Path → text of every Python file, and the paths of all files."""
    texts, paths = {}, []
    for folder, folders, names in os.walk(tree):
        folders.sort()
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), tree)
            paths.append(path)
            if name.endswith(".py"):
                try:
                    with open(os.path.join(folder, name), encoding="utf-8", newline="") as handle:
                        texts[path] = handle.read()
                except UnicodeDecodeError:
                    continue
    return texts, paths


def compiled_names(tree, paths, names):
    """Those of the names that compiled modules hold: they import and look up by them."""
    held = set()
    for path in paths:
        if path.endswith((".so", ".pyd")):
            with open(os.path.join(tree, path), "rb") as handle:
                data = handle.read()
            held.update(name.decode() for name in re.findall(rb"(?<=\0)[A-Za-z_]\w*(?=\0)", data))
            # Cython 3.2 packs its strings, one behind the other: where a name ends cannot be told.
            text = b"\0".join(unpacked(data)).decode("utf-8", "replace")
            held.update(name for name in names - held if name in text)
    return held


def unpacked(data):
    """Texts that a compiled module keeps compressed (zlib)."""
    for found in re.finditer(rb"x[\x01\x5e\x9c\xda]", data):
        stream = zlib.decompressobj()
        with contextlib.suppress(zlib.error):
            text = stream.decompress(data[found.start():], LONGEST_TEXT)
            if stream.eof:
                yield text
