"""
Judges a rewrite of a test that a model made, without running it: does it still ask the same of the library under test?
Both texts are compared as syntax trees, statement by statement. What does not ask the library has to be the same; where the
library is asked, another shape is allowed (another name, a method for a function, other keywords, a constructor in two
steps), as long as every constant and every variable of the test is still handed over, and nothing else.
Usage: guard.py REQUEST.json, with {"test_code", "rewritten", "packages": [of the reference], "target": name under test,
"located": {name, owner}, "candidate": {packages, modules: {module: {name: where from}}, callables, classes}};
prints {"accepted": true} or {"code", "message"}.
"""

import ast
import json
import sys
from collections import Counter

from guard_accounts import Refused, bound_words
from guard_statements import SPECIAL, Statements
from guard_view import BUILTINS, CODING, names_of

# A rewrite asks the same in other words; it has no reason to be much longer.
MAX_GROWTH = 3
MAX_CHARACTERS = 200_000


class Guard(Statements):
    """The whole of a rewrite: its text, imports and names, then statement by statement."""

    def judge(self):
        self.check_text()
        self.check_imports()
        self.block(self.old.tree.body, self.new.tree.body)
        self.check_names()
        self.check_flow(self.old.tree, self.new.tree)
        if self.names_target(self.old.tree) and not self.is_located(self.new.tree):
            raise Refused("not-called", f"{self.request['located']['name']} is not used")

    def check_text(self):
        before, after = self.request["test_code"], self.request["rewritten"]
        if len(after) > min(MAX_CHARACTERS, MAX_GROWTH * len(before) + 2000):
            raise Refused("size", "it is much longer than the test")
        if CODING.search("\n".join(after.split("\n")[:2])) and not CODING.search("\n".join(before.split("\n")[:2])):
            raise Refused("encoding", "it declares an encoding")

    def check_imports(self):
        for node in self.new.imports:
            for module, name, local in names_of(node):
                if (module, name, local) in self.old.other:
                    continue
                if name == "*" or not self.is_of_candidate(module, name):
                    raise Refused("import", f"{module}{'' if name is None else f'.{name}'} is neither of the candidate nor of the test", node)
                if SPECIAL.match(local) and local not in self.old.local:
                    raise Refused("name", f"{local} means something to the test framework", node)
                if local in BUILTINS | self.old.words and local not in self.old.local:
                    raise Refused("redefined", f"{local} means something else in the test", node)
        bound = Counter(local for node in self.new.imports for _, _, local in set(names_of(node)))
        for node in ast.walk(self.new.tree):
            for word in bound_words(node):
                if word in self.new.local:
                    raise Refused("redefined", f"{word} is bound anew", node)
        paths = {}
        for node in self.new.imports:
            for module, name, local in names_of(node):
                if bound[local] > 1 and paths.setdefault(local, (module, name)) != (module, name) and name is not None:
                    raise Refused("redefined", f"{local} is imported from two places", node)

    def is_of_candidate(self, module, name):
        """Made in the candidate, as far as its text tells: what it imports from elsewhere is another implementation."""
        modules = self.candidate["modules"]
        if module not in modules:
            return False
        if name is None or f"{module}.{name}" in modules:
            return True
        names = modules[module]
        source = names.get(name, "")
        if source is None:
            return True
        if source:
            return source.split(".")[0] in self.candidate["packages"]
        return any(key.startswith("*") and (key[1:].split(".")[0] in self.candidate["packages"]) for key in names)

    def check_names(self):
        for node in ast.walk(self.new.tree):
            if isinstance(node, ast.Attribute):
                if node.attr.startswith("__") and node.attr not in self.old.words:
                    raise Refused("name", f"{node.attr} is not used in the test", node)
                self.check_path(node)
            if isinstance(node, ast.Name) and node.id in BUILTINS | {"__file__", "__name__"} and node.id not in self.old.words:
                raise Refused("name", f"{node.id} is not used in the test", node)

    def check_path(self, node):
        """`package.os` leads out of the candidate."""
        path = self.new.path(node)
        if path is None:
            return
        parts = path.split(".")
        for cut in range(len(parts) - 1, 0, -1):
            module = ".".join(parts[:cut])
            if module in self.candidate["modules"]:
                if not self.is_of_candidate(module, parts[cut]) and not parts[cut].startswith("__"):
                    raise Refused("import", f"{module}.{parts[cut]} is not made in the candidate", node)
                return


def main(path):
    with open(path, encoding="utf-8") as handle:
        request = json.load(handle)
    return verdict(request)


def verdict(request):
    try:
        Guard(request).judge()
        return {"accepted": True}
    except Refused as refusal:
        return {"code": refusal.code, "message": refusal.message}
    except (SyntaxError, RecursionError, ValueError, MemoryError) as error:
        return {"code": "guard.syntax", "message": f"{type(error).__name__}: {error}"}


if __name__ == "__main__":
    json.dump(main(sys.argv[1]), sys.stdout)
