"""Runs a workflow by act on the engine of this container, once for each event of a scenario, and tells what came of it.

Reads /work/in/scenario.json and the files beside it, writes /work/out/<n>/. What runs in the jobs is believed from the recorder, a
server beside act that the tools of the job image report to, and not from what is printed.
"""

import base64
import errno
import json
import os
import shutil
import signal
import socket
import socketserver
import stat
import subprocess
import sys
import threading
import time
import zipfile

IN, OUT = "/work/in", "/work/out"
# One path and one commit for every run, so that traces compare; the path is GITHUB_WORKSPACE in the jobs.
REPO = "/work/demo"
# Of the engine on its own bridge: every container reaches it.
ADDRESS = "172.30.1.1"
RECORDER_PORT, ARTIFACT_PORT = 34600, 34567
LABELS = ["ubuntu-latest", "ubuntu-24.04", "ubuntu-22.04", "ubuntu-20.04"]
JOB_LIMITS = "--memory 2g --pids-limit 512 --security-opt no-new-privileges"
MOST_LOG_BYTES = 24 * 1024**2
# Of a log; those of all events are brought back together.
KEPT_LOG_BYTES = 4 * 1024**2
MOST_DISK_BYTES = 3 * 1024**3
# Below it programs fail for want of room, whoever took it.
LEAST_FREE_BYTES = 256 * 1024**2
DISK = "/var/lib/docker"
# Of a processor, in which about a million files are counted.
LONGEST_LOOK_SECONDS = 5
MOST_TOOL_RUNS = 2000
GRACE_SECONDS = 60
# A run has as often its time, however busy the machine is; and all events together so many seconds, below the limit of the slot.
MOST_TIMES = 5
MOST_SECONDS = 3000
PLAIN_TEXT_BYTES = 4096


