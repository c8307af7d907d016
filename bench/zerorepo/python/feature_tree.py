"""
Makes the feature tree that is shipped (`examples/feature-trees/python-packages.json`): what open Python packages can do, as the
names of their public functions and classes in words, by package and module. No code, docstring or data of theirs is in it.
Usage: python3 feature_tree.py PINS.json OUT.json [FOLDER], with PINS.json as `examples/feature-trees/python-packages.pins.json`;
wheels are fetched by pip into FOLDER and checked against their hashes, and nothing of them is run.
"""

import ast
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile

# So that no package speaks for all.
MOST_OF_A_PACKAGE = 2000
LONGEST = 80
LEFT_OUT = re.compile(r"(^|/)(_|tests?/|testing/|conftest|examples?/|docs?/|vendor|third_party|compat|benchmarks?/)", re.I)


def main(pins_path, out_path, folder):
    with open(pins_path, encoding="utf-8") as handle:
        pins = json.load(handle)["packages"]
    tree = {}
    for pin in pins:
        with zipfile.ZipFile(wheel(pin, folder)) as archive:
            tree[f"{words(pin['name'])}: {summary(archive)}"[:LONGEST * 2]] = spread(modules(archive))
    with open(out_path, "w", encoding="utf-8") as handle:
        json.dump(tree, handle, ensure_ascii=False, indent=0)
        handle.write("\n")
    print(f"{len(tree)} packages, {leaves(tree)} leaves, {os.path.getsize(out_path)} bytes")


def wheel(pin, folder):
    """The wheel of a pin, fetched where it is not there yet. Refuses one with another hash."""
    path = os.path.join(folder, pin["file"])
    if not os.path.exists(path):
        platform = ["--python-version", "3.11", "--only-binary", ":all:"]
        subprocess.run(["pip", "download", "-q", "--no-deps", *platform, "-d", folder, f"{pin['name']}=={pin['version']}"], check=True)
    with open(path, "rb") as handle:
        found = hashlib.sha256(handle.read()).hexdigest()
    if found != pin["sha256"]:
        raise SystemExit(f"{pin['file']}: sha-256 {found}, pinned {pin['sha256']}")
    return path


def summary(archive):
    text = archive.read(next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))).decode()
    found = re.search(r"^Summary: (.*)$", text, re.M)
    return re.sub(r"\s+", " ", found.group(1)).strip(" .") if found else "a Python package"


def modules(archive):
    """Module in words → names in words, of public modules; a class is its name with its public methods below."""
    found = {}
    for path in sorted(archive.namelist()):
        if not path.endswith(".py") or LEFT_OUT.search(path):
            continue
        try:
            body = ast.parse(archive.read(path)).body
        except (SyntaxError, ValueError):
            continue
        names = {}
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_"):
                names[words(node.name)] = []
            elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                names[words(node.name)] = sorted({words(item.name) for item in node.body if is_public(item)})
        module = words(" ".join(path.removesuffix(".py").removesuffix("/__init__").split("/")[1:])) or "main"
        kept = {name: below for name, below in names.items() if is_telling(name)}
        if kept:
            found.setdefault(module, {}).update(kept)
    return found


def is_public(node):
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_") and is_telling(words(node.name))


def is_telling(name):
    return 3 < len(name) < LONGEST and (" " in name or len(name) > 6)


def spread(found):
    """At most so many leaves, from every module in turn, in the order of their names."""
    left, kept = MOST_OF_A_PACKAGE, {}
    queues = {module: sorted(names.items()) for module, names in sorted(found.items())}
    while left > 0 and any(queues.values()):
        for module, queue in queues.items():
            if queue and left > 0:
                name, below = queue.pop(0)
                taken = [one for one in below if one != name][:max(0, min(left, 12))]
                kept.setdefault(module, {})[name] = taken
                left -= max(1, len(taken))
    # A name below itself is no tree to the reader, and says nothing twice.
    return {module: {name: [one for one in below if one not in (module, name)] for name, below in names.items() if name != module}
            for module, names in kept.items()}


def words(name):
    parts = re.sub(r"([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])", lambda m: f"{m.group(1) or m.group(3)} {m.group(2) or ''}", name)
    return " ".join(re.sub(r"[\W_]+", " ", parts).lower().split())


def leaves(node):
    if isinstance(node, dict):
        return sum(leaves(below) if below else 1 for below in node.values())
    return len(node)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else scratch)
