"""
Which exception an altered test expects in the place of another, and how that is written there.

A sibling of it: one of the library that is neither a base nor a kind of it. It is named as the exception was, by the same
import or the same module, so that the text does not tell that it was altered.
"""

import ast
import builtins
import hashlib
from collections import Counter
from itertools import count
from types import SimpleNamespace

# What libraries raise and derive from: what is all of them at once cannot be told from a sibling that nobody raises.
COMMON = ("TypeError", "ValueError", "KeyError", "AttributeError", "IndexError", "RuntimeError", "NotImplementedError", "OSError", "ArithmeticError")
WARNINGS = (
    *("UserWarning", "DeprecationWarning", "PendingDeprecationWarning", "RuntimeWarning", "FutureWarning"),
    *("SyntaxWarning", "UnicodeWarning", "BytesWarning", "ImportWarning", "ResourceWarning"),
)
# What no library derives its own from.
RARE_WARNINGS = ("UnicodeWarning", "BytesWarning", "ResourceWarning")


def drawn(seed, words):
    return words[int(hashlib.sha256(f"{seed} word".encode()).hexdigest()[:8], 16) % len(words)]


def common_siblings(expected):
    """Built-in exceptions that are neither bases nor kinds of what is expected, as far as that is built in."""
    return unrelated(COMMON, built_in(expected)) or ["ProcessLookupError"]


def sibling_warnings(expected):
    """The same of warnings; for one of a library's own those that no library derives from."""
    wanted = built_in(expected)
    return unrelated(WARNINGS if wanted else RARE_WARNINGS, wanted) or list(RARE_WARNINGS)


def built_in(expected):
    """The built-in exceptions that are named in it."""
    named = {getattr(builtins, node.id, None) for node in ast.walk(expected) if isinstance(node, ast.Name)}
    return [one for one in named if isinstance(one, type) and issubclass(one, BaseException)]


def unrelated(names, wanted):
    return [name for name in names if not any(is_related(getattr(builtins, name), one) for one in wanted)]


def is_related(one, other):
    return issubclass(one, other) or issubclass(other, one)


def siblings(request, found):
    """
    The same sites, where a class of the library is expected with a sibling of it in the library: in the reference, and in the
    candidate the one of that name or, where it has none, any. Both texts, or neither. Where the candidate has made kinds of it of
    all that are its siblings in the reference, one of these is expected: else one that derives from all would be told by none.
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
        others = known[1].siblings(paths[1]) or known[1].kinds(paths[1], {last(path) for path in wanted})
        own = known[1].sibling(paths[1], last(sibling)) or (drawn(request["seed"], others) if others else None)
        if own is None:
            continue
        for names, site, path in zip(imported, (task, adapted), (sibling, own)):
            site["edits"] = names.exchanged(site["edits"][0][0], path)
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

    def kinds(self, path, names):
        """Those of these names that derive from it."""
        own = self.known(path)
        found = (self._by_name.get(name) for name in sorted(names))
        return [one for one in found if one in self._exceptions and one != own and own in self.above(one)[0]]

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
        self._names, self._by, self._uses = {}, {}, Counter()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self._names[alias.asname or alias.name] = f"{node.module or ''}.{alias.name}"
                    self._by[alias.asname or alias.name] = node, alias
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    first = alias.name.partition(".")[0]
                    self._names[alias.asname or first] = alias.name if alias.asname else first
            elif isinstance(node, ast.Name):
                self._uses[node.id] += 1

    def path(self, node):
        """Null for what is not one imported name."""
        if isinstance(node, ast.Attribute):
            owner = self.path(node.value)
            return owner and f"{owner}.{node.attr}"
        return self._names.get(node.id) if isinstance(node, ast.Name) else None

    def exchanged(self, node, path):
        """The edits by which the class of that path is named in the place of `node`, an imported name."""
        module, _, name = path.rpartition(".")
        if isinstance(node, ast.Attribute):
            owner = ast.unparse(node.value)
            return [(node, f"{owner}.{name}" if self.path(node.value) == module else by_import(path))]
        if node.id not in self._by:
            return [(node, by_import(path))]
        if self._names.get(name) == path:
            return [(node, name)]
        statement, alias = self._by[node.id]
        is_only = self._uses[node.id] == 1
        local = alias.asname if is_only and alias.asname else self.local(name, alias.asname)
        said = f"{name} as {local}" if local != name else name
        if statement.module == module:
            # The one that was expected goes where nothing else asks for it.
            before = "" if is_only else f"{alias.name} as {alias.asname}, " if alias.asname else f"{alias.name}, "
            return [(node, local), (alias, before + said)]
        if is_only and len(statement.names) == 1:
            return [(node, local), (statement, f"from {module} import {said}")]
        return [(node, local), (end_of(statement), f"\n{' ' * statement.col_offset}from {module} import {said}")]

    def local(self, name, asname):
        """What a class is called in the text: as the one before was, where that had a name of its own."""
        if asname is None and name not in self._names and not self._uses[name]:
            return name
        stem = asname.rstrip("0123456789") if asname else f"{name}_"
        taken = {one for one in {*self._names, *self._uses} if one.startswith(stem)}
        return next(one for one in (f"{stem}{number}" for number in count(len(taken) + 1)) if one not in taken)


def end_of(node):
    return SimpleNamespace(lineno=node.end_lineno, col_offset=node.end_col_offset, end_lineno=node.end_lineno, end_col_offset=node.end_col_offset)


def by_import(path):
    module, _, name = path.rpartition(".")
    return f'__import__("{module}", fromlist=["{name}"]).{name}'


def last(path):
    return path.rpartition(".")[2]
