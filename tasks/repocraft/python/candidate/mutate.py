"""
Alters one expectation of a test, so that what really satisfied it no longer can: a negative control. Made in the task's own test and,
at the same place, in the test as it was adapted to a candidate.
Usage: mutate.py REQUEST.json, with {"task", "adapted": test code, "functions": selected test functions, "seed", "limit",
"classes": {"task", "adapted": {dotted path of a class of the library: [last names of its bases, whether it is a name for another]}},
absent where nobody knows};
prints {"mutants": [{"kind", "function", "line", "task", "adapted"}]}, best first; fewer, or none, where there is nothing to alter.

Kinds, best first: `constant`, an expected value written in the test becomes another one; `expected`, a computed one becomes a value
of a known type, or of a class derived from one; `raises`, a sibling of the exception is expected: another one of the library, or of
the built-in ones, that is neither a base nor a kind of it, so that what raises one class for everything cannot be told apart by
the class that nobody raises; `negated`, the assertion is turned round. A value that
equals everything survives the last, and is found by the first two. Names in what is written are drawn by the seed, so that
a candidate cannot tell an altered test by the one word that all of them have.
"""

import ast
import builtins
import hashlib
import json
import sys

from adapt import Edits

KINDS = ("constant", "expected", "raises", "negated")
# Names of classes of what is expected by nobody.
STRANGERS = ("Record", "Entry", "Node", "Item", "Value", "Result", "Point", "Response")
# What is expected instead of a computed value: who is equal to whatever is of a known type is equal to these.
OF_KNOWN_TYPES = ('"{word}"', "[{number}]", '{{"{word}": {number}}}', "{number}", '("{word}", {number})', 'b"{word}"')
OF_DERIVED_TYPES = (
    'type("{name}", (str,), {{}})("{word}")',
    'type("{name}", (int,), {{}})({number})',
    'type("{name}", (dict,), {{}})({word}={number})',
)
WORDS = ("quill", "ember", "hollow", "tarn", "sedge", "kestrel", "lichen", "moraine")
# What libraries raise and derive from: what is all of them at once cannot be told from a sibling that nobody raises.
COMMON = ("TypeError", "ValueError", "KeyError", "AttributeError", "IndexError", "RuntimeError", "NotImplementedError", "OSError", "ArithmeticError")
NEVER = object()


def main(path):
    with open(path, encoding="utf-8") as handle:
        request = json.load(handle)
    names = {function.rpartition("::")[2] for function in request["functions"]}
    try:
        found = [sites(request[which], names, request["seed"]) for which in ("task", "adapted")]
        found = siblings(request, found)
        pairs = list(zip(*found, strict=True))
    except (SyntaxError, RecursionError, ValueError):
        return {"mutants": []}
    if any(one["kind"] != other["kind"] for one, other in pairs):
        return {"mutants": []}
    order = sorted(range(len(pairs)), key=lambda index: (KINDS.index(pairs[index][0]["kind"]), rank(request["seed"], index)))
    return {"mutants": [mutant(request, *pairs[index]) for index in order[: request["limit"]]]}


def rank(seed, index):
    return hashlib.sha256(f"{seed} {index}".encode()).hexdigest()


def mutant(request, task, adapted):
    sources = {"task": edited(request["task"], task["edits"]), "adapted": edited(request["adapted"], adapted["edits"])}
    return {"kind": task["kind"], "function": task["function"], "line": task["line"], **sources}


def edited(source, changes):
    edits = Edits(source)
    for node, text in changes:
        edits.replace(node, text)
    return edits.applied()


def drawn(seed, words):
    return words[int(rank(seed, "word")[:8], 16) % len(words)]


def sites(source, names, seed):
    """Everything that could be altered, in the order of the text."""
    found = []
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and function.name in names:
            for node in ast.walk(function):
                for kind, edits in alterations(node, function, seed):
                    found.append({"kind": kind, "function": function.name, "line": edits[0][0].lineno, "edits": edits})
    return found


