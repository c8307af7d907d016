"""The child's part: runs pytest on the selected tests, asks the parent at every checkpoint, and tells it each outcome.

What pytest and its plugins need is imported before the candidate can be; the candidate's conftest files, plugins, ini
files, entry points, sitecustomize and .pth files are never loaded. Outcomes are taken from what pytest caught, by
functions that hold what they need in closures, so code under test that patches names of this module changes nothing. What
is told carries a keyed hash, so neither does another file at the descriptor.

What this does not stop: candidate and tests share one process. Code that finds these closures through frames or the
garbage collector can take part in the dialogue with the parent as they do: ask at the checkpoint, read the byte, and tell
whatever fits. It would also have to tell which of several values a test expects (choices.py), and that is nowhere in here.
Where a test has no such values there are only tests that must fail (`execute{control}`), which such code has to get wrong.
"""

import builtins
import importlib
import os
import re
import sys
from functools import partial
from hashlib import blake2b
from itertools import count
from json.encoder import encode_basestring_ascii

import choices
from beside import import_beside, module_name, trees_of
from checkpoints import FORK, NAME, codes_of
from code_seen import watch_code
from imports import admit, lacks_package
from seals import names_of_judges, seals, seals_beside, seals_of_tests

# Functions of this module find Python's own names here: what the candidate does to those of `builtins` reaches none of them.
__builtins__ = dict(vars(builtins))

MESSAGE_CHARACTERS = 500
THREADS = "OPENBLAS_NUM_THREADS"
KEY_BYTES = 32
# In place of a line's number, for the key of the lines about code that ran (code_seen.py).
CODE = 0
# What the parent answers at a checkpoint: go on; raise; go on, and have a copy raise.
GO, RAISE, COPY = b"g", b"r", b"c"
# The status of a process that finds another file at the descriptor of the dialogue.
EXIT_EXCHANGED = 70
# pytest's own plugins that could read or write outside the test, or do nothing for us.
UNUSED_PLUGINS = ("cacheprovider", "junitxml", "pastebin", "doctest", "stepwise", "setuponly", "setupplan")
SIGNATURE = re.compile(r"\b(takes|missing|unexpected keyword|positional argument|multiple values|no arguments)\b")


def key_of_copy(key, number, keyed=blake2b):
    """The key of a process that was copied from one with this key, where that had asked in its line of this number."""
    return keyed(b"%d" % number, digest_size=KEY_BYTES, key=key).digest()


class EndOfCopy(BaseException):
    """Raised where the parent said so. No Exception: what a test catches or expects is not this."""


class Among:
    """What a test expects, among other values; which is right is known to the parent only."""

    __slots__ = ("place", "values")

    def __init__(self, place, values):
        self.place, self.values = place, values


def load(request):
    """Imports what the run needs and the candidate has no part in; done once, before the forks."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ.pop("PYTEST_ADDOPTS", None)
    os.environ.pop("PYTEST_PLUGINS", None)
    import pytest  # noqa: F401, I001

    # It would put the name of the running case, parameters and all, into the environment.
    import _pytest.runner

    _pytest.runner._update_current_test_var = lambda *_: None
    for plugin in request["plugins"]:
        importlib.import_module(plugin)
    import_dependencies(request["dependencies"] or ())


def import_dependencies(names):
    """What the candidate will need, once for both children. Threads of a library for numbers do not live on in a fork."""
    known = os.environ.get(THREADS)
    os.environ[THREADS] = "1"
    for name in names:
        try:
            importlib.import_module(name)
        except Exception:
            pass  # Whoever needs it will say so.
    del os.environ[THREADS]
    if known is not None:
        os.environ[THREADS] = known


def run(request, key, dialogue):
    """Runs the tests; returns pytest's exit status, after telling it to the parent."""
    import pytest

    folder, test = request["folder"], module_name(request["file"])
    os.chdir(folder)
    trees = trees_of(folder, test)
    beside = import_beside(folder, test, trees)
    look_beside, seal_tests = seals_beside(beside, trees), partial(seals_of_tests, beside, trees)
    admit(request["roots"], folder, request["dependencies"])
    arguments = ["-c", "/dev/null", "--rootdir", folder, "--noconftest", "--capture=no", "-q", "--tb=short", "-rN"]
    arguments += ["--disable-warnings", "--color=no", "-p", "no:" + UNUSED_PLUGINS[0]]
    for name in UNUSED_PLUGINS[1:]:
        arguments += ["-p", "no:" + name]
    for plugin in request["plugins"]:
        arguments += ["-p", plugin]
    arguments += [f"{request['file']}::{function}" for function in request["select"]]
    watch_code(key_of_copy(key, CODE), dialogue, request["roots"], trees.values())
    # No local of a frame that lives while the candidate runs: what walks frames upwards finds none of it by name.
    ends, plugin = told_by(*speakers(key, dialogue), request, look_beside, seal_tests)
    del key, request, dialogue, trees, beside, look_beside, seal_tests
    return ends(int(pytest.main(arguments, plugins=[plugin])))


