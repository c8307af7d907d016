"""
Which functions of a library run while it is imported and while its tests begin: (file, first line). `prelude` is what these
begin with, without which some of the library cannot be imported. The library is trusted: it is the pinned reference.
"""

import contextlib
import importlib
import io
import os
import sys
import tempfile
import types


def running_at_start(tree, modules, prelude):
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
    """As pytest begins a test file: the file's own code, then the fixtures every test gets (tables in a database, say)."""
    module = sys.modules["its_test"] = types.ModuleType("its_test")
    module.__file__ = os.path.abspath("its_test.py")
    exec(compile(prelude, "its_test.py", "exec"), module.__dict__)
    if "pytest" in sys.modules:
        run_with_fixtures(prelude)


def run_with_fixtures(prelude):
    import pytest

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "test_nothing.py")
        with open(path, "w") as file:
            file.write(f"{prelude}\n\ndef test_nothing():\n    pass\n")
        status = pytest.main(["-q", "-c", os.devnull, "--rootdir", folder, "-p", "no:cacheprovider", path])
    if status != 0:
        raise RuntimeError(f"what tests begin with ends with {status} under pytest")
