"""Runs selected tests against a candidate and reports what happened on the original standard output.

usage: runner.py REQUEST.json, with a nonce as the only line of standard input.

Three processes. This one, the parent, loads no candidate code: it holds the original standard output and the nonce, is not
dumpable (nothing else of its user can read its memory or descriptors), and writes the report only after both children and
every descendant have ended. The children (harness.py) run the same tests, one after the other, each with a pipe for its
output and a socket for the dialogue about its tests. Neither ever had the nonce, which is read when they are gone.

Every test body ends in a checkpoint (checkpoints.py) that asks the parent over the socket and reads one byte: go on, or
raise. Which, is drawn here, per case, when the first child asks, and is the other way round for the second child. Both
were forked before anything was drawn, so it is in no memory but this one's. A pass needs both: the case that was let go
reported as passed, the case that was told to raise reported as raised. A case reported as passed though told to raise, or
though its body never asked, is forged.

What the children say comes from processes the candidate runs in, so it is believed only where it is complete: every
selected test collected, every collected case reported, a last line with the exit status, and that status the one the child
really ended with. Everything else is not a pass.
"""

import ctypes
import json
import os
import resource
import select
import shutil
import signal
import socket
import sys
import time
from hashlib import blake2b

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import harness  # noqa: E402
from checkpoints import with_checkpoints  # noqa: E402

OUTPUT_HEAD_BYTES = 256 * 1024
OUTPUT_TAIL_BYTES = 128 * 1024
OUTCOME_BYTES = 8 * 1024 * 1024
# A helper process of multiprocessing or a server thread's child ends by itself an instant after its parent.
LEFTOVER_GRACE_SECONDS = 0.25
# What still forks after this is killed with everything else of its user.
STUBBORN_SECONDS = 1.0
GO, RAISE = b"g", b"r"
WRITABLE = ("/work", "/tmp", "/dev/shm")
SHAPES = {"tests": dict, "collected": str, "problems": dict, "broken": str}
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
MEMORY_COUNTERS = ("/sys/fs/cgroup/memory/memory.oom_control", "/sys/fs/cgroup/memory.events")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    kills_before = memory_kills()
    started = time.monotonic()
    prepare(request)
    files = Files() if in_sandbox() else None
    output = Output()
    ended = {}
    first, second = Child(request, output, ended), Child(request, output, ended)
    told = {}
    first.watch(lambda case: told.setdefault(case, draw()))
    leftovers = end_descendants({second.pid})
    first.drain()
    last, complete = first, first.is_complete(request["select"])
    first_seconds = time.monotonic() - started
    if complete:
        if files:
            files.restore()
        last = second
        second.watch(lambda case: not told.setdefault(case, draw()))
        leftovers += end_descendants(set())
        second.drain()
        second.compare(first)
        complete = second.is_complete(request["select"])
    else:
        second.dismiss()
        end_descendants(set())
    output.end()
    report = {
        **last.report(),
        "complete": complete,
        "leftovers": leftovers[:20],
        "outOfMemory": memory_kills() > kills_before,
        "outputBytes": output.size_bytes,
        "cpuSeconds": round(children_cpu(), 3),
        "firstRoundSeconds": round(first_seconds, 3),
        "wallSeconds": round(time.monotonic() - started, 3),
    }
    report["nonce"] = sys.stdin.readline().strip()
    os.write(1, b"")  # A closed output is better found before the report than in the middle of it.
    sys.stdout.write(json.dumps(report) + "\n")
    sys.stdout.flush()
    os._exit(0 if report["complete"] else 1)


def prepare(request):
    """Before the forks: the test file gets its checkpoints, and the test framework is imported once for both children."""
    path = os.path.join(request["folder"], request["file"])
    names = {function.rpartition("::")[2] for function in request["select"]}
    with open(path, encoding="utf-8") as file:
        source = file.read()
    try:
        source = with_checkpoints(source, names)
    except (SyntaxError, ValueError, RecursionError):
        pass  # pytest will say what is wrong with it.
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    harness.load(request)


def draw():
    """Whether a case is to raise in the first round. Drawn when asked for, from nothing a child could have seen."""
    return os.urandom(1)[0] & 1 == 1


