"""The tree of a generation on disk, and pytest over it."""

import contextlib
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

HEAD = "from __future__ import annotations"


def joined(parts):
    """Text of a file made of its parts; ../graph/compose.ts joins alike."""
    head = "\n".join([quoted(parts["docstring"]), HEAD] + parts["imports"])
    return "\n\n\n".join([head] + [block["text"] for block in parts["blocks"]]) + "\n"


def quoted(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\0", "")
    return '"""' + "\n".join(line.strip() if index == 0 or not line.strip() else line for index, line in enumerate(escaped.split("\n"))) + '"""'


def write(root, path, text):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8", errors="replace") as file:
        file.write(text)


def run_tests(root, paths, seconds):
    """
    Runs test files with pytest → {passed, kind, message, output, tests, files: {path: failures}}. They have `seconds` of
    CPU, which a busy machine does not shorten, and four times as long by the clock, without
    what they were kept from a processor.
    """
    report = os.path.join(root, ".report.xml")
    if os.path.exists(report):
        os.remove(report)
    command = [sys.executable, "-P", "-s", "-B", "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider",
               "--import-mode=importlib", "-o", "junit_family=xunit1",
               "--rootdir", root, "--junitxml", report, *paths]
    env = {**os.environ, "PYTHONPATH": root, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
    code, output = ended(command, root, env, seconds)
    if code is None:
        return bad("timeout", f"the tests did not end within {seconds} s of CPU and {4 * seconds} s in all", "")
    try:
        cases = list(xml.etree.ElementTree.parse(report).iter("testcase"))
    except (OSError, xml.etree.ElementTree.ParseError):
        return bad("crashed", f"pytest ended with {code} and no report", output)
    files, first, ran = {}, None, 0
    for case in cases:
        trouble = case.find("failure") if case.find("failure") is not None else case.find("error")
        path = case.get("file") or (case.get("classname") or "").replace(".", "/") + ".py"
        files.setdefault(path, 0)
        if trouble is not None:
            files[path] += 1
            first = first or (case.get("name"), trouble.get("message") or (trouble.text or "")[:300])
        elif case.find("skipped") is None:
            ran += 1
    if first is not None:
        kind = "assertion" if "assert" in first[1][:200].lower() else "error"
        return {**bad(kind, steady(f"{first[0]}: {first[1]}")[:500], output), "tests": len(cases), "files": files}
    if code != 0 or ran == 0:
        return bad("no-tests", f"pytest ended with {code}, {ran} tests ran", output)
    return {"passed": True, "kind": None, "message": "", "output": "", "tests": ran, "files": files}


def ended(command, folder, env, seconds):
    """Exit code and what was printed; the code is None where time ran out. Nothing it started in its session lives on."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))

    # A file, not a pipe: whoever inherits it cannot keep us waiting.
    with tempfile.TemporaryFile() as printed:
        process = subprocess.Popen(
            command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT,
            start_new_session=True, preexec_fn=limit,
        )
        code = wait(process, 4 * seconds)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if code in (None, -signal.SIGXCPU):
            return None, ""
        size = printed.seek(0, os.SEEK_END)
        printed.seek(max(0, size - 100_000))
        return code, cut(printed.read())


def wait(process, seconds):
    """Its exit code; None where so much time has passed by the clock, without that in which it was kept from a processor."""
    started = time.monotonic()
    while time.monotonic() - started - kept_waiting(process.pid) < seconds:
        try:
            return process.wait(0.5)
        except subprocess.TimeoutExpired:
            pass
    return None


def kept_waiting(pid):
    """Seconds in which its first thread could have run, and was not let; 0 where the kernel does not say."""
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def bad(kind, message, output):
    return {"passed": False, "kind": kind, "message": message, "output": output, "tests": 0, "files": {}}


def cut(output):
    """The end of what pytest printed, without what differs from run to run: it goes into prompts."""
    text = steady(output.decode("utf-8", "replace"))
    return text if len(text) <= 6000 else "…" + text[-6000:]


def steady(text):
    text = re.sub(r"0x[0-9a-f]{6,}", "0x…", text)
    return re.sub(r"in \d+\.\d+s", "", text)
