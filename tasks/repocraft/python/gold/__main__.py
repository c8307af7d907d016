"""Runs tasks on the reference, to see which of them hold. Only for trusted code: candidates go through the runner.

Arguments: a JSON file {tasks: [{id, test_code, auxiliary_code, functions, plugins}], kind, imports, hashSeed, order} and
the folder that holds the reference package. `isolated` gives every task a process of its own, forked from one that has
imported pytest and the modules of `imports` and nothing else, so that a large library is imported once; `batched` runs all
in one, in `order`. The hash seed is this process's own: whoever starts it sets PYTHONHASHSEED.
Answer on standard output: {id: {outcome: passed | failed | skipped | missing | timeout | slow, reason, cpuSeconds}};
cpuSeconds counts the import as well, and is null in a batch.
"""

import importlib
import json
import os
import pathlib
import resource
import signal
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WALL_SECONDS = 120
# Well above what the dataset allows: such a task need not be run to its end to be dropped.
CPU_SECONDS = 15
# unittest's word for a coroutine that nobody awaits: such a test passes whatever its body says.
NOT_RUN = "error:It is deprecated to return a value:DeprecationWarning"


def main(request_path, library):
    request = json.loads(pathlib.Path(request_path).read_text(encoding="utf-8"))
    if os.environ.get("PYTHONHASHSEED") != str(request["hashSeed"]):
        raise SystemExit("PYTHONHASHSEED is not the hash seed that was asked for")
    sys.path[:0] = [library, HERE]
    os.environ.update(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", PYTHONPATH=os.pathsep.join([library, HERE]))
    answer = {}
    if request["kind"] == "isolated":
        from _pytest.config import default_plugins

        # What every run of pytest begins with, too.
        for module in [f"_pytest.{plugin}" for plugin in default_plugins] + request["imports"]:
            importlib.import_module(module)
        before = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        for task in request["tasks"]:
            answer.update(run([task], before))
    else:
        by_id = {task["id"]: task for task in request["tasks"]}
        answer = run([by_id[task_id] for task_id in request["order"]], None)
    json.dump(answer, sys.stdout)


def run(tasks, cpu_before):
    """Outcomes of some tasks in one process; `cpu_before` is None where its CPU is nobody's own."""
    with tempfile.TemporaryDirectory() as folder:
        nodes = [node for task in tasks for node in laid_out(folder, task)]
        helpers = [str(pathlib.Path(folder, place_of(task))) for task in tasks if task["auxiliary_code"]][:1]
        plugins = sorted({plugin for task in tasks for plugin in task["plugins"]})
        report = os.path.join(folder, "report.jsonl")
        arguments = ["-c", "/dev/null", "--rootdir", folder, "-p", "no:cacheprovider", "-q", "--noconftest"]
        arguments += ["--import-mode=importlib", "-p", "gold_report", "-W", NOT_RUN]
        arguments += [part for plugin in plugins for part in ("-p", plugin)] + nodes
        alone = cpu_before is not None
        ended, cpu = forked(folder, report, helpers, arguments, alone, WALL_SECONDS * (1 if alone else len(tasks)))
        phases = read(report)
    cpu = round(cpu + cpu_before, 3) if alone else None
    return {task["id"]: judged(task, phases, ended, cpu) for task in tasks}


def forked(folder, report, helpers, arguments, alone, wall_seconds):
    """Runs pytest in a forked process with a folder of its own; how it ended (`ran`, `timeout`, `slow`) and its CPU seconds."""
    child = os.fork()
    if child == 0:
        try:
            be_child(folder, report, helpers, arguments, alone)
        finally:
            os._exit(70)
    deadline, killed = time.monotonic() + wall_seconds, False
    while True:
        pid, status, usage = os.wait4(child, 0 if killed else os.WNOHANG)
        if pid == child:
            break
        if time.monotonic() - kept_waiting(child) > deadline:
            os.killpg(child, signal.SIGKILL)
            killed = True
        time.sleep(0.01)
    too_slow = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU
    return "timeout" if killed else "slow" if too_slow else "ran", usage.ru_utime + usage.ru_stime


def kept_waiting(pid):
    """Seconds in which its first thread could have run, and was not let; 0 where the kernel does not say."""
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def be_child(folder, report, helpers, arguments, alone):
    """Never returns."""
    os.setsid()
    os.chdir(folder)
    os.environ.update(GOLD_REPORT=report, HOME=folder)
    sys.path[:0] = helpers
    if alone:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    import pytest

    status = pytest.main(arguments)
    os._exit(int(status))


def laid_out(folder, task):
    """Writes a task's files; node ids to run."""
    place = pathlib.Path(folder, place_of(task))
    for name, text in dict(task["auxiliary_code"], **{f"test_{place.name}.py": task["test_code"]}).items():
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return [f"{place.name}/test_{place.name}.py::{function}" for function in task["functions"]]


def place_of(task):
    return task["id"].replace(".", "_").replace("-", "_")


def read(report):
    if not os.path.exists(report):
        return []
    with open(report, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def judged(task, phases, ended, cpu):
    name = place_of(task)
    mine = [phase for phase in phases if phase["node"].startswith(name + "/")]
    bad = [phase for phase in mine if phase["outcome"] == "failed"]
    skipped = [phase for phase in mine if phase["outcome"] == "skipped"]
    ran = {phase["node"].split("::", 1)[1].split("[")[0] for phase in mine if phase["phase"] == "call"}
    missing = [function for function in task["functions"] if function not in ran]
    outcome = ended if ended != "ran" else "failed" if bad else "skipped" if skipped else "missing" if missing else "passed"
    reason = (bad or skipped or [{"reason": ", ".join(missing)}])[0]["reason"]
    return {"outcome": outcome, "reason": reason if outcome != "passed" else "", "cpuSeconds": cpu}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