def alterations(node, function, seed):
    if isinstance(node, ast.Assert):
        yield from of_condition(node.test, function, seed)
        yield "negated", [(node.test, f"not ({ast.unparse(node.test)})")]
    elif isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in ("raises", "assertRaises", "assertRaisesRegex") and node.args:
            yield "raises", [(node.args[0], drawn(seed, common_siblings(node.args[0])))]
        elif name in ("assertTrue", "assertFalse") and node.args:
            yield "negated", [(node.args[0], f"not ({ast.unparse(node.args[0])})")]
        elif name.lower().startswith("assert") and "not" not in name.lower() and len(node.args) >= 2:
            yield from of_pair(node.args[0], node.args[1], function, seed)


def common_siblings(expected):
    """Built-in exceptions that are neither bases nor kinds of what is expected, as far as that is built in."""
    named = {getattr(builtins, node.id, None) for node in ast.walk(expected) if isinstance(node, ast.Name)}
    wanted = [one for one in named if isinstance(one, type) and issubclass(one, BaseException)]
    others = [name for name in COMMON if not any(is_related(getattr(builtins, name), one) for one in wanted)]
    return others or ["ProcessLookupError"]


def is_related(one, other):
    return issubclass(one, other) or issubclass(other, one)


def siblings(request, found):
    """
    The same sites, where a class of the library is expected with a sibling of it in the library: in the reference, and in the
    candidate the one of that name or, where it has none, any. Both texts, or neither.
    """
    families = request.get("classes") or {}
    known = [Family(families.get(which) or {}) for which in ("task", "adapted")]
    imported = [Imported(request[which]) for which in ("task", "adapted")]
    for task, adapted in zip(*found, strict=True):
        if task["kind"] != "raises" or adapted["kind"] != "raises":
            continue
        paths = [names.path(site["edits"][0][0]) for names, site in zip(imported, (task, adapted))]
        wanted = known[0].siblings(paths[0])
        if not wanted:
            continue
        # One that the candidate knows by the same name, where there is any.
        shared = [path for path in wanted if known[1].sibling(paths[1], last(path))]
        sibling = drawn(request["seed"], shared or wanted)
        others = known[1].siblings(paths[1])
        own = known[1].sibling(paths[1], last(sibling)) or (drawn(request["seed"], others) if others else None)
        if own is None:
            continue
        for site, path in ((task, sibling), (adapted, own)):
            node = site["edits"][0][0]
            site["edits"] = [(node, by_import(path))]
    return found


class Family:
    """The exceptions of a library, by their paths."""

    def __init__(self, classes):
        self._bases = {path: bases for path, (bases, _) in classes.items()}
        self._is_alias = {path: is_alias for path, (_, is_alias) in classes.items()}
        self._by_name = {}
        for path in sorted(classes):
            self._by_name.setdefault(last(path), path)
        self._exceptions = [path for path in sorted(classes) if self.is_exception(path)]

    def siblings(self, path):
        """Neither bases nor kinds of it; those of its module where there are any."""
        own = self.known(path)
        if own is None:
            return []
        found = [one for one in self._exceptions if not self._is_alias[one] and not self.are_related(one, own)]
        near = [one for one in found if one.rpartition(".")[0] == own.rpartition(".")[0]]
        return near or found

    def sibling(self, path, name):
        """The one of this name, which may be another name of the same class: that is what the test is to find out. Null without one."""
        own, found = self.known(path), self._by_name.get(name)
        is_one = own is not None and found in self._exceptions and not self.are_related(found, own)
        return found if is_one else None

    def known(self, path):
        return path if path in self._bases else self._by_name.get(last(path or ""))

    def are_related(self, one, other):
        return one == other or one in self.above(other)[0] or other in self.above(one)[0]

    def is_exception(self, path):
        named = (getattr(builtins, name, None) for name in self.above(path)[1])
        return any(isinstance(one, type) and issubclass(one, BaseException) for one in named)

    def above(self, path):
        """Paths of its bases and theirs, and the names of those that are none of the library's."""
        found, others, waiting = set(), set(), [path]
        while waiting:
            for name in self._bases.get(waiting.pop(), ()):
                own = self._by_name.get(name)
                if own is None:
                    others.add(name)
                elif own not in found:
                    found.add(own)
                    waiting.append(own)
        return found, others