class Recorder(socketserver.ThreadingTCPServer):
    """Numbers the tools that jobs run, in the order they start."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, token):
        super().__init__((ADDRESS, RECORDER_PORT), RecorderConnection)
        self.token = token
        self.runs = []
        self.lock = threading.Lock()

    def start(self, words):
        depth, tool, cwd = words[:3]
        # An action without inputs says nothing, and a tool without arguments one that is empty.
        argv = strings(words[3]) if len(words) > 3 else []
        argv = [] if argv == [""] else argv
        with self.lock:
            if len(self.runs) >= MOST_TOOL_RUNS:
                return None
            self.runs.append({"tool": tool, "argv": argv, "cwd": strings(cwd)[0], "depth": int(depth), "exit": None})
            return len(self.runs)

    def end(self, words):
        number, status = int(words[0]), int(words[1])
        with self.lock:
            if 0 < number <= len(self.runs) and self.runs[number - 1]["exit"] is None:
                self.runs[number - 1]["exit"] = status


class RecorderConnection(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            words = line.decode("ascii", "replace").split()
            try:
                kind, token, rest = words[0], words[1], words[2:]
                if token != self.server.token:
                    return
                if kind == "start":
                    self.wfile.write(f"{self.server.start(rest)}\n".encode())
                elif kind == "end":
                    self.server.end(rest)
            except (IndexError, ValueError):
                return


def strings(encoded):
    return base64.b64decode(encoded).decode("utf-8", "replace").split("\0")[:-1]


def git(*args):
    dates = {"GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}
    who = ["-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "init.defaultBranch=main"]
    env = {"PATH": os.environ["PATH"], "HOME": "/work/home", **dates}
    subprocess.run(["git", *who, *args], cwd=REPO, env=env, check=True, capture_output=True)


def put_files(folder):
    """A script can be executed: trees hold no modes, and a file that names its interpreter is meant to be."""
    shutil.copytree(folder, REPO, dirs_exist_ok=True, symlinks=True)
    for place, _, names in os.walk(REPO):
        for name in names:
            with open(f"{place}/{name}", "rb") as file:
                if file.read(2) == b"#!":
                    os.chmod(f"{place}/{name}", 0o755)


def commit(message):
    git("add", "-A", "-f")
    git("commit", "-q", "--allow-empty", "-m", message)


def act_command(scenario, event, folder):
    words = ["act", event["event"], "-C", REPO, "-W", f"{REPO}/{scenario['workflow']}", "--no-recurse"]
    for label in LABELS:
        words += ["-P", f"{label}={scenario['jobImage']}"]
    for action in scenario["actions"]:
        words += ["--local-repository", f"{action['uses']}={action['folder']}"]
    words += ["--pull=false", "--action-offline-mode", "--container-daemon-socket", "-", "--json", "--verbose", "--rm"]
    words += ["--concurrent-jobs", "2", "--defaultbranch", "main", "--actor", "bench", "--container-options", JOB_LIMITS]
    words += ["--artifact-server-path", f"{folder}/artifacts", "--artifact-server-addr", ADDRESS]
    words += ["--artifact-server-port", str(ARTIFACT_PORT), "--cache-server-path", "/work/cache", "--cache-server-addr", ADDRESS]
    words += ["--action-cache-path", "/work/action-cache", "--eventpath", f"{folder}/event.json"]
    # Named and empty: else act reads those of the candidate's repository.
    for option in ["--env-file", "--secret-file", "--var-file", "--input-file"]:
        words += [option, "/work/empty"]
    words += ["-s", "GITHUB_TOKEN=no-token", "--env", f"DURABENCH_RECORDER={ADDRESS}:{RECORDER_PORT}:{scenario['token']}"]
    words += ["--env", "ACTIONS_ARTIFACT_UPLOAD_CONCURRENCY=1"]
    for option, pairs in [("-s", event["secrets"]), ("--var", event["vars"]), ("--input", event["inputs"])]:
        for name, value in pairs.items():
            words += [option, f"{name}={value}"]
    return words


def run_act(command, folder, seconds):
    """Until act has ended by itself, or for time, output or disk: then it has a minute to take its containers down."""
    # Nothing of this process, and an empty working directory: act reads .actrc there.
    env = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DOCKER_HOST": os.environ["DOCKER_HOST"]}
    env |= {"ACT_DISABLE_VERSION_CHECK": "1", "HOME": "/work/home", "XDG_CONFIG_HOME": "/work/home", "XDG_CACHE_HOME": "/work/home"}
    started, killed, why = time.monotonic(), own_memory_kills(), "itself"
    disk, clock, processes = Disk(), Clock(), 0
    with open(f"{folder}/log.jsonl", "wb") as log, open(f"{folder}/errors.txt", "wb") as errors:
        act = subprocess.Popen(
            command, cwd="/work/cwd", env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=errors, start_new_session=True
        )
        while act.poll() is None and why == "itself":
            time.sleep(0.1)
            processes = max(processes, read_number("pids/pids.current", "pids.current"))
            if clock.is_over(seconds):
                why = "time"
            elif os.path.getsize(log.name) + os.path.getsize(errors.name) > MOST_LOG_BYTES:
                why = "output"
            elif disk.is_used_up():
                why = "disk"
        if act.poll() is None:
            act.send_signal(signal.SIGINT)
            try:
                act.wait(GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(act.pid, signal.SIGKILL)
                act.wait()
    if disk.was_full and why == "itself":
        sys.exit("the machine's disk ran full, and not by these jobs")
    is_there = engine_is_there()
    if not is_there or (why == "itself" and act.returncode not in (0, 1)):
        # 2: act's own panic. All else is nobody's doing here, and the run is lost.
        why = used_up(killed, processes) or ("panic" if is_there and act.returncode == 2 else None)
        if why is None:
            sys.exit(f"act ended with {act.returncode}{'' if is_there else ', and the engine is gone'}")
    for name in ["log.jsonl", "errors.txt"]:
        if os.path.getsize(f"{folder}/{name}") > KEPT_LOG_BYTES:
            why = "output" if why == "itself" else why
            os.truncate(f"{folder}/{name}", KEPT_LOG_BYTES)
    return {"exit": act.returncode, "ended": why, "seconds": round(time.monotonic() - started, 3)}, is_there


def engine_is_there():
    """act tells of an engine that is gone as of a step that failed, and that is nobody's fault in here."""
    for _ in range(3):
        try:
            with socket.socket(socket.AF_UNIX) as engine:
                engine.settimeout(60)
                engine.connect(os.environ["DOCKER_HOST"].removeprefix("unix://"))
                engine.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
                if b" 200 " in engine.recv(100):
                    return True
        except OSError:
            pass
        time.sleep(1)
    return False


def used_up(killed_before, processes):
    """What the jobs took until none was left for act or the engine; None where they did not."""
    if own_memory_kills() > killed_before:
        return "memory"
    return "processes" if processes >= read_number("pids/pids.max", "pids.max") * 0.95 else None


def own_memory_kills():
    """Of act, the engine and this program: jobs are in control groups of their own."""
    counts = 0
    for name in ["memory/memory.oom_control", "memory.events.local", "init/memory.events.local"]:
        try:
            with open(f"/sys/fs/cgroup/{name}") as file:
                counts += sum(int(line.split()[1]) for line in file if line.startswith("oom_kill "))
        except OSError:
            pass
    return counts


