"""Runs tasks on the true library, to see which of them hold. Only for trusted code: candidates go through the runner.

Arguments: a JSON file {tasks: [{id, test_code, auxiliary_code, functions, plugins}], kind, hashSeed, order} and the folder
that holds the reference package. `isolated` gives every task a process of its own, `batched` runs all in one, in `order`.
Answer on standard output: {id: {outcome: passed | failed | skipped | missing | timeout, reason, cpuSeconds}}; cpuSeconds is
null in a batch.
"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
WALL_SECONDS = 120


def main(request_path, library):
    request = json.loads(pathlib.Path(request_path).read_text(encoding="utf-8"))
    answer = {}
    if request["kind"] == "isolated":
        for task in request["tasks"]:
            answer.update(run([task], request["hashSeed"], library, measured=True))
    else:
        by_id = {task["id"]: task for task in request["tasks"]}
        answer = run([by_id[task_id] for task_id in request["order"]], request["hashSeed"], library, measured=False)
    json.dump(answer, sys.stdout)


def run(tasks, hash_seed, library, measured):
    with tempfile.TemporaryDirectory() as folder:
        nodes = [node for task in tasks for node in laid_out(folder, task)]
        plugins = sorted({plugin for task in tasks for plugin in task["plugins"]})
        report = os.path.join(folder, "report.jsonl")
        environment = dict(
            os.environ,
            PYTHONPATH=os.pathsep.join([library, HERE]),
            PYTHONHASHSEED=str(hash_seed),
            PYTHONDONTWRITEBYTECODE="1",
            PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
            GOLD_REPORT=report,
            HOME=folder,
        )
        command = [sys.executable, "-m", "pytest", "-c", "/dev/null", "--rootdir", folder, "-p", "no:cacheprovider", "-q"]
        command += ["--noconftest", "--import-mode=importlib", "-p", "gold_report"]
        command += [part for plugin in plugins for part in ("-p", plugin)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        timed_out = False
        try:
            limit = WALL_SECONDS * (1 if measured else len(tasks))
            subprocess.run(command + nodes, cwd=folder, env=environment, capture_output=True, timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            timed_out = True
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        phases = read(report)
    return {task["id"]: judged(task, phases, timed_out, round(cpu, 3) if measured else None) for task in tasks}


def laid_out(folder, task):
    """Writes a task's files; node ids to run."""
    place = pathlib.Path(folder, task["id"].replace(".", "_").replace("-", "_"))
    for name, text in dict(task["auxiliary_code"], **{f"test_{place.name}.py": task["test_code"]}).items():
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return [f"{place.name}/test_{place.name}.py::{function}" for function in task["functions"]]


def read(report):
    if not os.path.exists(report):
        return []
    with open(report, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def judged(task, phases, timed_out, cpu):
    name = task["id"].replace(".", "_").replace("-", "_")
    mine = [phase for phase in phases if phase["node"].startswith(name + "/")]
    bad = [phase for phase in mine if phase["outcome"] == "failed"]
    skipped = [phase for phase in mine if phase["outcome"] == "skipped"]
    ran = {phase["node"].split("::", 1)[1].split("[")[0] for phase in mine if phase["phase"] == "call"}
    missing = [function for function in task["functions"] if function not in ran]
    outcome = "timeout" if timed_out else "failed" if bad else "skipped" if skipped else "missing" if missing else "passed"
    reason = (bad or skipped or [{"reason": ", ".join(missing)}])[0]["reason"]
    return {"outcome": outcome, "reason": reason if outcome != "passed" else "", "cpuSeconds": cpu}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
