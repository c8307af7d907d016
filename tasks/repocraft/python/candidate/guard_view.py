"""A test file with what its names stand for: which expressions ask the library under test, directly or through a variable."""

import ast
import builtins
import re

BUILTINS = frozenset(dir(builtins))
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
IMPORTS = (ast.Import, ast.ImportFrom)
# An encoding declared in the file decides how Python reads it; the judge of a text must see what Python sees.
CODING = re.compile(r"^[ \t\f]*#.*?coding[:=]", re.MULTILINE)


class TestView:
    """
    One version of a test. `packages` are the top-level names of the library under test: the reference for the task's own
    test, the candidate for a rewrite of it.
    """

    def __init__(self, source, packages):
        self.tree = ast.parse(source)
        self.imports = [node for node in ast.walk(self.tree) if isinstance(node, IMPORTS)]
        self.local = {}  # local name → dotted path in the library under test
        self.other = set()  # imports of everything else, as (module, name, local)
        for node in self.imports:
            for module, name, local in names_of(node):
                if not module.startswith(".") and module.split(".")[0] in packages:
                    self.local[local] = library_path(node, module, name, local)
                else:
                    self.other.add((module, name, local))
        self.tree = WithoutImports().visit(self.tree)
        self.words = {word for node in ast.walk(self.tree) for word in words_in(node)}
        self.asking = {}
        functions = [node for node in ast.walk(self.tree) if isinstance(node, FUNCTIONS)]
        top = [node for node in self.tree.body if not isinstance(node, (*FUNCTIONS, ast.ClassDef))]
        self.selves = set()
        self.everywhere = set(self.local) | self._holders(top, set(self.local))
        methods = {part for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef) for part in node.body}
        classes = [node for node in self.tree.body if isinstance(node, ast.ClassDef)]
        # Functions, classes and methods of the test itself: what they are called stays, and what they return may be asked.
        self.own = {f"self.{node.name}" if node in methods else node.name for node in functions}
        self.own |= {node.name for node in classes}
        # What one of these holds may come from another: thrice is enough for tests people write.
        for _ in range(3):
            asking = [node for node in functions if self._asks_at_all(node)]
            self.everywhere |= {node.name for node in asking if is_fixture(node) or node not in methods}
            self.everywhere |= {node.name for node in classes if self._asks(node, self.everywhere)}
            self.selves |= {f"self.{node.name}" for node in asking if node in methods}
            self.selves |= self._own_attributes(functions)

    def scope(self, function):
        """Names in a function that stand for the library or for what it gave."""
        if function is None:
            return self.everywhere
        if function not in self.asking:
            known = self.everywhere | parametrized(function, self.everywhere)
            self.asking[function] = known | self._holders([function], known)
        return self.asking[function]

    def asks(self, node, function):
        """Whether an expression or statement asks the library."""
        return self._asks(node, self.scope(function))

    def is_own_call(self, node):
        """A call of a function, class or method that the test defines."""
        if not isinstance(node, ast.Call):
            return False
        return (own_attribute(node.func) or getattr(node.func, "id", None)) in self.own

    def path(self, node):
        """`a.b.c` of a chain that begins with an import of the library, spelt out: `library.a.b.c`; else None."""
        links = chain(node)
        if links is None or links[0] not in self.local:
            return None
        return ".".join([self.local[links[0]], *links[1:]])

    def _asks(self, node, names):
        return any(
            (isinstance(part, ast.Name) and part.id in names) or own_attribute(part) in self.selves
            for part in ast.walk(node)
        )

    def _holders(self, nodes, known):
        """Variables that are given a value for which the library is asked, whatever the order."""
        held, size = set(), -1
        given = [pair for node in nodes for part in ast.walk(node) for pair in bindings(part)]
        while len(held) > size:
            size = len(held)
            for targets, value in given:
                if self._asks(value, known | held):
                    held |= {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
        return held

    def _asks_at_all(self, function):
        return self._asks(function, self.everywhere | self._holders([function], self.everywhere))

    def _own_attributes(self, functions):
        """Attributes of `self` and `cls` that hold what the library gave: `self.session`."""
        found = set()
        for function in functions:
            names = self.everywhere | self._holders([function], self.everywhere)
            for targets, value in [pair for part in ast.walk(function) for pair in bindings(part)]:
                if self._asks(value, names):
                    found |= {own_attribute(part) for target in targets for part in ast.walk(target)} - {None}
        for node in ast.walk(self.tree):
            for statement in node.body if isinstance(node, ast.ClassDef) else []:
                for targets, value in bindings(statement):
                    if self._asks(value, self.everywhere):
                        found |= {f"self.{part.id}" for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
        return found


class WithoutImports(ast.NodeTransformer):
    """Imports, docstrings and other bare texts are judged by themselves or not at all."""

    def generic_visit(self, node):
        super().generic_visit(node)
        if isinstance(getattr(node, "body", None), list) and not node.body and not isinstance(node, ast.Module):
            node.body = [ast.copy_location(ast.Pass(), node)]
        return node

    def visit_Import(self, node):
        return None

    visit_ImportFrom = visit_Import

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return None
        return self.generic_visit(node)


def names_of(node):
    """What an import binds, as (module, name or None, local name)."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            yield alias.name, None, alias.asname or alias.name.split(".")[0]
        else:
            yield "." * node.level + (node.module or ""), alias.name, alias.asname or alias.name


def library_path(node, module, name, local):
    if name is not None:
        return f"{module}.{name}"
    return module if any(alias.asname == local for alias in node.names) else module.split(".")[0]


def words_in(node):
    """Every name a node uses or binds."""
    for field in ("id", "attr", "arg", "name"):
        word = getattr(node, field, None)
        if isinstance(word, str):
            yield word
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names


def chain(node):
    """`a.b.c` as ["a", "b", "c"]; None where the chain does not begin with a name."""
    links = []
    while isinstance(node, ast.Attribute):
        links.insert(0, node.attr)
        node = node.value
    return [node.id, *links] if isinstance(node, ast.Name) else None


def own_attribute(node):
    """`self.session` or `cls.session` as text, else None."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
        return f"self.{node.attr}"
    return None


def bindings(node):
    """(targets, value) of everything that gives a name a value."""
    if isinstance(node, ast.Assign):
        yield node.targets, node.value
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and node.value is not None:
        yield [node.target], node.value
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield [node.target], node.iter
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield [node.optional_vars], node.context_expr


def is_fixture(node):
    return isinstance(node, FUNCTIONS) and any(
        "fixture" in (chain(item.func if isinstance(item, ast.Call) else item) or []) for item in node.decorator_list
    )


def parametrized(function, known):
    """Arguments that a decorator fills with something of the library."""
    filled = [
        item
        for item in getattr(function, "decorator_list", [])
        if any(isinstance(part, ast.Name) and part.id in known for part in ast.walk(item))
    ]
    texts = [part.value for item in filled for part in ast.walk(item) if isinstance(part, ast.Constant)]
    words = {word for text in texts if isinstance(text, str) for word in re.findall(r"\w+", text)}
    arguments = getattr(function, "args", None)
    names = {argument.arg for argument in ast.walk(arguments) if isinstance(argument, ast.arg)} if arguments else set()
    return names & (words | known)