def read_number(*names):
    """Of a control group, in the first of the places where it may stand; "max" is very many."""
    for name in names:
        try:
            with open(f"/sys/fs/cgroup/{name}") as file:
                text = file.read().strip()
        except OSError:
            continue
        return int(text) if text.isdigit() else 2**31
    return 0


class Clock:
    """The time of a run, without what others had of the processors while it may have waited for them."""

    begun = time.monotonic()

    def __init__(self):
        self.started = self.read_at = time.monotonic()
        self.seconds = 0
        self.processors = processor_times()

    def is_over(self, limit):
        now = time.monotonic()
        if now - self.read_at >= 1:
            self.count(now)
        # What others take never ends a run early, and a run that only waits ends as well.
        most = max(limit, min(MOST_TIMES * limit, MOST_SECONDS - (self.started - self.begun)))
        return self.seconds > limit or now - self.started > most

    def count(self, now):
        before, self.processors = self.processors, processor_times()
        busy, idle, own = (later - earlier for later, earlier in zip(self.processors, before))
        others = max(0, busy - own) / busy if busy > 0 and own > 0 else 0
        is_waiting = idle < (busy + idle) / 50 and runnable() > os.cpu_count() and has_work()
        self.seconds += (now - self.read_at) * (1 - others if is_waiting else 1)
        self.read_at = now


def processor_times():
    """Seconds that the machine's processors worked, that they were idle, and that they worked for this slot and its jobs."""
    with open("/proc/stat") as file:
        user, nice, system, idle, waiting, interrupts, soft, stolen = map(int, file.readline().split()[1:9])
    tick = os.sysconf("SC_CLK_TCK")
    return (user + nice + system + interrupts + soft + stolen) / tick, (idle + waiting) / tick, own_processor_seconds()


def own_processor_seconds():
    """Zero where no control group tells."""
    nanoseconds = read_number("cpuacct/cpuacct.usage", "cpu,cpuacct/cpuacct.usage")
    if nanoseconds > 0:
        return nanoseconds / 1e9
    try:
        with open("/sys/fs/cgroup/cpu.stat") as file:
            return int(file.readline().split()[1]) / 1e6
    except (OSError, IndexError, ValueError):
        return 0


def has_work():
    """Whether a process of this slot, but for this one, works or waits for a processor: who sleeps is kept from nothing."""
    for pid in process_numbers():
        try:
            with open(f"/proc/{pid}/stat") as file:
                if int(pid) != os.getpid() and file.read().rpartition(")")[2].split()[0] == "R":
                    return True
        except (OSError, IndexError):
            continue
    return False


def runnable():
    """Processes of the machine that work or wait for a processor."""
    with open("/proc/loadavg") as file:
        return int(file.read().split()[3].partition("/")[0])


class Disk:
    """What the jobs have written. The disk is the machine's: what is free there changes by everybody's doing, so it is only a sign to look."""

    def __init__(self):
        with open(f"{DISK}/began", "w") as file:
            # By the clock of the files.
            self.began = os.fstat(file.fileno()).st_ctime
        self.free, self.written, self.was_full = self.free_bytes(), 0, False
        self.looks_at = self.regularly_at = 0

    @staticmethod
    def free_bytes():
        disk = os.statvfs(DISK)
        return disk.f_bavail * disk.f_frsize

    def is_used_up(self):
        free, now = self.free_bytes(), time.monotonic()
        if now >= self.looks_at and (now >= self.regularly_at or self.written + self.free - free > MOST_DISK_BYTES):
            self.written, self.free = self.written_bytes(), free
            took = time.monotonic() - now
            # Half of the time where others write, a twentieth else: the loop has to see to the clock and the log.
            self.looks_at, self.regularly_at = now + 2 * took, now + max(1, 20 * took)
        self.was_full = self.was_full or free < LEAST_FREE_BYTES
        return self.written > MOST_DISK_BYTES

    def written_bytes(self):
        """Layers that are new, all that is no layer, and what was deleted while it is open. More files than can be counted are too much."""
        until = time.process_time() + LONGEST_LOOK_SECONDS
        device = os.stat(DISK).st_dev
        places = [f"{DISK}/{name}" for name in os.listdir(DISK) if name not in ("overlay2", "image")]
        layers = [f"{DISK}/overlay2/{name}" for name in os.listdir(f"{DISK}/overlay2")]
        places += [layer for layer in layers if changed(layer) >= self.began]
        found = {}
        while places:
            if time.process_time() > until:
                return MOST_DISK_BYTES + 1
            try:
                entries = list(os.scandir(places.pop()))
            except OSError as error:
                # Nested so deep that no path leads there: nobody does so by accident.
                if error.errno == errno.ENAMETOOLONG:
                    return MOST_DISK_BYTES + 1
                continue
            for entry in entries:
                try:
                    kept = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                # A layer is mounted in itself.
                if kept.st_dev != device:
                    continue
                if kept.st_ctime >= self.began:
                    found[kept.st_dev, kept.st_ino] = kept.st_blocks * 512
                if stat.S_ISDIR(kept.st_mode):
                    places.append(entry.path)
        return sum(found.values()) + deleted_bytes()


