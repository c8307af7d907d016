"""
Renames a library mechanically: package, modules, functions and classes, in its own files and in a test of it, by tokens.
Usage: rename.py REQUEST.json, with {"files": {path: text}, "test": text, "names": {old: new}}; prints {"files", "test"}.
"""

import io
import json
import sys
import tokenize


def renamed(text, names):
    tokens = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        tokens.append((token.type, names.get(token.string, token.string) if token.type == tokenize.NAME else token.string))
    return tokenize.untokenize(tokens)


def renamed_path(path, names):
    return "/".join(names.get(part, part) for part in path.removesuffix(".py").split("/")) + ".py"


with open(sys.argv[1], encoding="utf-8") as file:
    request = json.load(file)
names = request["names"]
files = {renamed_path(path, names): renamed(text, names) for path, text in request["files"].items()}
json.dump({"files": files, "test": renamed(request["test"], names)}, sys.stdout)
