"""Runs selected tests against a candidate and reports what happened on the original standard output.

usage: runner.py FOLDER/request.json, with drawing.json beside it and a nonce as the only line of standard input. server.py
runs it for one request after another.

This process, the parent, loads no candidate code: it holds the original standard output and the nonce, is not dumpable
(nothing else of its user can read its memory or descriptors), and writes the report only after its children and every
descendant have ended. A child (harness.py) runs the tests, with a pipe for its output and a socket for the dialogue about
them. It never had the nonce, which is read when it is gone.

Every test body ends in a checkpoint (checkpoints.py) that asks the parent over the socket. There the child is copied: the
copy raises, tells how its case was reported, and ends; then the child goes on. Until then nothing of the test is left to
be executed, and there is no copy, so neither can act by what it is while that matters. A pass needs both: the case that
goes on reported as passed, its copy reported as raised. A case whose copy is reported as passed, or that is reported as
passed though its body never asked, is forged.

Values that are written in the test are hidden among wrong ones (choices.py) once the child is there and waits: which is
right, and the key that says so, are in no memory but this one's. The key is the task's, so that every run draws alike. A pass
needs the right one, and no other, wherever it is compared.

Not everything bears being copied (threads, and what is undone at the end of a test, twice). What was, and did not pass,
runs once more in two rounds, one after the other, and that decides: two children with no copies, of which one is told to
go on and the other to raise, as is drawn here for each case when it asks. So it does from the beginning where a run before
this one waited until its time was over.

What the children say comes from processes the candidate runs in, so it is believed only where it is complete: every
selected test collected, every collected case reported, a last line with the exit status, and that status the one the child
really ended with. Everything else is not a pass.
"""

import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import harness
from processes import adopt_orphans, become_unreadable, cpu_seconds, memory_limit_reached
from rounds import Rounds
from standard_input import read_line


def main(path):
    """Returns the exit status."""
    with open(path, encoding="utf-8") as file:
        request = json.load(file)
    os.unlink(path)  # No business of the candidate's.
    become_unreadable()
    adopt_orphans()
    started = time.monotonic()
    harness.load(request)
    rounds = examine(request, os.path.join(os.path.dirname(path), "drawing.json"))
    output_bytes = rounds.end_output()
    report = {
        **rounds.telling().report(),
        "complete": rounds.are_complete(),
        "rounds": rounds.rounds,
        "leftovers": rounds.leftovers[:20],
        "outOfMemory": rounds.is_out_of_memory(),
        "memoryLimitReached": memory_limit_reached(),
        "outputBytes": output_bytes,
        "cpuSeconds": round(cpu_seconds(), 3),
        "wallSeconds": round(time.monotonic() - started, 3),
    }
    report["nonce"] = read_line().strip()
    os.write(1, b"")  # A closed output is better found before the report than in the middle of it.
    sys.stdout.write(json.dumps(report) + "\n")
    sys.stdout.flush()
    return 0 if report["complete"] else 1


def examine(request, drawing):
    """
    One round with copies; two without where those were perhaps in the way, or at once where it is asked for (`apart`). `drawing`:
    the file with what the test's values are hidden by, read when all processes are there that ever run candidate code.
    """
    ended = {}
    once = None if request["apart"] else Rounds(request, 1, ended)
    rounds = Rounds(request, 2, ended)
    with open(drawing, encoding="utf-8") as file:
        drawn = json.load(file)
    os.unlink(drawing)
    if once is not None:
        once.run(drawn, rounds.pids)
        if not once.was_perhaps_in_the_way_of_itself():
            rounds.dismiss()
            return once
        once.end_output()
        once.restore()
        rounds.leftovers += once.leftovers
    rounds.run(drawn)
    return rounds


if __name__ == "__main__":
    os._exit(main(sys.argv[1]))
