"""Finds designed signatures that are no Python. Usage: skeleton.py REQUEST.json; prints {"interfaces": [{id, method, message}]}."""

import ast
import json
import sys


def problem(signature):
    if "\n" in signature and "#" in signature:
        return "a comment in a signature"
    try:
        body = ast.parse(f"def probe{signature}:\n    pass\n").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return str(error)[:200]
    return None if len(body) == 1 and len(body[0].body) == 1 and isinstance(body[0].body[0], ast.Pass) else "more than a signature"


def main(request):
    found = []
    for one in request["interfaces"]:
        if one["kind"] == "function" and problem(one["signature"]):
            found.append({"id": one["id"], "method": None, "message": problem(one["signature"])})
        for method in one["methods"]:
            if problem(method["signature"]):
                found.append({"id": one["id"], "method": method["name"], "message": problem(method["signature"])})
    print(json.dumps({"interfaces": found}))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        main(json.load(file))