def told_by(tell, ask, turn, request, look_beside, seal_tests):
    """The function that tells the exit status and returns it, and the plugin that tells everything before."""

    def ends(status):
        tell("exit", status)
        return status

    return ends, watcher(tell, ask, turn, request, bodies(request), look_beside, seal_tests)


def speakers(key, dialogue):
    """
    The function that sends one event to the parent, the one that sends it and reads a byte for an answer, and the one that
    makes a copy of this process speak for itself. A line is `[number, event, value]` behind its keyed hash: the key is never
    sent, so what sits in between can neither rewrite a line nor write one. All that is called here is C, on types nobody can
    change (not so: json's encoders, named tuples). A descriptor that no longer leads where it led ends the process. A copy
    that the parent has not asked for has nothing to say, and is told to go on.
    """
    read, write, fstat, leave, getpid, getppid = os.read, os.write, os.fstat, os._exit, os.getpid, os.getppid
    item, keyed, hexdigest, derived = tuple.__getitem__, blake2b, blake2b.hexdigest, key_of_copy
    encode, failure, numbers, go, copy = encoder(), OSError, count, GO, COPY
    own, number, key_for_copy = getpid(), numbers(1).__next__, None

    def place():
        try:
            found = fstat(dialogue)
        except failure:
            leave(EXIT_EXCHANGED)
        return item(found, 1), item(found, 2)  # Inode and device.

    known = place()

    def tell(event, value):
        if getpid() != own:
            return None
        mine = number()
        line = encode([mine, event, value]).encode()
        data = hexdigest(keyed(line, key=key)).encode() + b" " + line + b"\n"
        while data:
            if place() != known:
                leave(EXIT_EXCHANGED)
            data = data[write(dialogue, data) :]
        return mine

    def ask(event, value):
        nonlocal key_for_copy
        asked = tell(event, value)
        if getpid() != own:
            return go
        if place() != known:
            leave(EXIT_EXCHANGED)
        answer = read(dialogue, 1)
        key_for_copy = derived(key, asked) if answer == copy else None
        return answer

    def turn():
        """Whether this is the copy that the parent has asked for; it speaks from now on, and the lines it inherited are not its own."""
        nonlocal own, number, key, key_for_copy
        if key_for_copy is None or getpid() == own or getppid() != own:
            return False
        own, number, key, key_for_copy = getpid(), numbers(1).__next__, key_for_copy, None
        return True

    return tell, ask, turn


def encoder():
    """The function that writes texts, whole numbers, nulls, lists and dicts with such keys as JSON in one line."""
    kind, text, number, table, quote, digits = type, str, int, dict, encode_basestring_ascii, int.__repr__

    def encode(value):
        if value is None:
            return "null"
        if kind(value) is text:
            return quote(value)
        if kind(value) is number:
            return digits(value)
        if kind(value) is table:
            return "{" + ",".join([quote(key) + ":" + encode(inner) for key, inner in value.items()]) + "}"
        return "[" + ",".join([encode(inner) for inner in value]) + "]"

    return encode


def bodies(request):
    """The code of every selected test body as it was delivered, compiled here, before the candidate can be imported."""
    import ast

    from _pytest.assertion.rewrite import rewrite_asserts

    names = {function.rpartition("::")[2] for function in request["select"]}
    with open(request["file"], "rb") as file:
        source = file.read()
    path = os.path.join(request["folder"], request["file"])
    tree = ast.parse(source, filename=path)
    plain = compile(tree, path, "exec", dont_inherit=True)
    rewrite_asserts(tree, source, path)
    return tuple(code for module in (plain, compile(tree, path, "exec", dont_inherit=True)) for code in codes_of(module, names))


