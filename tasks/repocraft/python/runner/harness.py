"""The child's part: runs pytest on the selected tests and tells the parent each outcome, line by line.

What pytest and its plugins need is imported before the candidate can be; the candidate's conftest files, plugins, ini
files, entry points, sitecustomize and .pth files are never loaded. Outcomes are taken from what pytest caught, by
functions that hold what they need in closures, so code under test that patches names of this module changes nothing.

What this does not stop: candidate and tests share one process. Code that wants to forge a pass can walk the frames above
it (those of runner.py hold the secret) or the garbage collector's objects to these functions and the secret, replace a test's code, or patch what
pytest looks up late. These are hurdles and not a wall; only tests that must fail ("canaries") would show it.
"""

import importlib
import json
import os
import re
import sys
import sysconfig
from importlib.machinery import PathFinder

MESSAGE_CHARACTERS = 500
# pytest's own plugins that could read or write outside the test, or do nothing for us.
UNUSED_PLUGINS = ("cacheprovider", "junitxml", "pastebin", "doctest", "debugging", "stepwise", "setuponly", "setupplan")
SIGNATURE = re.compile(r"\b(takes|missing|unexpected keyword|positional argument|multiple values|no arguments)\b")


def run(request, secret, report):
    """Runs the tests; returns pytest's exit status, after telling it to the parent."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ.pop("PYTEST_ADDOPTS", None)
    os.environ.pop("PYTEST_PLUGINS", None)
    import pytest

    for plugin in request["plugins"]:
        importlib.import_module(plugin)
    folder = request["folder"]
    os.chdir(folder)
    add_candidate(request["roots"], folder)
    arguments = ["-c", "/dev/null", "--rootdir", folder, "--noconftest", "--capture=no", "-q", "--tb=short", "-rN"]
    arguments += ["--disable-warnings", "--color=no", "-p", "no:" + UNUSED_PLUGINS[0]]
    for name in UNUSED_PLUGINS[1:]:
        arguments += ["-p", "no:" + name]
    for plugin in request["plugins"]:
        arguments += ["-p", plugin]
    arguments += [f"{request['file']}::{function}" for function in request["select"]]
    # No local of a frame that lives while the candidate runs: what walks frames upwards finds none of it by name.
    ends, plugin = told_by(teller(secret, report), request["file"])
    del secret, request, report
    return ends(int(pytest.main(arguments, plugins=[plugin])))


def told_by(tell, file):
    """The function that tells the exit status and returns it, and the plugin that tells everything before."""

    def ends(status):
        tell("exit", status)
        return status

    return ends, watcher(tell, file)


def teller(secret, report):
    """The function that sends one event to the parent; a forked copy of this process has nothing to say."""
    write, dumps, getpid, own = os.write, json.dumps, os.getpid, os.getpid()

    def tell(event, value):
        if getpid() != own:
            return
        data = (dumps([secret, event, value]) + "\n").encode()
        while data:
            data = data[write(report, data) :]

    return tell


def watcher(tell, file):
    """A pytest plugin that tells what is collected and how each case ends."""
    import pytest
    from _pytest.unittest import TestCaseFunction

    kind_of = kinds(pytest)
    prefix = file + "::"
    bodies = set()
    failures = {}
    codes = {}

    def case_id(nodeid):
        return nodeid[len(prefix) :] if nodeid.startswith(prefix) else nodeid

    class Watcher:
        def pytest_collection_finish(self, session):
            for item in session.items:
                codes[item.nodeid] = code_of(item)
                tell("collected", case_id(item.nodeid))

        def pytest_exception_interact(self, node, call, report):
            if not isinstance(node, pytest.Item):
                kind, message = kind_of(call.excinfo.value)
                tell("problems", {"where": node.nodeid, "kind": kind, "message": message})

        def pytest_collectreport(self, report):
            if report.skipped:
                tell("problems", {"where": report.nodeid, "kind": "other", "message": "skipped at collection"})

        @pytest.hookimpl(wrapper=True, tryfirst=True)
        def pytest_pyfunc_call(self, pyfuncitem):
            before = code_of(pyfuncitem)
            result = yield
            if before is codes.get(pyfuncitem.nodeid) is code_of(pyfuncitem):
                bodies.add(pyfuncitem.nodeid)
            return result

        @pytest.hookimpl(wrapper=True, tryfirst=True)
        def pytest_runtest_makereport(self, item, call):
            report = yield
            raised = None if call.excinfo is None else call.excinfo.value
            expected = hasattr(report, "wasxfail")
            if raised is not None or expected or report.outcome != "passed":
                skipped = expected or isinstance(raised, pytest.skip.Exception)
                kind, message = kind_of(raised)
                outcome = "skipped" if skipped else "failed" if call.when == "call" else "error"
                failures.setdefault(item.nodeid, (outcome, call.when, kind, message))
            if call.when == "teardown":
                ran = isinstance(item, TestCaseFunction) or item.nodeid in bodies
                silent = ("passed", "call", None, "") if ran else ("error", "call", "other", "its body was not run")
                outcome, phase, kind, message = failures.get(item.nodeid, silent)
                told = {"id": case_id(item.nodeid), "outcome": outcome, "phase": phase, "kind": kind, "message": message}
                tell("tests", told)
            return report

    return Watcher()


def code_of(item):
    """The code of a test's body as its module or class has it; None for what is no plain function."""
    function = getattr(item, "obj", None)
    return getattr(getattr(function, "__func__", function), "__code__", None)


