"""Runs selected tests against a candidate and reports what happened on the original standard output.

usage: runner.py REQUEST.json, with a nonce as the only line of standard input.

Three processes. This one, the parent, loads no candidate code: it holds the original standard output and the nonce, is not
dumpable (nothing else of its user can read its memory or descriptors), and writes the report only after both children and
every descendant have ended. The children (harness.py) run the same tests beside each other, each in a folder of its own,
with a pipe for its output and a socket for the dialogue about its tests. Neither ever had the nonce, which is read when
they are gone.

Every test body ends in a checkpoint (checkpoints.py) that asks the parent over the socket and reads one byte: go on, or
raise. Which, is drawn here, per case, once both children have asked, and is the other way round for the second child. So
it is in no memory but this one's, and no child can learn it of the other, until both bodies are over. A pass needs both:
the case that was let go reported as passed, the case that was told to raise reported as raised. A case reported as passed
though told to raise, or though its body never asked, is forged.

Values that are written in the test are hidden among wrong ones (choices.py) once both children are there and wait: which is
right, is in no memory but this one's either. A pass needs the right one, and no other, wherever it is compared.

Where only one of the two passes, or memory ran out, or both fail and there is a trace that they met (something the system
refused, a file made in a folder of both), they may have been in each other's way: then they run once more, one after the
other, and that decides. So they do from the beginning where a run before this one waited until its time was over.

What the children say comes from processes the candidate runs in, so it is believed only where it is complete: every
selected test collected, every collected case reported, a last line with the exit status, and that status the one the child
really ended with. Everything else is not a pass.
"""

import ctypes
import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import harness  # noqa: E402
from files import Files  # noqa: E402
from processes import children_cpu, in_sandbox  # noqa: E402
from rounds import Rounds  # noqa: E402

PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    os.unlink(sys.argv[1])  # No business of the candidate's.
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    started = time.monotonic()
    harness.load(request)
    rounds = examine(request)
    output_bytes = rounds.end_output()
    report = {
        **rounds.telling().report(),
        "complete": rounds.are_complete(),
        "beside": rounds.are_beside,
        "leftovers": rounds.leftovers[:20],
        "outOfMemory": rounds.is_out_of_memory(),
        "outputBytes": output_bytes,
        "cpuSeconds": round(children_cpu(), 3),
        "firstRoundSeconds": round(rounds.first.ended_at - started, 3),
        "wallSeconds": round(time.monotonic() - started, 3),
    }
    report["nonce"] = sys.stdin.readline().strip()
    os.write(1, b"")  # A closed output is better found before the report than in the middle of it.
    sys.stdout.write(json.dumps(report) + "\n")
    sys.stdout.flush()
    os._exit(0 if report["complete"] else 1)


def examine(request):
    """Both rounds; once more one after the other where they were perhaps in each other's way. `apart`: one after the other at once."""
    if request["apart"]:
        rounds = Rounds(request, are_beside=False)
        rounds.run_one_after_the_other(Files(apart=()).restore if in_sandbox() else lambda: None)
        return rounds
    beside = Rounds(request, are_beside=True)
    files = Files(apart=beside.own_folders) if in_sandbox() else None
    restore = files.restore if files else lambda: None
    beside.run_beside_each_other()
    if not beside.were_perhaps_in_each_others_way():
        return beside
    beside.end_output()
    restore()

    def forget():
        beside.forget()
        if files:
            files.forget()

    rounds = Rounds(request, are_beside=False, forget=forget)
    rounds.keep_draw_of(beside)
    rounds.run_one_after_the_other(restore)
    rounds.leftovers = beside.leftovers + rounds.leftovers
    return rounds


if __name__ == "__main__":
    main()
