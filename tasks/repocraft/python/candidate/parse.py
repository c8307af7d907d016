"""
Reads a candidate tree and prints one JSON object: its import roots and packages, every function, method and class, every
public value a module makes of one (an instance, another name), the names each module binds, and the files that could not
be read. Nothing of the candidate is imported or run.
Usage: parse.py TREE
"""

import ast
import json
import sys
import warnings

from layout import COMPILED, TooBig, import_roots, module_name, python_files

MAX_FILES = 20_000
MAX_BYTES = 512 * 1024 * 1024
# A generated one-line file of many megabytes would cost minutes; it is reported and left out.
MAX_FILE_BYTES = 4 * 1024 * 1024
# First docstring lines and signatures are search keys, not documents.
MAX_TEXT = 400
# What is told of the code of a definition without a docstring.
MAX_CODE, MAX_CALLERS, MAX_WORD = 24, 6, 40
# What modules make for themselves and for type checkers is nothing they offer.
OWN_USE = {"getLogger", "TypeVar", "ParamSpec", "NewType"}


def main(tree):
    try:
        found = python_files(tree, MAX_FILES, MAX_BYTES, endings=(".py", *COMPILED))
    except TooBig as error:
        return {"roots": [], "packages": [], "files": 0, "entries": [], "modules": {}, "problems": [problem(".", 0, str(error))]}
    files = [path for path in found if path.endswith(".py")]
    roots = import_roots(files)
    reading = Reading(tree)
    for path in files:
        module = module_name(path, roots)
        if module is not None and module not in reading.modules:
            reading.read(path, module)
    for path in found:
        module = module_name(path, roots) if path.endswith(COMPILED) else None
        if module is not None:
            reading.modules.setdefault(module, {"file": path, "names": {}, "compiled": True})
    reading.tell_callers()
    packages = sorted({name.split(".")[0] for name in reading.modules})
    return {
        "roots": roots,
        "packages": packages,
        "files": len(files),
        "entries": reading.entries,
        "modules": reading.modules,
        "problems": reading.problems,
    }


def problem(file, line, message):
    return {"file": file, "line": line, "message": message[:200]}


class Reading:
    """What has been read so far."""

    def __init__(self, tree):
        self.tree = tree
        self.entries, self.modules, self.problems = [], {}, []
        # Last name → names of the functions that call it.
        self.callers = {}

    def read(self, path, module):
        try:
            with open(f"{self.tree}/{path}", "rb") as handle:
                source = handle.read(MAX_FILE_BYTES + 1)
            if len(source) > MAX_FILE_BYTES:
                raise ValueError(f"longer than {MAX_FILE_BYTES} bytes")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                body = ast.parse(source).body
            self.modules[module] = {"file": path, "names": bound_names(body, module, path)}
            self.definitions(body, module, path, outer=None)
            self.values(body, module, path)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OSError) as error:
            self.modules.setdefault(module, {"file": path, "names": {}})
            line = getattr(error, "lineno", None) or 0
            self.problems.append(problem(path, line, f"{type(error).__name__}: {getattr(error, 'msg', None) or error}"))

    def definitions(self, body, module, path, outer):
        for node in flattened(body):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.add(node, "method" if outer else "function", signature(node), module, path, outer)
            elif isinstance(node, ast.ClassDef):
                qualified = f"{outer}.{node.name}" if outer else node.name
                self.add(node, "class", class_signature(node), module, path, outer)
                self.definitions(node.body, module, path, outer=qualified)

    def values(self, body, module, path):
        """`Q = AssumptionKeys()`, `Matrix = MutableDenseMatrix`: as much a capability as the class, which nobody may name."""
        definitions = {node.name: node for node in flattened(body) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}
        seen = set(definitions)
        for node in flattened(body):
            maker = maker_of(node)
            for name in [] if maker is None else assigned_names(node):
                if name not in seen and not name.startswith("_"):
                    seen.add(name)
                    self.entries.append({
                        "kind": "value", "name": name, "module": module, "qualname": name, "owner": None,
                        "signature": f"{name} = {unparsed(node.value)}"[:MAX_TEXT],
                        "doc": summary(definitions.get(maker)),
                        "file": path,
                        "lines": [node.lineno, node.end_lineno],
                        **({"bases": [maker]} if maker else {}),
                    })

    def tell_callers(self):
        """Adds who calls them to entries that say nothing of themselves."""
        for entry in self.entries:
            if "code" in entry:
                known = [name for name in self.callers.get(entry["name"], {}) if name != entry["name"]]
                entry["code"] = [*entry["code"], *known[:MAX_CALLERS]][:MAX_CODE + MAX_CALLERS]

    def add(self, node, kind, text, module, path, outer):
        doc, used = summary(node), code_words(node)
        for name in used if kind != "class" else ():
            self.callers.setdefault(name, {}).setdefault(node.name)
        self.entries.append({
            "kind": kind,
            "name": node.name,
            "module": module,
            "qualname": f"{outer}.{node.name}" if outer else node.name,
            "owner": outer,
            "signature": text[:MAX_TEXT],
            "doc": doc,
            **({} if doc else {"code": used[:MAX_CODE]}),
            "file": path,
            **({"bases": last_names(node.bases)} if isinstance(node, ast.ClassDef) and node.bases else {}),
            **({"property": True} if any(is_property(item) for item in node.decorator_list) else {}),
            "lines": [min([node.lineno] + [item.lineno for item in node.decorator_list]), node.end_lineno],
        })