def kinds(pytest):
    """The function that sorts an exception; subclasses before their bases."""
    table = (
        (AssertionError, "assertion"),
        (pytest.fail.Exception, "assertion"),
        (ImportError, "import"),
        (AttributeError, "attribute"),
        (NameError, "name"),
        (MemoryError, "memory"),
        (TimeoutError, "timeout"),
    )

    def kind_of(error):
        if error is None:
            return None, ""
        # A collection error wraps what the test module really raised.
        error = error.__cause__ if isinstance(error, pytest.Collector.CollectError) and error.__cause__ else error
        try:
            message = f"{type(error).__name__}: {error}"[:MESSAGE_CHARACTERS]
        except Exception:
            message = type(error).__name__[:MESSAGE_CHARACTERS]
        if isinstance(error, TypeError):
            return ("signature" if SIGNATURE.search(message) else "type"), message
        return next((kind for type_, kind in table if isinstance(error, type_)), "other"), message

    return kind_of


def add_candidate(roots, folder):
    """Makes the candidate importable, behind the standard library and before installed packages, and refuses strays."""
    paths = sysconfig.get_paths()
    installed = [paths["purelib"], paths["platlib"]]
    place = min((sys.path.index(path) for path in installed if path in sys.path), default=len(sys.path))
    sys.path[place:place] = roots
    allowed = [paths["stdlib"], paths["platstdlib"], *installed, *roots, folder]
    sys.meta_path.insert(0, guard(tuple(os.path.realpath(path) + os.sep for path in allowed)))


def guard(allowed):
    """A finder in front of the ordinary one: what lies outside the allowed folders, links followed, is not imported."""
    find, realpath = PathFinder.find_spec, os.path.realpath

    class Guard:
        @staticmethod
        def find_spec(name, path=None, target=None):
            spec = find(name, path, target)
            if spec is None:
                return None
            places = [spec.origin] if spec.has_location and spec.origin else list(spec.submodule_search_locations or ())
            for place in places:
                if not (realpath(place) + os.sep).startswith(allowed):
                    raise ImportError(f"import of {name} from {place} is refused: outside the candidate", name=name)
            return spec

        @staticmethod
        def invalidate_caches():
            PathFinder.invalidate_caches()

    return Guard