def watcher(tell, ask, turn, request, codes, look_beside, seal_tests):
    """A pytest plugin that tells what is collected and how each case ends, and gives test bodies their checkpoint."""
    import pytest
    from _pytest.unraisableexception import gc_collect_iterations_key

    kind_of = kinds(pytest, request["roots"])
    broken, judges = [look_beside], {}
    prefix = request["file"] + "::"
    failures = {}
    raised_by_us = {}
    current = [None]
    in_copy = [False]
    getframe, gettrace, getprofile = sys._getframe, sys.gettrace, sys.getprofile
    waitpid, leave, failure, signal_of_ours, outcome_of, go, copy = os.waitpid, os._exit, OSError, EndOfCopy, outcome_of_copy, GO, COPY

    def case_id(nodeid):
        return nodeid[len(prefix) :] if nodeid.startswith(prefix) else nodeid

    def checkpoint(forked=None):
        """True: copy this process, and call again with what the fork has returned."""
        frame = getframe(1)
        if frame.f_code not in codes or frame.f_trace is not None or current[0] is None:
            tell("broken", "a checkpoint was called from elsewhere than an untouched test body")
            return False
        if forked:
            # The copy is over before this process goes on, so that they are never in each other's way.
            try:
                waitpid(forked, 0)
            except failure:
                pass  # Somebody else has waited for it.
            tell("copied", current[0])
            return False
        if forked is None and not in_copy[0]:
            answer = ask("checkpoint", current[0])
            if answer in (go, copy):
                return answer == copy
        elif forked == 0 and not in_copy[0]:
            in_copy[0] = turn()
            if not in_copy[0]:
                return False
        raise raised_by_us.setdefault(current[0], signal_of_ours("the parent said so"))

    setattr(builtins, NAME, checkpoint)
    setattr(builtins, FORK, os.fork)
    setattr(builtins, choices.NAME, chooser(tell, current))
    setattr(builtins, choices.PARAMETER, Among)

    def check_seals():
        found = next(filter(None, (look() for look in broken)), None)
        if found:
            broken.clear()  # Said once.
            tell("broken", found)
        if gettrace() is not None or getprofile() is not None:
            tell("broken", "a trace function is set")

    class Watcher:
        def pytest_configure(self, config):
            # Collecting garbage five times at the very end finds nothing that counts any more, in a third of a run's time.
            config.stash[gc_collect_iterations_key] = 0

        @pytest.hookimpl(tryfirst=True)
        def pytest_collection(self):
            # The last moment before the candidate can be imported; pytest has patched itself by now.
            broken.append(seals())
            judges.update(names_of_judges())

        def pytest_collection_finish(self, session):
            check_seals()
            broken.append(seal_tests(judges))
            for item in session.items:
                tell("collected", case_id(item.nodeid))

        def pytest_exception_interact(self, node, call, report):
            if not isinstance(node, pytest.Item):
                kind, message = kind_of(call.excinfo.value)
                tell("problems", {"where": node.nodeid, "kind": kind, "message": message})

        def pytest_collectreport(self, report):
            if report.skipped:
                tell("problems", {"where": report.nodeid, "kind": "other", "message": "skipped at collection"})

        @pytest.hookimpl(tryfirst=True)
        def pytest_runtest_setup(self, item):
            check_seals()
            current[0] = case_id(item.nodeid)

        @pytest.hookimpl(wrapper=True, tryfirst=True)
        def pytest_runtest_makereport(self, item, call):
            if in_copy[0]:
                item.repr_failure = str  # Nobody reads where it raised; to find that out takes longer than all else here.
            report = yield
            case = case_id(item.nodeid)
            raised = None if call.excinfo is None else call.excinfo.value
            if in_copy[0]:
                tell("copied", {"id": case, "outcome": outcome_of(raised, raised_by_us.get(case), report)})
                leave(0)
            if raised is not None and raised is raised_by_us.get(case):
                failures.setdefault(case, ("raised", "call", None, ""))
                report.outcome, report.longrepr = "passed", None
                return report
            expected = hasattr(report, "wasxfail")
            if raised is not None or expected or report.outcome != "passed":
                skipped = expected or isinstance(raised, pytest.skip.Exception)
                kind, message = kind_of(raised)
                outcome = "skipped" if skipped else "failed" if call.when == "call" else "error"
                if failures.get(case, ("raised",))[0] == "raised":
                    failures[case] = (outcome, call.when, kind, message)
            if call.when == "teardown":
                current[0] = None
                check_seals()
                outcome, phase, kind, message = failures.get(case, ("passed", "call", None, ""))
                tell("tests", {"id": case, "outcome": outcome, "phase": phase, "kind": kind, "message": message})
            return report

    return Watcher()


def outcome_of_copy(raised, signal, report):
    """A copy ends here: what comes after the body is its original's."""
    if raised is None:
        return report.outcome
    return "raised" if raised is signal else "failed"


def chooser(tell, current):
    """The function that stands where a test compares with a written value: tells which of several held, and fails where none did."""
    from _pytest._io.saferepr import saferepr
    from _pytest.outcomes import Failed

    said, wrong, several, failed = set(), AssertionError, Among, Failed

    def choose(how, is_first, actual, expected, /, *others, **named):
        __tracebackhide__ = True
        place, values = (expected.place, expected.values) if type(expected) is several else (None, (expected,))
        held, error = [], None
        for position, value in enumerate(values):
            one, other = (value, actual) if is_first else (actual, value)
            try:
                if how == "==":
                    holds = bool(one == other)
                elif how == "is":
                    holds = one is other
                else:
                    how(one, other, *others, **named)
                    holds = True
            except (Exception, failed) as raised:
                error, holds = error or raised, False
            if holds:
                held.append(position)
        # That none held is told as well: whatever the test is left by may swallow what is raised here.
        if place is not None and current[0] is not None and (current[0], place, *held) not in said:
            said.add((current[0], place, *held))
            tell("chosen", {"case": current[0], "place": place, "held": held})
        if held:
            return True
        if error is not None and not isinstance(error, wrong):
            raise error
        shown = saferepr(expected) if place is None else f"<value {place}>"
        raise wrong(f"expected {shown}, got {saferepr(actual)}")

    return choose


def kinds(pytest, roots):
    """The function that sorts an exception; subclasses before their bases. `roots`: of the candidate."""
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
        if isinstance(error, ModuleNotFoundError) and lacks_package(error, roots):
            return "missing-package", message
        if isinstance(error, TypeError):
            return ("signature" if SIGNATURE.search(message) else "type"), message
        return next((kind for type_, kind in table if isinstance(error, type_)), "other"), message

    return kind_of