class Files:
    """Everything a child can write to, as it is before the first: the second finds it so again, and nothing it was left."""

    def __init__(self):
        self._files = {}
        for place in WRITABLE:
            for folder, _, names in os.walk(place):
                for name in names:
                    with open(os.path.join(folder, name), "rb") as file:
                        self._files[file.name] = file.read()

    def restore(self):
        for place in WRITABLE:
            for folder, folders, _ in os.walk(place):
                for name in folders:
                    if not os.path.islink(os.path.join(folder, name)):
                        os.chmod(os.path.join(folder, name), 0o700)
            for entry in list(os.scandir(place)):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    os.unlink(entry.path)
        for path, data in self._files.items():
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)


class Output:
    """What the children print, on this process's standard error: the head at once, the tail at the end."""

    def __init__(self):
        self.size_bytes = 0
        self._tail = bytearray()

    def keep(self, data):
        """The head goes out at once, so that there is something to read after a time limit; the tail when all is over."""
        head = data[: max(0, OUTPUT_HEAD_BYTES - self.size_bytes)]
        self.size_bytes += len(data)
        write_all(2, head)
        self._tail += data[len(head) :]
        del self._tail[:-OUTPUT_TAIL_BYTES]

    def end(self):
        cut = self.size_bytes - OUTPUT_HEAD_BYTES - len(self._tail)
        if cut > 0:
            write_all(2, b"\n[... %d bytes cut ...]\n" % cut)
        write_all(2, bytes(self._tail))


class Child:
    """A forked process that waits for its turn, its pipe and its socket, and what came through them."""

    def __init__(self, request, output, ended):
        self.status = None
        self.cpu_seconds = 0.0
        self._output = output
        self._ended = ended
        self._lines = bytearray()
        self._done = 0
        self._said = {"tests": [], "collected": [], "problems": [], "broken": [], "exit": None, "strayLines": 0}
        self._told = {}
        self._heard = 0
        self._printed, print_end = os.pipe2(os.O_CLOEXEC)
        self._dialogue, child_end = (end.detach() for end in socket.socketpair())
        # In the child no frame and no object keeps it.
        key = [os.urandom(32)]
        self.pid = os.fork()
        if self.pid == 0:
            be_child(request, key.pop, print_end, child_end)
        self._key = key.pop()
        os.close(print_end)
        os.close(child_end)
        os.set_blocking(self._printed, False)
        os.set_blocking(self._dialogue, False)

    def watch(self, decide):
        """Lets it begin, and takes in everything until it has ended. `decide` says of a case whether it is to raise."""
        wake_read, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        # Ends the wait in poll() when the child does.
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        before = children_cpu()
        self._answer(GO)
        poll = select.poll()
        for place in (self._printed, self._dialogue, wake_read):
            poll.register(place, select.POLLIN)
        self._reap()
        while self.status is None:
            for place, event in poll.poll(500):
                if place == wake_read:
                    os.read(wake_read, 4096)
                elif not self._take(place) and event & select.POLLHUP:
                    poll.unregister(place)
            self._listen(decide)
            self._reap()
        signal.set_wakeup_fd(-1)
        os.close(wake_read)
        os.close(wake_write)
        self.cpu_seconds = children_cpu() - before

    def dismiss(self):
        """Ends it without its turn."""
        os.close(self._dialogue)

    def drain(self):
        """What was still on its way; to be called when nobody is left to write. Nothing is answered any more."""
        for place in (self._printed, self._dialogue):
            while self._take(place):
                pass
        self._listen(None)

    def tests(self):
        """Its outcomes with what each case was told; a body that ended in the parent's own exception is one that passed."""
        for test in self._said["tests"]:
            outcome = "passed" if test.get("outcome") == "raised" else test.get("outcome")
            yield {**test, "outcome": outcome, "told": self._told.get(str(test.get("id")))}

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
        return found[:50]

    def compare(self, first):
        """Other cases than in the first round are cases nobody was told the other thing about."""
        if set(self._said["collected"]) != set(first._said["collected"]):
            message = "the second round collected other cases than the first"
            self._said["problems"].append({"where": "", "kind": "other", "message": message})

    def report(self):
        status = self.status
        return {
            "tests": list(self.tests()),
            "collected": self._said["collected"],
            "problems": self._said["problems"],
            "forged": self.forged(),
            "strayLines": self._said["strayLines"],
            "childExit": status if status >= 0 else None,
            "signal": signal.Signals(-status).name if status < 0 else None,
            "childCpuSeconds": round(self.cpu_seconds, 3),
        }

    def is_complete(self, select_ids):
        """Whether every selected test ran and passed, and everything the child said agrees with how it ended."""
        said = self._said
        if self.status != 0 or said["exit"] != 0 or said["strayLines"] or said["problems"] or self.forged():
            return False
        tests = list(self.tests())
        passed = {str(test.get("id")) for test in tests if test["outcome"] == "passed"}
        others = [test for test in tests if test["outcome"] != "passed"]
        collected = set(said["collected"])
        covered = {case.partition("[")[0] for case in collected}
        return bool(select_ids) and set(select_ids) <= covered and collected <= passed and not others

    def _take(self, place):
        try:
            data = os.read(place, 65536)
        except BlockingIOError:
            return False
        except OSError:
            return False  # A socket whose other end was closed with unread answers says so like this.
        if place == self._printed:
            self._output.keep(data)
        else:
            self._lines += data[: max(0, OUTCOME_BYTES - len(self._lines))]
        return len(data) > 0

    def _listen(self, decide):
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
                if decide is not None:
                    self._told[value] = "raise" if decide(value) else "go"
                    self._answer(RAISE if self._told[value] == "raise" else GO)
            elif event in SHAPES and isinstance(value, SHAPES[event]):
                self._said[event].append(value)
            else:
                self._said["strayLines"] += 1

    def _genuine(self, line):
        """What a line of the harness says; number 0 for every other. Only what has the right hash is read at all."""
        hashed, _, said = line.partition(b" ")
        if hashed != blake2b(said, key=self._key).hexdigest().encode():
            return 0, None, None
        return json.loads(said)

    def _answer(self, byte):
        try:
            os.write(self._dialogue, byte)
        except OSError:
            pass  # It asks without listening, or is gone: nothing to wait for.

    def _reap(self):
        """Of whatever has ended, the one that waits for its turn included: something may have killed it."""
        while True:
            self.status = self._ended.get(self.pid)
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self._ended[pid] = os.waitstatus_to_exitcode(status)


