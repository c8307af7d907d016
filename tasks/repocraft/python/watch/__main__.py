"""Runs tasks on the reference as gold does, each in a process of its own, and tells which lines of it each one runs.

Arguments: a JSON file as gold is handed it (`isolated`), with "targets": the dotted paths whose files are watched, and the
folder that holds the reference package. Answer on standard output: {id: {as gold's, lines: {path: [line]}}}: lines of functions
and, where these are called, their first; null where the run was ended before its end, so that nothing is known of it.
"""

import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from gold import __main__ as gold

# Watched, Python takes several times as long: a task that gold allows 5 s must come to its end on a busy machine, too. A
# share of hanging ones still ends before the run does.
gold.CPU_SECONDS, gold.WALL_SECONDS = 60, 150


def main(request_path, library):
    # As the files' code objects name them.
    tree = os.path.realpath(library)
    with open(request_path, encoding="utf-8") as handle:
        files = watched_files(tree, json.load(handle)["targets"])
    with tempfile.TemporaryDirectory() as folder:
        asked, told = os.path.join(folder, "watching.json"), pathlib.Path(folder, "told.jsonl")
        told.touch()
        with open(asked, "w", encoding="utf-8") as handle:
            json.dump({"files": files, "into": str(told)}, handle)
        os.environ.update(PYTEST_PLUGINS="watching", WATCHING=asked)
        with contextlib.redirect_stdout(io.StringIO()) as answer:
            gold.main(request_path, tree)
        ends = [json.loads(line) for line in told.read_text(encoding="utf-8").splitlines()]
    lines = {end["task"]: end["lines"] for end in ends}
    outcomes = json.loads(answer.getvalue())
    json.dump({name: {**outcome, "lines": lines.get(gold.place_of({"id": name}))} for name, outcome in outcomes.items()}, sys.stdout)


def watched_files(tree, targets):
    """The modules that targets lie in: absolute path → path in the tree."""
    paths = {path for path in (file_of(tree, target.split(".")) for target in targets) if path is not None}
    return {os.path.join(tree, path): path for path in sorted(paths)}


def file_of(tree, parts):
    for cut in range(len(parts) - 1, 0, -1):
        module = "/".join(parts[:cut])
        for path in (f"{module}.py", f"{module}/__init__.py"):
            if os.path.isfile(os.path.join(tree, path)):
                return path
    return None


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
