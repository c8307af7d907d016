"""Bare pytest on the slices of RepoCraft tasks, as bench/repocraft/gold.ts asks for it. No runner, no limits, no report.

Usage: bare_pytest.py each PARALLEL | bare_pytest.py once, in a folder with `library/` and `tasks.json`
([{"file": "t001/test_001.py", "select": ["TestX::test_y"]}]). Prints one JSON line.
"""

import json
import os
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor


def pytest(node_ids):
    # Bytecode of the library is kept between processes, as it would be in anybody's checkout.
    env = {**os.environ, "PYTHONPATH": os.path.abspath("library"), "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *node_ids]
    return subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def main():
    with open("tasks.json", encoding="utf-8") as file:
        tasks = json.load(file)
    ids = [[f"{task['file']}::{name}" for name in task["select"]] for task in tasks]
    started = time.monotonic()
    if sys.argv[1] == "each":
        with ThreadPoolExecutor(int(sys.argv[2])) as pool:
            ends = list(pool.map(pytest, ids))
        passed = sum(end.returncode == 0 for end in ends)
    else:
        end = pytest([one for some in ids for one in some])
        passed = end.stdout.strip().splitlines()[-1]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = time.monotonic() - started
    print(json.dumps({"passed": passed, "wallSeconds": wall, "cpuSeconds": used.ru_utime + used.ru_stime}))


main()