def be_child(request, take_key, output, dialogue):
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
            for name in ("harness", "imports", "seals", "checkpoints"):
                sys.modules.pop(name, None)
            sys.path[:] = [path for path in sys.path if path != HERE]
            status = harness.run(request, take_key(), dialogue)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        # Without the candidate's atexit hooks and threads.
        os._exit(status)


def end_descendants(spare):
    """Kills everything a child left behind and waits for the end of it; returns the names. `spare`: who waits for its turn."""
    started = time.monotonic()
    names = {}
    while True:
        left = [pid for pid in children() if pid not in spare]
        reap(left)
        if not left:
            return list(names.values())[:20]
        waited = time.monotonic() - started
        if waited >= LEFTOVER_GRACE_SECONDS:
            names.update(kill(left))
        if waited >= STUBBORN_SECONDS and in_sandbox():
            # In one step, for what forks faster than it is looked at; whoever waits for its turn goes with it. This process is spared.
            try:
                os.kill(-1, signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.005)


def reap(pids):
    """Only these: a child that waits for its turn keeps its end for its own watcher."""
    for pid in pids:
        try:
            os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            pass


def kill(pids):
    """Adopted processes of any depth: this process is the subreaper of all it started. Returns names by process id."""
    names = {}
    for pid in pids:
        try:
            with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
                name = file.read().strip()
            os.kill(pid, signal.SIGKILL)
            names[pid] = name
        except OSError:
            pass
    return names


def children():
    own = os.getpid()
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == own:
            yield int(entry)


def in_sandbox():
    """Only where "everything this user may signal" is the candidate's: the sandbox's user, below the sandbox's init."""
    try:
        with open("/proc/1/comm", encoding="utf-8") as file:
            init = file.read().strip()
    except OSError:
        return False
    return os.getuid() == 65534 and init in ("docker-init", "tini", "catatonit")


def children_cpu():
    """CPU seconds of everything that was waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def memory_kills():
    """How many processes of this container the kernel has killed for memory; 0 where it does not say."""
    for path in MEMORY_COUNTERS:
        try:
            with open(path, encoding="utf-8") as file:
                for line in file:
                    name, _, count = line.partition(" ")
                    if name == "oom_kill":
                        return int(count)
        except (OSError, ValueError):
            continue
    return 0


def write_all(descriptor, data):
    while data:
        data = data[os.write(descriptor, data) :]


if __name__ == "__main__":
    main()
