"""
A pytest plugin for runs of gold: what a task ran of functions in some files, their lines and, where it called them, their first,
as one JSON line, {"task", "lines": {path: [line]}}. The file that WATCHING names holds {"files": {absolute path: path}, "into":
where that line goes}.
"""

import inspect
import json
import os
import sys


def pytest_configure(config):
    # Not for pytest in a process that a test starts.
    del os.environ["PYTEST_PLUGINS"]
    with open(os.environ.pop("WATCHING"), encoding="utf-8") as handle:
        config.pluginmanager.register(Watching(**json.load(handle)))


class Watching:
    def __init__(self, files, into):
        self.into, self.lines = into, {path: set() for path in files.values()}
        noting = {file: noted(self.lines[path]) for file, path in files.items()}

        def on_call(frame, _event, _argument):
            code = frame.f_code
            note = noting.get(code.co_filename)
            # The bodies of modules and classes run whenever they are imported.
            if note is None or not code.co_flags & inspect.CO_OPTIMIZED:
                return None
            return note(frame, "line", None)

        sys.settrace(on_call)

    def pytest_sessionfinish(self, session):
        sys.settrace(None)
        lines = {path: sorted(ran) for path, ran in sorted(self.lines.items()) if ran}
        with open(self.into, "a", encoding="utf-8") as out:
            for task in sorted({item.nodeid.split("/")[0] for item in session.items}):
                out.write(json.dumps({"task": task, "lines": lines}) + "\n")


def noted(lines):
    def note(frame, event, _argument):
        if event == "line":
            lines.add(frame.f_lineno)
        return note

    return note
