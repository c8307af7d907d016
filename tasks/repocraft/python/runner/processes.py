"""The processes below this one and the memory of the container, as the kernel tells of them."""

import ctypes
import os
import platform
import resource
import signal
import time

# A helper process of multiprocessing or a server thread's child ends by itself an instant after its parent.
LEFTOVER_GRACE_SECONDS = 0.25
# What still forks after this, and after so many looks at it, is killed with everything else of its user. The number, since on a
# busy machine what was killed takes seconds to end, and what serves all runs of the container is of that user as well.
STUBBORN_SECONDS = 1.0
STUBBORN_LOOKS = 20
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
# Of calls that the library has no function for, by architecture: sched_getattr, ioprio_get.
CALLS = {"x86_64": (315, 252), "aarch64": (275, 31)}
RLIMITS = range(16)
SCHED_ATTR_BYTES = 56
IOPRIO_WHO_PROCESS = 1
DEVICES = (
    *("null", "zero", "full", "random", "urandom", "tty", "console", "ptmx", "pts", "pts/ptmx"),
    *("fd", "stdin", "stdout", "stderr", "core"),
)
CPU_COUNTERS = ("/sys/fs/cgroup/cpuacct/cpuacct.usage", "/sys/fs/cgroup/cpu.stat")
MEMORY_COUNTERS = ("/sys/fs/cgroup/memory/memory.oom_control", "/sys/fs/cgroup/memory.events")
# The most that was used, and the limit (v1); how often that was reached is in the last of MEMORY_COUNTERS (v2).
MOST_USED, MEMORY_LIMIT = "/sys/fs/cgroup/memory/memory.max_usage_in_bytes", "/sys/fs/cgroup/memory/memory.limit_in_bytes"
NEARLY = 0.95  # What was refused is not counted as used.


def become_unreadable():
    """Nothing else of this user can read the memory or use the descriptors of this process, nor of its copies."""
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def changeable():
    """
    Whatever of this process another of its user can change, to be compared with what it was. On other architectures than those
    of `CALLS` without the finer points of scheduling and the turn at the disk.
    """
    libc = ctypes.CDLL(None)
    scheduling = ctypes.create_string_buffer(SCHED_ATTR_BYTES)
    priority = None
    if (calls := CALLS.get(platform.machine())) is not None:
        libc.syscall(calls[0], 0, scheduling, SCHED_ATTR_BYTES, 0)
        priority = libc.syscall(calls[1], IOPRIO_WHO_PROCESS, 0)
    limits = [resource.getrlimit(limit) for limit in RLIMITS]
    nice, processors = os.getpriority(os.PRIO_PROCESS, 0), os.sched_getaffinity(0)
    return limits, nice, processors, os.sched_getscheduler(0), scheduling.raw, priority


def times_of_devices():
    """When each of the container's devices, which every run can touch, was last used or changed, to be compared with what it was."""
    found = {}
    for path in ("/dev", "/dev/mqueue", *(os.path.join("/dev", name) for name in DEVICES)):
        try:
            known = os.lstat(path)
        except OSError:
            continue
        found[path] = known.st_atime_ns, known.st_mtime_ns, known.st_ctime_ns
    return found


def adopt_orphans():
    """Whatever this process's children leave behind becomes its child."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_descendants(spare):
    """Kills everything a child left behind and waits for the end of it; returns the names. `spare`: who waits for its turn."""
    started = time.monotonic()
    names, seen, looks_with_new = {}, set(), 0
    while True:
        left = [pid for pid in children() if pid not in spare]
        reap(left)
        if not left:
            return list(names.values())[:20]
        waited = time.monotonic() - started
        if waited >= LEFTOVER_GRACE_SECONDS:
            names.update(kill(left))
            looks_with_new += not seen.issuperset(left)
            seen.update(left)
        if waited >= STUBBORN_SECONDS and looks_with_new >= STUBBORN_LOOKS and in_sandbox():
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
        except (FileNotFoundError, ProcessLookupError):
            pass  # It has ended by itself. Any other failure is somebody's doing, and ends the run.
    return names


def children():
    own = os.getpid()
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
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


def cpu_seconds():
    """Of this process and of everything that was waited for."""
    usages = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def container_cpu_nanoseconds():
    """Of everything that has run in this container so far (cgroup v1, then v2); 0 where the kernel does not say."""
    for path in CPU_COUNTERS:
        try:
            with open(path, encoding="utf-8") as file:
                first = file.readline().split()
            return int(first[0]) if len(first) == 1 else int(first[1]) * 1000
        except (OSError, ValueError, IndexError):
            continue
    return 0


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


def memory_limit_reached():
    """Whether this container has ever reached its limit of memory; None where the kernel does not say."""
    try:
        with open(MOST_USED, encoding="ascii") as most, open(MEMORY_LIMIT, encoding="ascii") as limit:
            return int(most.read()) >= NEARLY * int(limit.read())
    except (OSError, ValueError):
        pass
    try:
        with open(MEMORY_COUNTERS[1], encoding="ascii") as file:
            return dict(line.split() for line in file)["max"] != "0"
    except (OSError, ValueError, KeyError):
        return None
