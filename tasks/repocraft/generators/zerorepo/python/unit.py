"""
Tries units: checks what was written, puts it into the tree of its predecessors and runs its tests.
Usage: unit.py REQUEST.json; prints one JSON object.
"""

import json
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import products
import tree

ROOT = "/work/tree"


def main(request):
    results = []
    good = {}
    for unit in request["units"]:
        try:
            if unit["code"] is None:
                raise products.Bad("there is no code")
            good[unit["id"]] = products.normalised(unit, unit["code"])
        except products.Bad as error:
            results.append({"id": unit["id"], "product": None, **tree.bad("code", str(error), "")})
    lay_out(request["files"], good)
    for unit in request["units"]:
        if unit["id"] not in good:
            continue
        result = {"id": unit["id"], "product": good[unit["id"]], **tried(request, unit, good)}
        results.append(result)
    for test in request["tests"]:
        tree.write(ROOT, test["path"], test["source"])
    if request["tests"]:
        results.append({"id": "", "product": None, **tree.run_tests(ROOT, [test["path"] for test in request["tests"]], request["seconds"])})
    print(json.dumps(results))


def tried(request, unit, good):
    if unit["tests"] is None:
        return tree.bad("no-tests", "there are no tests", "")
    path = unit["testPath"]
    tree.write(ROOT, path, unit["tests"])
    result = tree.run_tests(ROOT, [path], request["seconds"])
    if not result["passed"]:
        return result
    # A test that also passes where nothing is implemented says nothing.
    lay_out(request["files"], {id: one for id, one in good.items() if id != unit["id"]})
    without = tree.run_tests(ROOT, [path], request["seconds"])
    lay_out(request["files"], good)
    if without["passed"]:
        return tree.bad("vacuous", "the tests pass without the code", "")
    return result


def lay_out(files, good):
    for parts in files:
        imports = list(parts["imports"])
        blocks = []
        for block in parts["blocks"]:
            product = good.get(block["id"])
            if product is None:
                blocks.append(block)
                continue
            imports += product["imports"]
            texts = [text.strip() for text in (product["helpers"], product["source"])]
            blocks.append({"id": block["id"], "text": "\n\n\n".join(text for text in texts if text)})
        tree.write(ROOT, parts["path"], tree.joined({**parts, "imports": sorted(set(imports)), "blocks": blocks}))


if __name__ == "__main__":
    shutil.rmtree(ROOT, ignore_errors=True)
    with open(sys.argv[1], encoding="utf-8") as file:
        main(json.load(file))
