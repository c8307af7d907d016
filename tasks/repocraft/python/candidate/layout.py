"""Where a candidate's importable code lies: import roots, and the module name of every Python file under them."""

import os

# Folders that hold no part of the library itself.
NOT_LIBRARY = {
    "test", "tests", "doc", "docs", "example", "examples", "benchmark", "benchmarks", "bench", "asv_bench",
    "script", "scripts", "tools", "build", "dist", "venv", "env", "node_modules", "__pycache__", "site-packages",
}
# Files at an import root that configure a project rather than being a module of it.
NOT_MODULES = {"setup.py", "conftest.py", "noxfile.py", "tasks.py", "versioneer.py", "fabfile.py"}


class TooBig(Exception):
    """The tree is larger than the limits allow."""


# Compiled modules as Python finds them: `timestamps.cpython-311-x86_64-linux-gnu.so`.
COMPILED = (".so", ".pyd")


def python_files(tree, max_files, max_bytes, endings=(".py",)):
    """Paths of the library's Python files, relative to `tree`, sorted; symbolic links are not followed."""
    found, files, size = [], 0, 0
    for folder, subfolders, names in os.walk(tree):
        in_package = "__init__.py" in names
        subfolders[:] = sorted(name for name in subfolders if not is_skipped(name, in_package))
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.islink(path) or not os.path.isfile(path):
                continue
            files += 1
            size += os.path.getsize(path)
            if files > max_files or size > max_bytes:
                raise TooBig(f"more than {max_files} files or {max_bytes} bytes")
            if name.endswith(endings):
                found.append(os.path.relpath(path, tree))
    return found


def is_skipped(name, in_package):
    if name.startswith(".") or name.endswith((".egg-info", ".dist-info")) or name == "__pycache__":
        return True
    # A package may well have a subpackage called `tools` or `build`, but its tests are never the library.
    return name == "tests" if in_package else name in NOT_LIBRARY


def import_roots(files):
    """
    Folders to put on the import path, relative to the tree, most specific first.
    `src/` wins over the top; a single wrapping folder (an unpacked release) is looked into; else the top itself.
    """
    prefix = ""
    while True:
        inside = [path[len(prefix):] for path in files if path.startswith(prefix)]
        if any(path.startswith("src/") for path in inside) and prefix + "src/__init__.py" not in files:
            rest = [path for path in inside if not path.startswith("src/") and path not in NOT_MODULES]
            return [prefix + "src"] + ([prefix.rstrip("/") or "."] if rest else [])
        wrapper = wrapping_folder(inside, prefix, files)
        if wrapper is None:
            return [prefix.rstrip("/") or "."]
        prefix += wrapper + "/"


def wrapping_folder(inside, prefix, files):
    """The one folder everything lies in, where that folder is no package itself but holds packages or `src`."""
    modules = [path for path in inside if path not in NOT_MODULES]
    tops = {path.split("/", 1)[0] for path in modules if "/" in path}
    if len(tops) != 1 or any("/" not in path for path in modules):
        return None
    top = next(iter(tops))
    if f"{prefix}{top}/__init__.py" in files:
        return None
    below = [path[len(top) + 1:] for path in modules]
    has_package = any(path.count("/") == 1 and path.endswith("/__init__.py") for path in below)
    return top if has_package or any(path.startswith("src/") for path in below) else None


def module_name(path, roots):
    """`src/requests/models.py` → `requests.models`; None for files that no import reaches."""
    if path.endswith(COMPILED):
        folder, _, name = path.rpartition("/")
        path = f"{folder}/{name.partition('.')[0]}.py".lstrip("/")
    for root in roots:
        prefix = "" if root == "." else root + "/"
        if not path.startswith(prefix):
            continue
        parts = path[len(prefix):-len(".py")].split("/")
        if len(parts) == 1 and parts[0] + ".py" in NOT_MODULES:
            return None
        if parts[-1] == "__init__":
            parts = parts[:-1]
        if parts and all(part.isidentifier() for part in parts):
            return ".".join(parts)
    return None