def summary(node):
    """First paragraph of a definition's docstring in one line."""
    doc = (ast.get_docstring(node) or "") if node is not None else ""
    return " ".join(doc.strip().split("\n\n")[0].split())[:MAX_TEXT]


def code_words(node):
    """
    What the code of a definition is about: names it calls and reads from objects, short texts in it, each once, in their order; of
    a class the names of its methods.
    """
    if isinstance(node, ast.ClassDef):
        methods = [item.name for item in flattened(node.body) if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))]
        return [name for name in methods if not name.startswith("__")]
    found = {}
    for leaf in ast.walk(ast.Module(body=node.body, type_ignores=[])):
        if isinstance(leaf, ast.Call):
            name = getattr(leaf.func, "attr", None) or getattr(leaf.func, "id", None)
        elif isinstance(leaf, ast.Attribute):
            name = leaf.attr
        elif isinstance(leaf, ast.Constant) and isinstance(leaf.value, str):
            name = leaf.value if 2 < len(leaf.value) < MAX_WORD and leaf.value.isascii() and leaf.value.isprintable() else None
        else:
            name = None
        if name and len(name) < MAX_WORD:
            found.setdefault(name)
    return list(found)


def maker_of(node):
    """Last name of what a value is made of: the class it is an instance of, the definition it is another name for; None for the rest."""
    value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
    value = value.func if isinstance(value, ast.Call) else value
    maker = getattr(value, "attr", None) or getattr(value, "id", None)
    return None if maker in OWN_USE else maker


def last_names(nodes):
    names = [getattr(node, "attr", None) or getattr(node, "id", None) for node in nodes]
    return [name for name in names if name]


def assigned_names(node):
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def unparsed(node):
    try:
        return ast.unparse(node)
    except (ValueError, RecursionError):
        return "..."


def is_property(decorator):
    """`@property`, `@cached_property`, `@functools.cached_property`, `@name.setter`: reached without a call."""
    name = getattr(decorator, "attr", None) or getattr(decorator, "id", "")
    return "property" in name or name in ("setter", "getter", "deleter")


def flattened(body):
    """Statements of a body, those inside compound statements included: definitions are often guarded by a version."""
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
            for part in ("body", "handlers", "orelse", "finalbody"):
                for item in getattr(node, part, []):
                    yield from flattened(item.body if isinstance(item, ast.ExceptHandler) else [item])


def signature(node):
    try:
        returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        return f"{node.name}({ast.unparse(node.args)}){returns}"
    except (ValueError, RecursionError):
        return f"{node.name}(...)"


def class_signature(node):
    try:
        bases = ", ".join(ast.unparse(base) for base in node.bases)
    except (ValueError, RecursionError):
        bases = "..."
    return f"class {node.name}({bases})" if bases else f"class {node.name}"


def bound_names(body, module, path):
    """Name → where it comes from: null where it is made here, else the dotted path it is imported from."""
    package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
    names = {}
    for node in flattened(body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names[node.name] = None
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for leaf in ast.walk(target):
                    if isinstance(leaf, ast.Name):
                        names[leaf.id] = None
        elif isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.split(".")[0]
                names[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom):
            source = absolute(node, package)
            for alias in node.names:
                if alias.name == "*":
                    names[f"*{source}"] = source
                else:
                    names[alias.asname or alias.name] = f"{source}.{alias.name}" if source else alias.name
    return names


def absolute(node, package):
    """The module of a `from … import`, relative dots resolved."""
    if not node.level:
        return node.module or ""
    parts = package.split(".") if package else []
    kept = parts[: len(parts) - (node.level - 1)] if node.level > 1 else parts
    return ".".join(kept + ([node.module] if node.module else []))


if __name__ == "__main__":
    json.dump(main(sys.argv[1]), sys.stdout, separators=(",", ":"))
