"""A forked process that runs the tests, its pipe and its socket, and what came through them."""

import glob
import os
import re
import select
import signal
import socket
import sys
import time
from collections import Counter

import harness
from deliver import changed_in, prints_of
from denied import deny
from harness import CODE, COPY, GO, KEY_BYTES, RAISE, key_of_copy
from voice import Voice

HERE = os.path.dirname(os.path.abspath(__file__))
OWN_MODULES = [os.path.basename(path)[: -len(".py")] for path in glob.glob(os.path.join(HERE, "*.py"))]
OUTCOME_BYTES = 8 * 1024 * 1024
LOOK_MS = 250
# A copy has nothing to do but to unwind, nor has its original afterwards. What takes longer stands still, perhaps since a copy
# has no threads, or has taken from its original what the system keeps for both (how an event loop is woken up).
COPIED_SECONDS = 10.0
SHAPES = {"tests": dict, "collected": str, "problems": dict, "broken": str, "chosen": dict}
HIDDEN = re.compile(r"<value (\d+)>")
SHOWN_CHARACTERS = 200
PRINT_CHARACTERS = 32


def watch(child, ended, attend):
    """
    Lets it begin, and takes in everything until it has ended. `attend` is called after whatever was said, and a few times a
    second. `ended`: what is known of processes that have ended, by their number.
    """
    wake_read, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    # Ends the wait in poll() when a child does.
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    poll = select.poll()
    for place in (wake_read, *child.places):
        poll.register(place, select.POLLIN)
    child.begin()
    reap_all(ended)
    while child.status is None:
        for place, event in poll.poll(LOOK_MS):
            if place == wake_read:
                os.read(wake_read, 4096)
            elif not child.take(place) and event & select.POLLHUP:
                poll.unregister(place)
        child.listen()
        reap_all(ended)
        attend()
    signal.set_wakeup_fd(-1)
    os.close(wake_read)
    os.close(wake_write)


def reap_all(ended):
    """Of whatever has ended: a child that waits for its turn, too, may have been killed by something."""
    while True:
        try:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        ended[pid] = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime


