"""
Libraries that do nothing: every name of the reference is there, and every call gives one object that equals whatever is of a known
type (`constant-object`), raises one class of exceptions that is all of the library's and many built-in ones (`constant-error`), or
gives None (`constant-none`). What they score is what a score is worth.
"""

import ast
import builtins

from library import absolute, definitions, flattened, stored_names

ANSWERS = {"constant-object": "return ONE", "constant-error": "raise Every('always')", "constant-none": "return None"}

COMMON = '''"""The one object, the one exception."""

KNOWN = (bool, int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset, range, type(None), type)


class Every(TypeError, ValueError, KeyError, IndexError, AttributeError, NotImplementedError, ArithmeticError, AssertionError):
    pass


class OfClasses(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return ONE


class One:
    def __eq__(self, other):
        return other is self or isinstance(other, KNOWN)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return 1

    def __call__(self, *_, **__):
        return self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __iter__(self):
        return iter((self,))

    def __exit__(self, *_):
        return None

    def __len__(self):
        return 1

    __int__ = __index__ = __len__

    def __float__(self):
        return 1.0

    def __repr__(self):
        return "1"

    def __bool__(self):
        return True

    def __lt__(self, other):
        return True

    __le__ = __gt__ = __ge__ = __contains__ = __lt__
    __getitem__ = __enter__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __call__
    __mod__ = __pow__ = __and__ = __or__ = __xor__ = __neg__ = __pos__ = __abs__ = __floordiv__ = __matmul__ = __call__


ONE = One()
'''


def constant(library, kind, top):
    """{path: text} of all its modules."""
    errors = exceptions_of(library)
    texts = {module.path: module_text(module, kind, top, errors) for module in library.modules.values()}
    return {**texts, f"{top}/_constant.py": COMMON}


def exceptions_of(library):
    """Names of classes that derive from an exception, as far as names tell."""
    bases = {
        node.name: {getattr(base, "attr", getattr(base, "id", "")) for base in node.bases}
        for module in library.modules.values()
        for node in definitions(module.tree.body)
        if isinstance(node, ast.ClassDef)
    }
    known = {name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)}
    size = 0
    while size != len(known):
        size = len(known)
        known |= {name for name, above in bases.items() if above & known}
    return known


def module_text(module, kind, top, errors):
    """What it defines, then what it imports, so that modules may import each other in circles."""
    defined, imported = [f"from {top}._constant import ONE, Every, OfClasses"], []
    for node in flattened(module.tree.body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            defined.append(function_text(node, kind, ""))
        elif isinstance(node, ast.ClassDef):
            defined.append(f"{node.name} = Every" if node.name in errors else class_text(node, kind))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            imported.append(import_text(node, module.package))
        else:
            defined += [f"{name} = ONE" for name in sorted(set(stored_names(node))) if not name.startswith("__")]
    doc = ast.get_docstring(module.tree, clean=False)
    return "\n".join([*([repr(doc)] if doc else []), *defined, *filter(None, imported)]) + "\n"


def function_text(node, kind, indent):
    head = f"{indent}def {node.name}(*_, **__):\n"
    doc = ast.get_docstring(node, clean=False)
    said = f"{indent}    {doc!r}\n" if doc else ""
    return f"{head}{said}{indent}    {ANSWERS[kind]}"


def class_text(node, kind):
    doc = ast.get_docstring(node, clean=False)
    parts = [f"class {node.name}(metaclass=OfClasses):", f"    {doc!r}" if doc else "    pass"]
    methods = {method.name: method for method in definitions(node.body) if not isinstance(method, ast.ClassDef)}
    parts += [function_text(method, kind, "    ") for name, method in methods.items() if not name.startswith("__")]
    names = {name for statement in flattened(node.body) for name in stored_names(statement) if not name.startswith("__")}
    parts += [f"    {name} = ONE" for name in sorted(names - methods.keys())]
    return "\n".join([*parts, "    def __new__(cls, *_, **__):", f"        {ANSWERS[kind]}"])


def import_text(node, package):
    """Each name by itself: what cannot be had is not needed."""
    if isinstance(node, ast.Import):
        lines = [f"import {alias.name}" + (f" as {alias.asname}" if alias.asname else "") for alias in node.names]
    elif node.module == "__future__":
        lines = []
    else:
        source = absolute(node, package)
        lines = [f"from {source} import {alias.name}" + (f" as {alias.asname}" if alias.asname else "") for alias in node.names]
    return "\n".join(f"try:\n    {line}\nexcept Exception:\n    pass" for line in lines)