class Imported:
    """What the names of a text are imported from."""

    def __init__(self, source):
        self._names = {}
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom):
                self._names.update({alias.asname or alias.name: f"{node.module or ''}.{alias.name}" for alias in node.names})
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    first = alias.name.partition(".")[0]
                    self._names[alias.asname or first] = alias.name if alias.asname else first

    def path(self, node):
        """Null for what is not one imported name."""
        if isinstance(node, ast.Attribute):
            owner = self.path(node.value)
            return owner and f"{owner}.{node.attr}"
        return self._names.get(node.id) if isinstance(node, ast.Name) else None


def by_import(path):
    module, _, name = path.rpartition(".")
    return f'__import__("{module}", fromlist=["{name}"]).{name}'


def last(path):
    return path.rpartition(".")[2]


def of_condition(test, function, seed):
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Eq, ast.Is)):
        yield from of_pair(test.left, test.comparators[0], function, seed)


def of_pair(actual, expected, function, seed):
    for side in (expected, actual):
        text = altered(side)
        if text is not None:
            yield "constant", [(side, text)]
            return
        rows = parameter_values(side, function)
        if rows:
            yield "constant", rows
            return
    name, word, number = drawn(seed, STRANGERS), drawn(seed, WORDS), int(rank(seed, "number")[:4], 16) + 1000
    for forms in (OF_KNOWN_TYPES, OF_DERIVED_TYPES):
        yield "expected", [(expected, drawn(f"{seed} form", forms).format(name=name, word=word, number=number))]


def parameter_values(side, function):
    """The values a parametrised test gets under this name, each altered; nothing where they are not all written out."""
    if not isinstance(side, ast.Name):
        return []
    for decorator in function.decorator_list:
        if not (isinstance(decorator, ast.Call) and getattr(decorator.func, "attr", "") == "parametrize" and len(decorator.args) >= 2):
            continue
        names, rows = argument_names(decorator.args[0]), decorator.args[1]
        if side.id not in names or not isinstance(rows, (ast.List, ast.Tuple)):
            continue
        place = names.index(side.id)
        values = [row if len(names) == 1 else cell(row, place) for row in rows.elts]
        edits = [(value, altered(value)) for value in values if value is not None]
        return edits if len(edits) == len(values) and all(text for _, text in edits) else []
    return []


def argument_names(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [name.strip() for name in node.value.split(",")]
    if isinstance(node, (ast.List, ast.Tuple)):
        return [getattr(name, "value", None) for name in node.elts]
    return []


def cell(row, place):
    if isinstance(row, ast.Call):  # pytest.param(...)
        return row.args[place] if place < len(row.args) else None
    return row.elts[place] if isinstance(row, (ast.List, ast.Tuple)) and place < len(row.elts) else None


def altered(node):
    """A written value as another one of its kind; null for what is not written out."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return repr(other(value))


def other(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float, complex)):
        return value + 1
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, bytes):
        return value + b"x"
    if isinstance(value, (list, tuple)):
        return type(value)([*value[:-1], other(value[-1])] if value else ["x"])
    if isinstance(value, dict):
        key = next(reversed(value), NEVER)
        return {"x": "x"} if key is NEVER else {**value, key: other(value[key])}
    if isinstance(value, (set, frozenset)):
        return value | {"x"}
    return "x"  # None and Ellipsis


if __name__ == "__main__":
    json.dump(main(sys.argv[1]), sys.stdout)
