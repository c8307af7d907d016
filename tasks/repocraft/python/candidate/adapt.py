"""
Rewrites a test so that it reaches a candidate's symbols instead of the reference's: by syntax tree, never by pattern, and
touching nothing but imports and the names they bind. What cannot be done safely is refused with a reason.
Usage: adapt.py REQUEST.json, with {"test_code", "packages": [reference packages], "bindings": [{path, module, name, rest, absent?}]}
where an absent path is one that only a set-up asks for: statements of the set-up that use it go;
prints {"test_code"} or {"code", "message"}.
"""

import ast
import json
import re
import sys


class Refused(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code, self.message = code, message


def adapt(source, packages, bindings):
    tree = ast.parse(source)
    imports = [node for node in ast.walk(tree) if is_reference_import(node, packages)]
    local = bound_locals(imports, packages)
    refuse_shadowing(tree, local, imports)
    refuse_string_paths(tree, packages)
    edits = Edits(source)
    absent = {path for path, binding in bindings.items() if binding.get("absent")}
    present = {path: binding for path, binding in bindings.items() if path not in absent}
    gone = SetUp(local, absent).removed(tree.body) if absent else []
    for statement in gone:
        edits.remove(statement)
    used = replace_uses(tree, local, present, edits, gone)
    for node, paths in brought(tree, imports, used).items():
        replace_import(node, packages, [present[path] for path in present if path in paths], edits)
    adapted = edits.applied()
    left = [node for node in ast.walk(ast.parse(adapted)) if is_reference_import(node, packages) and not is_ours(node)]
    if left:
        raise Refused("adapt.incomplete", f"line {left[0].lineno} still imports the reference")
    return adapted


def is_reference_import(node, packages):
    if isinstance(node, ast.Import):
        return any(alias.name.split(".")[0] in packages for alias in node.names)
    return isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] in packages


def is_ours(node):
    return all((alias.asname or "").startswith("_bound_") for alias in node.names)


def bound_locals(imports, packages):
    """Local name → the reference path it stands for."""
    local = {}
    for node in imports:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                if alias.name == "*":
                    raise Refused("adapt.star-import", f"line {node.lineno} imports everything from {node.module}")
                local[local_name(node, alias)] = dotted(node, alias)
            elif alias.name.split(".")[0] in packages:
                local[local_name(node, alias)] = alias.name if alias.asname else alias.name.split(".")[0]
    return local


def local_name(node, alias):
    return alias.asname or (alias.name if isinstance(node, ast.ImportFrom) else alias.name.split(".")[0])


def dotted(node, alias):
    return f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name


