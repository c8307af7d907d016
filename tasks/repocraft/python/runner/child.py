"""A forked process that runs the tests, its pipe and its socket, and what came through them."""

import glob
import json
import os
import re
import select
import signal
import socket
import sys
import tempfile
import time
from hashlib import blake2b

import harness
from deliver import changed_in, prints_of
from processes import LEFTOVER_GRACE_SECONDS

HERE = os.path.dirname(os.path.abspath(__file__))
OWN_MODULES = [os.path.basename(path)[: -len(".py")] for path in glob.glob(os.path.join(HERE, "*.py"))]
OUTCOME_BYTES = 8 * 1024 * 1024
GO, RAISE = b"g", b"r"
KEY_BYTES = 32
LOOK_MS = 250
TICKS = os.sysconf("SC_CLK_TCK")
SHAPES = {"tests": dict, "collected": str, "problems": dict, "broken": str, "chosen": dict}
HIDDEN = re.compile(r"<value (\d+)>")
# How an exception reads where the system refused something: a port, a file's name, an answer in time.
REFUSED = re.compile(r"\[Errno \d+\]|[Tt]ime(d |-)?out")
SHOWN_CHARACTERS = 200


def watch(children, ended, attend):
    """
    Lets them begin, and takes in everything until they have ended. `attend` is called after whatever was said, and a few
    times a second. `ended`: what is known of processes that have ended, by their number.
    """
    wake_read, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    # Ends the wait in poll() when a child does.
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    poll = select.poll()
    poll.register(wake_read, select.POLLIN)
    owners = {place: child for child in children for place in child.places}
    for place in owners:
        poll.register(place, select.POLLIN)
    for child in children:
        child.begin()
    reap_all(ended)
    while any(child.status is None for child in children):
        for place, event in poll.poll(LOOK_MS):
            if place == wake_read:
                os.read(wake_read, 4096)
            elif not owners[place].take(place) and event & select.POLLHUP:
                poll.unregister(place)
        for child in children:
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
        ended[pid] = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, time.monotonic()


