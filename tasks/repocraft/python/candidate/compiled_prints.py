"""
The prints (runner/code_prints.py) of all larger functions of a tree, as this Python compiles them: {"prints": [...]}. Nothing of
it is run. Usage: compiled_prints.py TREE
"""

import json
import os
import sys
import warnings

from code_prints import prints_in

MAX_FILE_BYTES = 4 * 1024 * 1024


def prints_of_tree(tree):
    found = set()
    paths = [os.path.join(folder, name) for folder, _, names in os.walk(tree) for name in names if name.endswith(".py")]
    for path in filter(os.path.isfile, paths):
        with open(path, "rb") as handle:
            source = handle.read(MAX_FILE_BYTES)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found.update(prints_in(compile(source, path, "exec", dont_inherit=True)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return found


if __name__ == "__main__":
    json.dump({"prints": sorted(prints_of_tree(sys.argv[1]))}, sys.stdout)