def refuse_shadowing(tree, local, imports):
    """A name that is also bound otherwise cannot be followed without running the code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            names = [node.id]
        elif isinstance(node, ast.arg):
            names = [node.arg]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names = [node.name]
        elif isinstance(node, (ast.Import, ast.ImportFrom)) and node not in imports:
            names = [alias.asname or alias.name.split(".")[0] for alias in node.names]
        elif isinstance(node, ast.ExceptHandler):
            names = [node.name]
        else:
            continue
        for name in names:
            if name in local:
                raise Refused("adapt.shadowed", f"line {node.lineno} binds {name} anew")


def refuse_string_paths(tree, packages):
    """Names in strings ("requests.utils.x" for a patch) are out of reach of a rename by syntax tree."""
    pattern = re.compile(rf"({'|'.join(map(re.escape, packages))})(\.[A-Za-z_]\w*)+")
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and pattern.fullmatch(node.value):
            raise Refused("adapt.string-path", f"line {node.lineno} names {node.value} in a string")


class SetUp:
    """Which statements a file can do without where the library has some of the names that only its set-up uses: none of its tests."""

    def __init__(self, local, absent):
        self.local, self.absent = local, absent
        # Names of the file that are not bound any more.
        self.lost = set()

    def removed(self, body):
        found, before = [], None
        while before != len(self.lost):
            before = len(self.lost)
            found = self.removed_from(body)
        return found

    def removed_from(self, body):
        found = []
        for statement in body:
            inner = [part for field in ("body", "orelse", "finalbody") for part in getattr(statement, field, [])]
            is_block = isinstance(statement, (ast.If, ast.With, ast.Try))
            headers = [statement] if not is_block else [part for part in ast.iter_child_nodes(statement) if part not in inner]
            if any(self.uses_absent(part) for part in headers):
                self.lose(statement)
                found.append(statement)
            elif is_block:
                found += self.removed_from(inner)
        return found

    def uses_absent(self, part):
        for node in ast.walk(part):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in self.lost:
                return True
            chain = chain_of(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
            if chain and chain[0].id in self.local:
                path = ".".join([self.local[chain[0].id], *(link.attr for link in chain[1:])])
                if path in self.absent:
                    return True
        return False

    def lose(self, statement):
        for node in ast.walk(statement):
            is_bound = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            name = node.id if is_bound else getattr(node, "name", None) if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else None
            if name is not None and not name.startswith("_"):
                raise Refused("adapt.unbound", f"line {statement.lineno} makes {name} of what is bound to nothing")
            if name is not None:
                self.lost.add(name)


def replace_uses(tree, local, bindings, edits, gone=()):
    """Puts the bound name in place of every path, longest path first. Returns (local name, path) of what was replaced."""
    used = set()
    claimed = {id(part) for statement in gone for part in ast.walk(statement)}
    for node in ast.walk(tree):  # breadth first: the outermost attribute of a chain comes before its parts
        path = composed_path(node, local)
        if path in bindings and id(node) not in claimed:
            edits.replace(node, repr(bindings[path]["target"]))
            claimed.update(id(part) for part in ast.walk(node))
            continue
        is_name = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        if id(node) in claimed or not (is_name or isinstance(node, ast.Attribute)):
            continue
        chain = chain_of(node)
        if chain is None or chain[0].id not in local:
            continue
        links = [local[chain[0].id]]
        for link in chain[1:]:
            links.append(f"{links[-1]}.{link.attr}")
        for position in range(len(chain) - 1, -1, -1):
            if links[position] in bindings:
                refuse_anew(chain[position], links[position], bindings[links[position]])
                edits.replace(chain[position], bindings[links[position]]["text"])
                used.add((chain[0].id, links[position]))
                break
        else:
            raise Refused("adapt.unbound", f"line {node.lineno} uses {links[-1]}, which is bound to nothing")
        claimed.update(id(part) for part in chain)
    return used


def refuse_anew(node, path, binding):
    """
    What a test puts in the place of a definition (`lib.fetch = fake`) it puts into a module, and which module of the candidate looks
    the name up is not known. Under the name it is bound to it would be a variable of the test. Attributes of what is bound are none.
    """
    if not isinstance(node.ctx, ast.Load) and not binding["rest"]:
        raise Refused("adapt.shadowed", f"line {node.lineno} binds {path} anew")


def composed_path(node, local):
    """The path that `f"{lib.__name__}.a.B"` says; None for everything else."""
    match node:
        case ast.JoinedStr(
            values=[
                ast.FormattedValue(value=ast.Attribute(value=ast.Name(id=name), attr="__name__"), conversion=-1, format_spec=None),
                ast.Constant(value=str(rest)),
            ]
        ) if name in local and rest.startswith("."):
            return local[name] + rest
    return None


def chain_of(node):
    """`a.b.c` as [Name a, Attribute a.b, Attribute a.b.c]; None where the chain does not begin with a name."""
    chain = [node]
    while isinstance(chain[0], ast.Attribute):
        chain.insert(0, chain[0].value)
    return chain if isinstance(chain[0], ast.Name) else None


def brought(tree, imports, used):
    """
    Import → the paths it is to bring. Each comes where the reference came, since what a test does between two imports
    (configure, set up) can be what the second one needs.
    """
    paths = {node: set() for node in imports}
    for name, path in used:
        binding = [node for node in imports if any(local_name(node, alias) == name for alias in node.names)]
        whole_file = [node for node in binding if node in tree.body]
        # `import a` and later `import a.b` bind one name; `a.b.c` is there from the second one on.
        for node in [max(whole_file, key=lambda node: told_of(path, node))] if whole_file else binding:
            paths[node].add(path)
    return paths


def told_of(path, node):
    """How much of a path an import names, in characters."""
    names = [dotted(node, alias) for alias in node.names]
    return max((len(name) for name in names if f"{path}.".startswith(f"{name}.")), default=0)


def replace_import(node, packages, bindings, edits):
    kept = [] if isinstance(node, ast.ImportFrom) else [a for a in node.names if a.name.split(".")[0] not in packages]
    texts = [ast.unparse(ast.Import(names=kept))] if kept else []
    edits.replace(node, "; ".join(texts + [import_line(binding) for binding in bindings]) or "pass")


def import_line(binding):
    if binding["name"]:
        return f"from {binding['module']} import {binding['name']} as {binding['alias']}"
    return f"import {binding['module']} as {binding['alias']}"


class Edits:
    """Replacements by position in the source's own bytes, so that everything else stays as it was written."""

    def __init__(self, source):
        self.lines = source.encode().split(b"\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.edits = []

    def replace(self, node, text):
        start = self.starts[node.lineno - 1] + node.col_offset
        end = self.starts[node.end_lineno - 1] + node.end_col_offset
        self.edits.append((start, end, text.encode()))

    def remove(self, statement):
        """Leaves `pass` in the place of a statement, its decorators gone with it."""
        first = min([statement, *getattr(statement, "decorator_list", [])], key=lambda node: node.lineno)
        column = statement.col_offset
        start, end = self.starts[first.lineno - 1] + column, self.starts[statement.end_lineno - 1] + statement.end_col_offset
        self.edits.append((start, end, b"pass"))

    def applied(self):
        data = b"\n".join(self.lines)
        for start, end, text in sorted(self.edits, reverse=True):
            data = data[:start] + text + data[end:]
        return data.decode()


def named(bindings):
    """Bindings by reference path, each with the name it gets in the test."""
    found = {}
    for number, binding in enumerate(bindings, 1):
        alias = f"_bound_{number}"
        target = ".".join(filter(None, [binding["module"], binding["name"], *binding["rest"]]))
        found[binding["path"]] = {**binding, "alias": alias, "text": ".".join([alias, *binding["rest"]]), "target": target}
    return found


def main(path):
    with open(path, encoding="utf-8") as handle:
        request = json.load(handle)
    try:
        return {"test_code": adapt(request["test_code"], request["packages"], named(request["bindings"]))}
    except Refused as refusal:
        return {"code": refusal.code, "message": refusal.message}
    except (SyntaxError, RecursionError, ValueError) as error:
        return {"code": "adapt.unreadable", "message": f"{type(error).__name__}: {error}"}


if __name__ == "__main__":
    json.dump(main(sys.argv[1]), sys.stdout)
