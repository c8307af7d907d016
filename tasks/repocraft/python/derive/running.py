"""
Which functions of a library run while it is imported: (file, first line). `prelude` is what its tests begin with, without
which some of it cannot be imported. The library is trusted: it is the pinned reference.
"""

import contextlib
import importlib
import io
import os
import sys
import types


def running_at_import(tree, modules, prelude):
    seen, prefix = set(), os.path.realpath(tree) + os.sep

    def note(frame, event, _argument):
        # A module's own code begins at line 1, where a function may stand as well.
        if event == "call" and frame.f_code.co_name != "<module>" and frame.f_code.co_filename.startswith(prefix):
            seen.add((frame.f_code.co_filename[len(prefix):], frame.f_code.co_firstlineno))

    sys.path.insert(0, os.path.realpath(tree))
    sys.setprofile(note)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            if prelude:
                begin(prelude)
            for module in modules:
                with contextlib.suppress(BaseException):
                    importlib.import_module(module)
    finally:
        sys.setprofile(None)
        sys.path.remove(os.path.realpath(tree))
    return seen


def begin(prelude):
    module = sys.modules["its_test"] = types.ModuleType("its_test")
    module.__file__ = os.path.abspath("its_test.py")
    exec(compile(prelude, "its_test.py", "exec"), module.__dict__)