def changed(path):
    try:
        return os.lstat(path).st_ctime
    except OSError:
        return 0


def deleted_bytes():
    """Of files that processes hold open. Those of another user's processes may not be read, and count when they have a name."""
    found = {}
    for pid in process_numbers():
        try:
            with open(f"/proc/{pid}/mountinfo") as file:
                in_memory = {line.split()[2] for line in file if " - tmpfs " in line or " - ramfs " in line}
            numbers = os.listdir(f"/proc/{pid}/fd")
        except OSError:
            continue
        for number in numbers:
            try:
                target = os.stat(f"/proc/{pid}/fd/{number}")
            except OSError:
                continue
            device = f"{os.major(target.st_dev)}:{os.minor(target.st_dev)}"
            if stat.S_ISREG(target.st_mode) and target.st_nlink == 0 and device not in in_memory | {MEMORY_FILES}:
                found[target.st_dev, target.st_ino] = target.st_blocks * 512
    return sum(found.values())


def process_numbers():
    return filter(str.isdigit, os.listdir("/proc"))


def memory_files():
    """The device of files that were made by `memfd_create`, which is mounted nowhere."""
    number = os.memfd_create("device")
    device = os.fstat(number).st_dev
    os.close(number)
    return f"{os.major(device)}:{os.minor(device)}"


MEMORY_FILES = memory_files()


def artifacts_in(folder):
    """Name of each artifact with the files in it: size, and text where it is short."""
    found = []
    for name in sorted(os.listdir(f"{folder}/1")):
        for archive in sorted(os.listdir(f"{folder}/1/{name}")):
            try:
                with zipfile.ZipFile(f"{folder}/1/{name}/{archive}") as zipped:
                    files = [{"path": entry.filename, "bytes": entry.file_size, "text": short_text(zipped, entry)} for entry in zipped.infolist()]
            except (zipfile.BadZipFile, OSError):
                files = None
            found.append({"name": name, "files": files})
    return found


def short_text(zipped, entry):
    if entry.file_size > PLAIN_TEXT_BYTES:
        return None
    try:
        return zipped.read(entry).decode("utf-8")
    except UnicodeDecodeError:
        return None


def tell(folder, ended):
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/run.json", "w", encoding="utf-8") as file:
        json.dump(ended, file)


def main():
    with open(f"{IN}/scenario.json", encoding="utf-8") as file:
        scenario = json.load(file)
    for folder in [REPO, "/work/home", "/work/cwd", "/work/cache", "/work/action-cache", OUT]:
        os.makedirs(folder, exist_ok=True)
    open("/work/empty", "w").close()
    put_files(f"{IN}/repo")
    git("init", "-q")
    git("remote", "add", "origin", "https://github.com/bench/demo.git")
    commit("The project")
    for number, event in enumerate(scenario["events"]):
        folder = f"{OUT}/{number}"
        # act's server panics when it lists the artifacts of a run that has made none.
        os.makedirs(f"{folder}/artifacts/1")
        if os.path.isdir(f"{IN}/changes/{number}"):
            put_files(f"{IN}/changes/{number}")
            commit("A change")
        if event["branch"] is not None:
            git("checkout", "-q", "-B", event["branch"])
        if event["tag"] is not None:
            git("tag", "-f", event["tag"])
        with open(f"{folder}/event.json", "w", encoding="utf-8") as file:
            # github.event.inputs, beside the context inputs that act fills itself.
            json.dump(event["payload"] | ({"inputs": event["inputs"]} if event["inputs"] else {}), file)
        with Recorder(scenario["token"]) as recorder:
            threading.Thread(target=recorder.serve_forever, daemon=True).start()
            ended, is_there = run_act(act_command(scenario, event, folder), folder, event["seconds"])
            recorder.shutdown()
        ended |= {"tools": recorder.runs, "artifacts": artifacts_in(f"{folder}/artifacts")}
        shutil.rmtree(f"{folder}/artifacts")
        tell(folder, ended)
        if not is_there:
            # What is left cannot be run, by the fault of these jobs.
            for later in range(number + 1, len(scenario["events"])):
                tell(f"{OUT}/{later}", ended | {"exit": -1, "seconds": 0, "tools": [], "artifacts": []})
            break
    sys.stdout.write("done\n")


main()
