"""
A pytest plugin for runs of gold: one JSON line a task, {"task", "lines": {path: [line]}}, what it ran of functions in some files:
their lines and, where it called them, their first. WATCHING names the request, with "watched": {"tree", "paths", "into"}.
"""

import inspect
import json
import os
import sys

LINES = {}


def pytest_configure():
    with open(os.environ["WATCHING"], encoding="utf-8") as handle:
        watched = json.load(handle)["watched"]
    noting = {os.path.join(watched["tree"], path): noted(LINES.setdefault(path, set())) for path in watched["paths"]}

    def on_call(frame, _event, _argument):
        code = frame.f_code
        note = noting.get(code.co_filename)
        # The bodies of modules and classes run whenever they are imported.
        if note is None or not code.co_flags & inspect.CO_OPTIMIZED:
            return None
        return note(frame, "line", None)

    sys.settrace(on_call)


def noted(lines):
    def note(frame, event, _argument):
        if event == "line":
            lines.add(frame.f_lineno)
        return note

    return note


def pytest_sessionfinish(session):
    sys.settrace(None)
    with open(os.environ["WATCHING"], encoding="utf-8") as handle:
        into = json.load(handle)["watched"]["into"]
    tasks = sorted({item.nodeid.split("/")[0] for item in session.items})
    with open(into, "a", encoding="utf-8") as out:
        for task in tasks:
            out.write(json.dumps({"task": task, "lines": {path: sorted(lines) for path, lines in LINES.items() if lines}}) + "\n")