class Child:
    """Forked at once, and waits for its turn: before this process knows anything of the test, and it is to know nothing, either."""

    def __init__(self, request, output, ended):
        self._output = output
        self._ended = ended
        self._lines = bytearray()
        self._done = 0
        self._said = {"tests": [], "collected": [], "problems": [], "broken": [], "chosen": [], "code": set(), "exit": None, "strayLines": 0}
        self._folder = request["folder"]
        # What is hidden in its test, and a hash of every file it gets; known before it begins, and to this process only.
        self.choices = self._prints = None
        # Function → how many cases its text says that it has, at least.
        self._cases = {}
        # (case, number of the line) that wait to be told, and what each case was told.
        self._asked = []
        self._told = {}
        # For each copy that was asked for: its case, and the outcome it told.
        self._copies = []
        self._copied_at = self._copy = self._voice = self._of_code = self._key = None  # The time: of a case that is not over.
        self._copy_seconds = 0.0
        self._printed, print_end = os.pipe2(os.O_CLOEXEC)
        self._dialogue, child_end = (end.detach() for end in socket.socketpair())
        self.pid = os.fork()
        if self.pid == 0:
            be_child(request, print_end, child_end)
        os.close(print_end)
        os.close(child_end)
        os.set_blocking(self._printed, False)
        os.set_blocking(self._dialogue, False)
        self.places = (self._printed, self._dialogue)

    def deliver(self, path, text, choices, cases):
        """Its test, now that it is there and waits. All else lies in its folder already."""
        self.choices, self._cases = choices, cases
        path = os.path.join(self._folder, path)
        os.unlink(path)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o444)  # What writes over everything that looks like a test fails at that.
        self._prints = prints_of(self._folder)

    def begin(self):
        """With a key that no other process has, the second child, which was forked before, among them."""
        self._key = os.urandom(KEY_BYTES)
        self._voice = Voice(self._key)
        self._of_code = Voice(key_of_copy(self._key, CODE), in_order=False)
        self._send(GO + self._key)

    def dismiss(self):
        """Ends it without its turn."""
        os.close(self._dialogue)

    @property
    def status(self):
        """Null while it runs; negative: the signal that ended it."""
        return self._ended[self.pid][0] if self.pid in self._ended else None

    def kill(self):
        """With what it started in its session."""
        if self.status is None:
            try:
                os.killpg(self.pid, signal.SIGKILL)
            except OSError:
                pass

    @property
    def asked(self):
        """The case that waits at its checkpoint to be told."""
        return self._asked[0][0] if self._asked else None

    def tell(self, is_to_raise):
        """What it asked."""
        case, _ = self._asked.pop(0)
        self._told[case] = "raise" if is_to_raise else "go"
        self._send(RAISE if is_to_raise else GO)

    def tell_both(self):
        """What it asked: it is to go on, and a copy of it to raise."""
        case, number = self._asked.pop(0)
        self._told[case] = "both"
        self._copies.append([case, None])
        self._copy, self._copied_at = Voice(key_of_copy(self._key, number)), time.monotonic()
        self._send(COPY)

    @property
    def was_copied(self):
        return bool(self._copies)

    @property
    def was_wrong(self):
        """A case came to one of the wrong values: that was a guess or a mistake, and is not tried again with another one."""
        return any(held and self.choices.right[place] not in held for _, place, held in self._chosen())

    @property
    def stands_still_after_copy(self):
        """Or before the end of it."""
        return self._copied_at is not None and time.monotonic() - self._copied_at > COPIED_SECONDS

    def drain(self):
        """What was still on its way; to be called when nobody is left to write. Nothing is answered any more."""
        for place in self.places:
            while self.take(place):
                pass
        self.listen()
        changed = changed_in(self._folder, self._prints)
        if changed is not None:
            self._said["broken"].append(f"{changed} is not what was delivered any more")

    def tests(self):
        """Its outcomes with what each case was told; a body that ended in the parent's own exception is one that passed."""
        for test in self._said["tests"]:
            case = str(test.get("id"))
            outcome = "passed" if test.get("outcome") == "raised" else test.get("outcome")
            told = {"outcome": outcome, "told": self._told.get(case), "message": self._in_the_open(str(test.get("message")))}
            missed = self._missed(case)
            if outcome == "passed" and missed is not None:
                told.update(outcome="failed", phase="call", kind="assertion", message=missed)
            yield {**test, **told}

    def vacuous(self):
        """Where more than the right value held: who is equal to everything was not tested."""
        found = []
        for case, place, held in self._chosen():
            if len(held) > 1:
                line = self.choices.lines[place]
                found.append({"id": case, "how": f"is equal to what line {line} expects, and to other values as well"})
        return found[:50]

    def _chosen(self):
        """(case, place, positions that held), as far as that can be so."""
        for said in self._said["chosen"]:
            case, place, held = said.get("case"), said.get("place"), said.get("held")
            if isinstance(case, str) and isinstance(place, int) and isinstance(held, list) and 0 <= place < len(self.choices.right):
                yield case, place, set(held)

    def _missed(self, case):
        """What a case that is said to have passed got wrong; null where it came to the right values only."""
        for chosen, place, held in self._chosen():
            if chosen == case and self.choices.right[place] not in held:
                text = self.choices.expected(place)[:SHOWN_CHARACTERS]
                return f"AssertionError: line {self.choices.lines[place]}: expected {text}, got another value"
        return None

    def _came_by(self, case):
        """Whether it came by all values that its function cannot miss."""
        name = name_of(case)
        told = {place for chosen, place, _ in self._chosen() if chosen == case}
        needed = self.choices.needed.get(name)
        return needed is None or any(all(one & told for one in places) for places in needed)

    def _left_out(self):
        """Cases that its text has and it did not collect, and rows of parameters whose values were compared by none."""
        counts = Counter(case.partition("[")[0] for case in self._said["collected"])
        for name, least in self._cases.items():
            if 0 < counts[name] < least:
                yield {"id": name, "how": f"has {counts[name]} cases, and {least} in its text"}
        told = {place for _, place, _ in self._chosen()}
        others = {name_of(str(test.get("id"))) for test in self._said["tests"] if test.get("outcome") not in ("passed", "raised")}
        for name in {name_of(case) for case in self._said["collected"]} - others:
            bodies = self.choices.needed.get(name, [])
            if len(bodies) == 1 and not all(places <= told for places in bodies[0]):
                yield {"id": name, "how": "reported as passed, but without all the values of its parameters"}

    def _in_the_open(self, message):
        """With the right values where the test only knows numbers for them."""
        choices = self.choices
        return HIDDEN.sub(
            lambda found: choices.expected(int(found[1]))[:SHOWN_CHARACTERS] if int(found[1]) < len(choices.right) else found[0], message
        )

    def forged(self):
        """What cannot be so: outcomes that do not go with what was told, and what the harness found exchanged."""
        found = [{"id": "", "how": str(how)[:300]} for how in self._said["broken"]]
        for test in self._said["tests"]:
            case, outcome = str(test.get("id")), test.get("outcome")
            told = self._told.get(case)
            if outcome == "passed" and told is None:
                found.append({"id": case, "how": "reported as passed, but its body never came to its end"})
            elif (outcome, told) in (("passed", "raise"), ("raised", "go"), ("raised", "both"), ("raised", None)):
                found.append({"id": case, "how": f"was told {told or 'nothing'} and reported as {outcome}"})
            elif outcome in ("passed", "raised") and not self._came_by(case):
                found.append({"id": case, "how": "reported as passed, but without what its body compares"})
        found += self._left_out() if self._said["exit"] == 0 else []
        for case, outcome in self._copies:
            if outcome == "passed":
                found.append({"id": case, "how": "its copy was told to raise and reported as passed"})
        return found[:50]

    @property
    def is_forged(self):
        """Or passed by something else than its answers."""
        return bool(self._said["strayLines"] or self.forged() or self.vacuous())

    def compare(self, first):
        """Other cases than in the first round, or cases not told the other thing, prove nothing."""
        mine, others = set(self._said["collected"]), set(first._said["collected"])
        if mine != others or any(self._told.get(case) == first._told.get(case) for case in mine):
            message = "the second round did not come to the same cases as the first"
            self._said["problems"].append({"where": "", "kind": "other", "message": message})

    def report(self):
        return {
            "tests": list(self.tests()),
            "collected": self._said["collected"],
            "problems": self._said["problems"],
            "forged": self.forged(),
            "vacuous": self.vacuous(),
            "strayLines": self._said["strayLines"],
            "code": sorted(self._said["code"]),
            "childExit": self.status if self.status >= 0 else None,
            "signal": signal.Signals(-self.status).name if self.status < 0 else None,
            "childCpuSeconds": round(self._ended[self.pid][1], 3),
            "copySeconds": round(self._copy_seconds, 3),
        }

    def is_complete(self, select_ids):
        """Whether every selected test ran and passed, every copy raised, and everything the child said agrees with how it ended."""
        said = self._said
        if self.status != 0 or said["exit"] != 0 or said["problems"] or self.is_forged:
            return False
        if any(outcome != "raised" for _, outcome in self._copies):
            return False
        tests = list(self.tests())
        passed = {str(test.get("id")) for test in tests if test["outcome"] == "passed"}
        others = [test for test in tests if test["outcome"] != "passed"]
        collected = set(said["collected"])
        covered = {case.partition("[")[0] for case in collected}
        return bool(select_ids) and set(select_ids) <= covered and collected <= passed and not others

    def take(self, place):
        """What there is to read; false when there is nothing."""
        try:
            data = os.read(place, 65536)
        except OSError:
            return False  # Nothing yet; or a socket whose other end was closed with unread answers.
        if place == self._printed:
            self._output.keep(data)
        else:
            self._lines += data[: max(0, OUTCOME_BYTES - len(self._lines))]
            if len(self._lines) == OUTCOME_BYTES:
                self.kill()  # What it asks now would be heard by nobody.
        return len(data) > 0

    def listen(self):
        """Takes the lines that are whole by now; those the harness did not write, or said before, are counted as stray."""
        while (end := self._lines.find(b"\n", self._done)) >= 0:
            line = bytes(self._lines[self._done : end])
            self._done = end + 1
            if self._hear_of_code(line):
                continue
            if self._said["exit"] is not None or not (self._hear(line) or self._hear_copy(line)):
                self._said["strayLines"] += 1

    def _hear_of_code(self, line):
        """At any time: threads tell of it, too, and processes that the test has forked."""
        _, event, value = self._of_code.heard(line)
        if event == "code" and isinstance(value, str):
            self._said["code"].add(value[:PRINT_CHARACTERS])
        return event is not None

    def _hear(self, line):
        number, event, value = self._voice.heard(line)
        if number is None:
            return False
        if event == "exit":
            self._said["exit"] = value
        elif event == "copied" and self._copy is not None:
            self._copy = None  # Has ended.
            self._copy_seconds += time.monotonic() - (self._copied_at or time.monotonic())
        elif event == "checkpoint" and isinstance(value, str):
            self._asked.append((value, number))
        elif event in SHAPES and isinstance(value, SHAPES[event]):
            self._said[event].append(value)
            if event == "tests":
                self._copied_at = None
        else:
            return False
        return True

    def _hear_copy(self, line):
        """Its one outcome, and what it found exchanged. What it compares on its way out proves nothing."""
        _, event, value = (None, None, None) if self._copy is None else self._copy.heard(line)
        case, outcome = self._copies[-1] if self._copies else (None, None)
        if event == "copied" and outcome is None and isinstance(value, dict) and value.get("id") == case:
            self._copies[-1][1] = str(value.get("outcome"))
        elif event == "broken" and isinstance(value, str):
            self._said["broken"].append(value)
        else:
            return event == "chosen"
        return True

    def _send(self, data):
        try:
            os.write(self._dialogue, data)
        except OSError:
            pass  # It asks without listening, or is gone: nothing to wait for.


def name_of(case):
    """`test_both` of `TestUnit::test_both[a-1]`."""
    return case.partition("[")[0].rpartition("::")[2]


def be_child(request, output, dialogue):
    """Never returns. Nothing of the parent's is open in here: not its output, and not yet read is its input."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    dialogue = os.dup2(dialogue, 3, inheritable=False)
    os.closerange(4, 1024)
    os.setsid()
    status = 70
    try:
        if os.read(dialogue, 1) == GO:
            for name in OWN_MODULES:
                sys.modules.pop(name, None)
            sys.path[:] = [path for path in sys.path if path != HERE]
            deny()
            # The key stays in no frame and no object of the child's.
            status = harness.run(request, os.read(dialogue, KEY_BYTES), dialogue)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        # Without the candidate's atexit hooks and threads.
        os._exit(status)
