"""Runs selected tests against a candidate and reports what happened on the original standard output.

usage: runner.py REQUEST.json, with a nonce as the only line of standard input.

Two processes. This one, the parent, loads no candidate code: it holds the original standard output and the nonce, is not
dumpable (nothing else of its user can read its memory or descriptors), and writes the report only after the child and
every descendant has ended. The child (harness.py) has a pipe for its output and another for its outcomes; it never had
the nonce, which is read from standard input after the fork.

What the child says about its tests comes from the process the candidate runs in, so it is believed only where it is
complete: every selected test collected, every collected case reported, a last line with the exit status, and that status
the one the child really ended with. Everything else is not a pass.
"""

import ctypes
import json
import os
import resource
import select
import signal
import sys
import time

OUTPUT_HEAD_BYTES = 256 * 1024
OUTPUT_TAIL_BYTES = 128 * 1024
OUTCOME_BYTES = 8 * 1024 * 1024
# A helper process of multiprocessing or a server thread's child ends by itself an instant after its parent.
LEFTOVER_GRACE_SECONDS = 0.25
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
    child = Child(request)
    nonce = sys.stdin.readline().strip()
    child.watch()
    status = child.status
    leftovers = end_descendants()
    child.drain()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    outcomes = child.outcomes()
    complete = is_complete(request["select"], outcomes, status)
    report = {
        "nonce": nonce,
        "complete": complete,
        "tests": outcomes["tests"],
        "collected": outcomes["collected"],
        "problems": outcomes["problems"],
        "strayLines": outcomes["strayLines"],
        "childExit": status if status >= 0 else None,
        "signal": signal.Signals(-status).name if status < 0 else None,
        "leftovers": leftovers,
        "outOfMemory": memory_kills() > kills_before,
        "outputBytes": child.output_bytes,
        "cpuSeconds": round(usage.ru_utime + usage.ru_stime, 3),
        "wallSeconds": round(time.monotonic() - started, 3),
    }
    os.write(1, b"")  # A closed output is better found before the report than in the middle of it.
    sys.stdout.write(json.dumps(report) + "\n")
    sys.stdout.flush()
    os._exit(0 if complete else 1)


class Child:
    """The forked process, its two pipes, and what came through them."""

    def __init__(self, request):
        self.status = None
        self.output_bytes = 0
        self._tail = bytearray()
        self._lines = bytearray()
        self._secret = os.urandom(16).hex()
        wake_read, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._output, output_write = os.pipe2(os.O_CLOEXEC)
        self._report, report_write = os.pipe2(os.O_CLOEXEC)
        # Ends the wait in poll() when the child does.
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._wake = wake_read
        self.pid = os.fork()
        if self.pid == 0:
            be_child(request, self._secret, output_write, report_write)
        os.close(output_write)
        os.close(report_write)
        for pipe in (self._output, self._report):
            os.set_blocking(pipe, False)

    def watch(self):
        """Takes in everything until the child itself has ended."""
        poll = select.poll()
        for pipe in (self._output, self._report, self._wake):
            poll.register(pipe, select.POLLIN)
        while self.status is None:
            for pipe, event in poll.poll(500):
                if pipe == self._wake:
                    os.read(pipe, 4096)
                elif not self._take(pipe) and event & select.POLLHUP:
                    poll.unregister(pipe)
            self._reap()

    def drain(self):
        """What was still in the pipes; to be called when nobody is left to write."""
        for pipe in (self._output, self._report):
            while self._take(pipe):
                pass
        cut = self.output_bytes - OUTPUT_HEAD_BYTES - len(self._tail)
        if cut > 0:
            write_all(2, b"\n[... %d bytes cut ...]\n" % cut)
        write_all(2, bytes(self._tail))

    def outcomes(self):
        """The child's lines, taken apart; a line without the secret is counted as stray."""
        found = {"tests": [], "collected": [], "problems": [], "exit": None, "strayLines": 0}
        for line in bytes(self._lines).split(b"\n"):
            if not line:
                continue
            try:
                secret, event, value = json.loads(line)
            except (ValueError, TypeError):
                secret = event = value = None
            if secret != self._secret or found["exit"] is not None:
                found["strayLines"] += 1
            elif event == "exit":
                found["exit"] = value
            elif event in ("tests", "collected", "problems"):
                found[event].append(value)
        return found

    def _take(self, pipe):
        try:
            data = os.read(pipe, 65536)
        except BlockingIOError:
            return False
        if pipe == self._report:
            self._lines += data[: max(0, OUTCOME_BYTES - len(self._lines))]
        else:
            self._keep(data)
        return len(data) > 0

    def _keep(self, data):
        """The head goes out at once, so that there is something to read after a time limit; the tail when all is over."""
        head = data[: max(0, OUTPUT_HEAD_BYTES - self.output_bytes)]
        self.output_bytes += len(data)
        write_all(2, head)
        self._tail += data[len(head) :]
        del self._tail[:-OUTPUT_TAIL_BYTES]

    def _reap(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.pid:
                self.status = os.waitstatus_to_exitcode(status)


def be_child(request, secret, output, report):
    """Never returns. Nothing of the parent's is open in here: not its output, and not yet read is its input."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    report = os.dup2(report, 3, inheritable=False)
    os.closerange(4, 1024)
    os.setsid()
    status = 70
    try:
        sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
        import harness

        del sys.path[0], sys.modules["harness"]
        status = harness.run(request, secret, report)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        # Without the candidate's atexit hooks and threads.
        os._exit(status)


def end_descendants():
    """Kills everything the child left behind and waits for the end of it; returns the names."""
    deadline = time.monotonic() + LEFTOVER_GRACE_SECONDS
    names = {}
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return list(names.values())[:20]
        if pid != 0:
            continue
        if time.monotonic() < deadline:
            time.sleep(0.005)
            continue
        names.update(kill_children())
        time.sleep(0.002)


def kill_children():
    """Adopted processes of any depth: this process is the subreaper of all it started. Returns names by process id."""
    names = {}
    for pid in children():
        try:
            with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
                name = file.read().strip()
            os.kill(pid, signal.SIGKILL)
            names[pid] = name
        except OSError:
            pass
    if in_sandbox():
        # In one step, so that a process that forks faster than it is looked at is caught as well. The parent itself is spared.
        try:
            os.kill(-1, signal.SIGKILL)
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
        if int(fields[1]) == own and fields[0] != "Z":
            yield int(entry)


def in_sandbox():
    """Only where "everything this user may signal" is the candidate's: the sandbox's user, below the sandbox's init."""
    try:
        with open("/proc/1/comm", encoding="utf-8") as file:
            init = file.read().strip()
    except OSError:
        return False
    return os.getuid() == 65534 and init in ("docker-init", "tini", "catatonit")


def is_complete(select_ids, outcomes, status):
    """Whether every selected test ran and passed, and everything the child said agrees with how it ended."""
    if status != 0 or outcomes["exit"] != 0 or outcomes["strayLines"] or outcomes["problems"]:
        return False
    passed = {test["id"] for test in outcomes["tests"] if test["outcome"] == "passed"}
    others = {test["id"] for test in outcomes["tests"] if test["outcome"] != "passed"}
    collected = set(outcomes["collected"])
    covered = {case.partition("[")[0] for case in collected}
    return bool(select_ids) and set(select_ids) <= covered and collected <= passed and not others


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