class Child:
    """
    Forked at once, and waits for its turn. `temporary`: its own folder for temporary files; null = the usual one. `forget`
    is called in the new process: it must not begin with what the parent knows of the test by now.
    """

    def __init__(self, request, output, ended, temporary, forget):
        self._output = output
        self._ended = ended
        self._lines = bytearray()
        self._done = 0
        self._said = {"tests": [], "collected": [], "problems": [], "broken": [], "chosen": [], "exit": None, "strayLines": 0}
        self.folder = request["folder"]
        # What is hidden in its test, and a hash of every file it gets; known before it begins, and to this process only.
        self.choices = self._prints = None
        self._over = set()
        self._asked = []
        self._told = {}
        self._heard = 0
        self._is_paused = False
        self._key = None
        self._printed, print_end = os.pipe2(os.O_CLOEXEC)
        self._dialogue, child_end = (end.detach() for end in socket.socketpair())
        self.pid = os.fork()
        if self.pid == 0:
            forget()
            be_child(request, print_end, child_end, temporary)
        os.close(print_end)
        os.close(child_end)
        os.set_blocking(self._printed, False)
        os.set_blocking(self._dialogue, False)
        self.places = (self._printed, self._dialogue)

    def deliver(self, path, text, choices):
        """Its test, now that it is there and waits. All else lies in its folder already."""
        self.choices = choices
        path = os.path.join(self.folder, path)
        os.unlink(path)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        # What one round writes over everything that looks like a test must not decide by chance what the other one reads.
        os.chmod(path, 0o444)
        self._prints = prints_of(self.folder)

    def begin(self):
        """With a key that no other process has, the second child, which was forked before, among them."""
        self._key = os.urandom(KEY_BYTES)
        self._send(GO + self._key)

    def dismiss(self):
        """Ends it without its turn."""
        os.close(self._dialogue)

    @property
    def status(self):
        """Null while it runs; negative: the signal that ended it."""
        return self._ended[self.pid][0] if self.pid in self._ended else None

    @property
    def ended_at(self):
        return self._ended[self.pid][2]

    @property
    def cpu_seconds(self):
        """What the process has used so far, without what it started; 0 once it has ended."""
        fields = self._stat()
        return (int(fields[11]) + int(fields[12])) / TICKS if fields else 0

    @property
    def is_runnable(self):
        fields = self._stat()
        return bool(fields) and fields[0] == "R"

    def _stat(self):
        """From the state on; null once it has ended."""
        try:
            with open(f"/proc/{self.pid}/stat", encoding="utf-8", errors="replace") as file:
                return file.read().rpartition(")")[2].split()
        except OSError:
            return None

    def end_group_if_over(self):
        """What it left in its session is not to disturb the other round."""
        if self.status is not None and time.monotonic() - self.ended_at > LEFTOVER_GRACE_SECONDS:
            try:
                os.killpg(self.pid, signal.SIGKILL)
            except OSError:
                pass

    def pause(self, is_to_pause):
        """Stops it and what it started in its session, or lets it go on."""
        if is_to_pause != self._is_paused:
            self._is_paused = is_to_pause
            self._signal(signal.SIGSTOP if is_to_pause else signal.SIGCONT)

    def kill(self):
        self._signal(signal.SIGKILL)

    @property
    def asked(self):
        """The case that waits at its checkpoint to be told."""
        return self._asked[0] if self._asked else None

    def tell(self, is_to_raise):
        """What it asked."""
        case = self._asked.pop(0)
        self._told[case] = "raise" if is_to_raise else "go"
        self._send(RAISE if is_to_raise else GO)

    def is_past(self, case):
        """It can no longer come to that checkpoint before something else happens to it."""
        return self.status is not None or self._said["exit"] is not None or case in self._over or self.asked not in (None, case)

    def drain(self):
        """What was still on its way; to be called when nobody is left to write. Nothing is answered any more."""
        for place in self.places:
            while self.take(place):
                pass
        self.listen()
        changed = changed_in(self.folder, self._prints)
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
                text = self.choices.texts[place][:SHOWN_CHARACTERS]
                return f"AssertionError: line {self.choices.lines[place]}: expected {text}, got another value"
        return None

    def _came_by(self, case):
        """Whether it came by all values that its function cannot miss."""
        name = case.partition("[")[0].rpartition("::")[2]
        told = {place for chosen, place, _ in self._chosen() if chosen == case}
        needed = self.choices.needed.get(name)
        return needed is None or any(all(one & told for one in places) for places in needed)

    def _in_the_open(self, message):
        """With the right values where the test only knows numbers for them."""
        texts = self.choices.texts
        return HIDDEN.sub(lambda found: texts[int(found[1])][:SHOWN_CHARACTERS] if int(found[1]) < len(texts) else found[0], message)

    def forged(self):
        """What cannot be so: outcomes that do not go with what was told, and what the harness found exchanged."""
        found = [{"id": "", "how": str(how)[:300]} for how in self._said["broken"]]
        for test in self._said["tests"]:
            case, outcome = str(test.get("id")), test.get("outcome")
            told = self._told.get(case)
            if outcome == "passed" and told is None:
                found.append({"id": case, "how": "reported as passed, but its body never came to its end"})
            elif (outcome, told) in (("passed", "raise"), ("raised", "go"), ("raised", None)):
                found.append({"id": case, "how": f"was told {told or 'nothing'} and reported as {outcome}"})
            elif outcome in ("passed", "raised") and not self._came_by(case):
                found.append({"id": case, "how": "reported as passed, but without what its body compares"})
        return found[:50]

    @property
    def is_forged(self):
        """Or passed by something else than its answers."""
        return bool(self._said["strayLines"] or self.forged() or self.vacuous())

    @property
    def was_refused(self):
        """Something that only one of two can have, perhaps."""
        return any(REFUSED.search(str(said.get("message"))) for said in (*self._said["tests"], *self._said["problems"]))

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
            "childExit": self.status if self.status >= 0 else None,
            "signal": signal.Signals(-self.status).name if self.status < 0 else None,
            "childCpuSeconds": round(self._ended[self.pid][1], 3),
        }

    def is_complete(self, select_ids):
        """Whether every selected test ran and passed, and everything the child said agrees with how it ended."""
        said = self._said
        if self.status != 0 or said["exit"] != 0 or said["problems"] or self.is_forged:
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
        return len(data) > 0

    def listen(self):
        """Takes the lines that are whole by now; those the harness did not write, or said before, are counted as stray."""
        while (end := self._lines.find(b"\n", self._done)) >= 0:
            line = bytes(self._lines[self._done : end])
            self._done = end + 1
            number, event, value = self._genuine(line)
            if number <= self._heard or self._said["exit"] is not None:
                self._said["strayLines"] += 1
                continue
            self._heard = number
            if event == "exit":
                self._said["exit"] = value
            elif event == "checkpoint" and isinstance(value, str):
                self._asked.append(value)
            elif event in SHAPES and isinstance(value, SHAPES[event]):
                self._said[event].append(value)
                if event == "tests":
                    self._over.add(str(value.get("id")))
            else:
                self._said["strayLines"] += 1

    def _genuine(self, line):
        """What a line of the harness says; number 0 for every other. Only what has the right hash is read at all."""
        hashed, _, said = line.partition(b" ")
        if hashed != blake2b(said, key=self._key).hexdigest().encode():
            return 0, None, None
        return json.loads(said)

    def _signal(self, number):
        if self.status is None:
            try:
                os.killpg(self.pid, number)
            except OSError:
                pass

    def _send(self, data):
        try:
            os.write(self._dialogue, data)
        except OSError:
            pass  # It asks without listening, or is gone: nothing to wait for.


def be_child(request, output, dialogue, temporary):
    """Never returns. Nothing of the parent's is open in here: not its output, and not yet read is its input."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    dialogue = os.dup2(dialogue, 3, inheritable=False)
    os.closerange(4, 1024)
    os.setsid()
    if temporary is not None:
        os.environ["TMPDIR"] = temporary
        tempfile.tempdir = None
    status = 70
    try:
        if os.read(dialogue, 1) == GO:
            for name in OWN_MODULES:
                sys.modules.pop(name, None)
            sys.path[:] = [path for path in sys.path if path != HERE]
            # The key stays in no frame and no object of the child's.
            status = harness.run(request, os.read(dialogue, KEY_BYTES), dialogue)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        # Without the candidate's atexit hooks and threads.
        os._exit(status)
