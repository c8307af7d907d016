"""
What happens before a test of the library's says anything: the modules are imported that tests use, and `prelude` is run that
they begin with, without which some of a library cannot be imported. Each time in a process of its own, forked from one that
has imported nothing of the library. The library is trusted: it is the pinned reference, or what was made of it.
"""

import contextlib
import functools
import importlib
import importlib.machinery
import io
import multiprocessing
import os
import sys
import tempfile
import types


class Start:
    """The start of a library's tests. `folder`: where compiled modules are kept from one start to the next."""

    def __init__(self, tree, modules, prelude, folder):
        self.tree, self.modules, self.prelude, self.folder = os.path.realpath(tree), modules, prelude, folder

    @functools.cached_property
    def as_it_is(self):
        """(modules that can be imported, (file, first line) of the functions that ran)"""
        found = apart(self.watched)
        if found is None:
            raise RuntimeError("the reference cannot be imported, or what its tests begin with fails")
        return found

    def running(self):
        """(file, first line) of the functions that run before a test does."""
        return self.as_it_is[1]

    def works_with(self, texts):
        """Whether tests can begin where files have other texts ({path: text}), and import whatever they could."""
        importable, _ = self.as_it_is
        return apart(lambda: self.begun_with(texts, importable)) is not None

    def watched(self):
        seen, prefix = set(), self.tree + os.sep

        def note(frame, event, _argument):
            # A module's own code begins at line 1, where a function may stand as well.
            if event == "call" and frame.f_code.co_name != "<module>" and frame.f_code.co_filename.startswith(prefix):
                seen.add((frame.f_code.co_filename[len(prefix):], frame.f_code.co_firstlineno))

        sys.setprofile(note)
        try:
            imported = self.begun(self.modules, contextlib.suppress(BaseException))
        finally:
            sys.setprofile(None)
        return imported, seen

    def begun_with(self, texts, importable):
        put_in(self.tree, texts)
        with contextlib.suppress(BaseException):
            return self.begun(importable, contextlib.nullcontext())

    def begun(self, modules, whatever_fails):
        """Those of the modules that were imported."""
        sys.path.insert(0, self.tree)
        sys.dont_write_bytecode, sys.pycache_prefix = False, self.folder
        imported = []
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            if self.prelude:
                begin(self.prelude)
            for module in modules:
                with whatever_fails:
                    importlib.import_module(module)
                    imported.append(module)
        return imported


def apart(work):
    """What a function returns in a process of its own; None where it ends otherwise."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=lambda: sender.send(work()))
    child.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        return None
    finally:
        child.join()


def put_in(tree, texts):
    """Has files of a tree read as if they had other texts, in this process; what is compiled of them is not kept."""
    loader = importlib.machinery.SourceFileLoader
    read, told = loader.get_data, loader.path_stats

    def get_data(self, path):
        text = texts.get(os.path.relpath(path, tree))
        return read(self, path) if text is None else text.encode()

    def path_stats(self, path):
        if os.path.relpath(path, tree) in texts:
            raise OSError(f"{path} is not to be had compiled")
        return told(self, path)

    loader.get_data, loader.path_stats = get_data, path_stats


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
