"""Runs actionlint (which hands scripts to shellcheck) and zizmor, in two profiles, over the files of a candidate.

    python3 run_linters.py REQUEST.json

`/work/project` is the project with the candidate's files. The request names `workflows` and `actions`, paths in it. What each tool
said goes to standard output as one JSON object; how it ended decides what that is worth: `done`, `limit` (a limit that the files used
up) or `failed` (the tool's or the machine's fault).
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path("project")
CONFIG = Path("config").absolute()
# What a tool may say of twenty files; more is not read, since it would not fit into memory as values.
MOST_BYTES = 48 * 1024 * 1024
# Of each tool and what it starts; in processor time, so that a busy machine ends nobody. Files of people take a fraction of a second.
MOST_CPU_SECONDS = 20
LIMITS = {-signal.SIGXCPU, -signal.SIGXFSZ}
COMPLETED = re.compile(r"completed (.+)$", re.MULTILINE)


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    workflows = [f"./{path}" for path in request["workflows"]]
    actions = [f"./{path}" for path in request["actions"]]
    (PROJECT / ".git").mkdir(parents=True, exist_ok=True)
    tools = {
        "actionlint": run(
            [
                *("actionlint", "-no-color", "-format", "{{json .}}", "-pyflakes=", "-shellcheck=shellcheck"),
                *(f"-config-file={CONFIG}/actionlint.yaml", *workflows),
            ],
            {0, 1},
        )
    }
    for profile in ("strict", "baseline"):
        tools[f"zizmor-{profile}"] = zizmor(f"{CONFIG}/zizmor-{profile}.yaml", workflows + actions)
    json.dump({"versions": versions(), "tools": tools}, sys.stdout)


def zizmor(config: str, paths: list[str]) -> dict[str, object]:
    """An ignored finding is one all the same: whoever is graded does not choose what is looked at."""
    told = ("--offline", "--format=json-v1", "--no-exit-codes", "--no-ignores", "--no-progress", "--color=never")
    # 3: it could read none of the files.
    ended = run(["zizmor", *told, f"--config={config}", *paths], {0, 3})
    read = set(COMPLETED.findall(ended["errors"]))
    findings = ended["findings"]
    for finding in findings if isinstance(findings, list) else []:
        for location in finding["locations"]:
            # The whole text around it, once for each place: the files are kept.
            location["concrete"].pop("feature", None)
    return {**ended, "unread": [path for path in paths if path not in read and path.removeprefix("./") not in read]}


def run(command: list[str], ends: set[int]) -> dict[str, object]:
    """Its findings where it came to one of its ends, and a tail of what it said beside them."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        status = status_of(command, output, errors)
        said = {"status": status, "seconds": round(time.monotonic() - started, 3), "errors": text_of(errors)[-8192:]}
        if status in LIMITS or output.tell() > MOST_BYTES:
            return {**said, "end": "limit", "findings": []}
        if status not in ends:
            return {**said, "end": "failed", "findings": []}
        written = text_of(output)
    try:
        return {**said, "end": "done", "findings": json.loads(written) if written.strip() else []}
    except ValueError:
        return {**said, "end": "failed", "findings": []}


def status_of(command: list[str], output, errors) -> int:
    """As the kernel would end it, where what it starts counts as its own."""
    own = {"cwd": PROJECT, "stdin": subprocess.DEVNULL, "stdout": output, "stderr": errors, "start_new_session": True}
    with subprocess.Popen(command, **own) as tool:
        while True:
            try:
                return tool.wait(timeout=0.25)
            except subprocess.TimeoutExpired:
                if cpu_seconds(tool.pid) < MOST_CPU_SECONDS and os.fstat(output.fileno()).st_size <= MOST_BYTES:
                    continue
            os.killpg(tool.pid, signal.SIGKILL)
            tool.wait()
            return -signal.SIGXCPU


def cpu_seconds(pid: int) -> float:
    """Its own, and of its children that have ended."""
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[11:15]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def text_of(file) -> str:
    file.seek(0)
    return file.read(MOST_BYTES).decode("utf-8", "replace")


def versions() -> dict[str, str]:
    def version(tool: str, pattern: str) -> str:
        said = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
        found = re.search(pattern, said, re.MULTILINE)
        if found is None:
            raise ValueError(f"{tool} does not say its version: {said[:200]!r}")
        return found[1]

    return {
        "actionlint": version("actionlint", r"^v?(\d\S*)"),
        "zizmor": version("zizmor", r"^zizmor (\d\S*)"),
        "shellcheck": version("shellcheck", r"^version: (\d\S*)"),
    }


main()
