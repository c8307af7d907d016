"""
Looks at a finished tree: does what is imported exist, are bodies real, do tests notice when code is changed?
Usage: verify.py REQUEST.json [FOLDER]; prints one JSON object.
"""

import ast
import hashlib
import importlib.util
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import tree
from placeholders import placeholder_rule


def main(request, root):
    files = request["files"]
    for path, text in files.items():
        tree.write(root, path, text)
    library = {path: text for path, text in files.items() if path.endswith(".py") and path.startswith(request["package"] + "/")}
    found = {"functions": 0, "stubs": [], "unresolvedImports": [], "referenceImports": [], "unparsable": [], "mutants": 0, "survived": []}
    parsed = {}
    for path, text in sorted(library.items()):
        try:
            parsed[path] = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError) as error:
            found["unparsable"].append(finding(path, getattr(error, "lineno", 0) or 0, path, "syntax"))
    for path, module in parsed.items():
        for node, name, owner in functions(module):
            found["functions"] += 1
            rule = placeholder_rule(node, owner)
            if rule:
                found["stubs"].append(finding(path, node.lineno, name, rule))
        for node, target in imports(module):
            top = target.split(".")[0]
            if top in request["reference"] and top != request["package"]:
                found["referenceImports"].append(finding(path, node.lineno, target, "reference"))
            elif not resolves(target, request["package"], parsed):
                found["unresolvedImports"].append(finding(path, node.lineno, target, "unresolved"))
    mutate(request, root, found)
    print(json.dumps(found))


def finding(file, line, name, rule):
    return {"file": file, "line": line, "name": name, "rule": rule}


def functions(module):
    def walk(body, prefix, owner):
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield node, prefix + node.name, owner
            elif isinstance(node, ast.ClassDef):
                yield from walk(node.body, prefix + node.name + ".", node)

    return list(walk(module.body, "", None))


def imports(module):
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, alias.name
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module != "__future__":
            for alias in node.names:
                yield node, f"{node.module}.{alias.name}"


def resolves(target, package, parsed):
    parts = target.split(".")
    if parts[0] != package:
        try:
            return parts[0] in sys.stdlib_module_names or importlib.util.find_spec(parts[0]) is not None
        except (ImportError, ValueError):
            return False
    for cut in range(len(parts), 0, -1):
        base = "/".join(parts[:cut])
        for path in (base + ".py", base + "/__init__.py"):
            if path in parsed:
                rest = parts[cut:]
                return not rest or rest[0] in defined(parsed[path])
    return False


def defined(module):
    names = set()
    for node in module.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        for one in ast.walk(node):
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
                names.add(one.id)
            elif isinstance(one, ast.alias):
                names.add((one.asname or one.name).split(".")[0])
    return names


def mutate(request, root, found):
    """Changes one place in each function of a sample and runs the tests of its unit: they have to notice."""
    sample = sorted(request["units"], key=lambda unit: hashlib.sha256(unit["id"].encode()).hexdigest())
    for unit in sample:
        if found["mutants"] >= request["mutants"]:
            return
        text = request["files"][unit["file"]]
        mutant = mutated(text, unit["name"])
        if mutant is None:
            continue
        changed, line = mutant
        tree.write(root, unit["file"], changed)
        result = tree.run_tests(root, [unit["tests"]], request["seconds"])
        tree.write(root, unit["file"], text)
        found["mutants"] += 1
        if result["passed"]:
            found["survived"].append(finding(unit["file"], line, unit["name"], "survived"))


def mutated(text, name):
    module = ast.parse(text)
    for node in module.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
            spots = [one for one in ast.walk(node) if mutable(one)]
            if not spots:
                return None
            spot = spots[int(hashlib.sha256(name.encode()).hexdigest(), 16) % len(spots)]
            line = getattr(spot, "lineno", node.lineno)
            change(spot)
            return ast.unparse(ast.fix_missing_locations(module)) + "\n", line
    return None


def mutable(node):
    if isinstance(node, ast.Return):
        return node.value is not None
    if isinstance(node, ast.Compare):
        return True
    return isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div))


def change(node):
    if isinstance(node, ast.Return):
        node.value = ast.Constant(value=None) if not (isinstance(node.value, ast.Constant) and node.value.value is None) else ast.Constant(value=1)
    elif isinstance(node, ast.Compare):
        opposite = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
                    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is}
        node.ops[0] = opposite[type(node.ops[0])]()
    else:
        node.op = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult}[type(node.op)]()


if __name__ == "__main__":
    place = sys.argv[2] if len(sys.argv) > 2 else "/work/tree"
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place, exist_ok=True)
    with open(sys.argv[1], encoding="utf-8") as file:
        main(json.load(file), place)
