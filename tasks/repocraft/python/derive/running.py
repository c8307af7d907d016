"""Which functions of a library run while it is imported: (file, first line). The library is trusted: it is the pinned reference."""

import contextlib
import importlib
import io
import os
import sys


def running_at_import(tree, modules):
    seen, prefix = set(), os.path.realpath(tree) + os.sep

    def note(frame, event, _argument):
        if event == "call" and frame.f_code.co_filename.startswith(prefix):
            seen.add((frame.f_code.co_filename[len(prefix):], frame.f_code.co_firstlineno))

    sys.path.insert(0, os.path.realpath(tree))
    sys.setprofile(note)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            for module in modules:
                with contextlib.suppress(BaseException):
                    importlib.import_module(module)
    finally:
        sys.setprofile(None)
        sys.path.remove(os.path.realpath(tree))
    return seen
