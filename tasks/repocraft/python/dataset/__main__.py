"""Reads a request (JSON) on standard input, writes the answer (JSON) to standard output. Modes: plan, number, extract.

plan     {settings, overrides, kept}      → {harvested, dropped, drafts, unsampled}
number   {settings, drafts, kept}         → {tasks}
extract  {settings, locked}               → {tasks}
`kept`: the locked tasks whose place the build keeps; none where it draws a new sample.
Arguments: the folder of the unpacked release, the folder of the project's shims. Standard library only; Python ≥ 3.11.
"""

import gc
import json
import os
import re
import sys

from reference import Reference
from sample import Sample
from slicer import Sources
from source import Tree
from tasks import extracted, numbered, planned


def main(release, shims):
    # Syntax trees are millions of objects without cycles; looking for some among them takes longer than all the rest.
    gc.disable()
    request = json.load(sys.stdin)
    settings = request["settings"]
    tests = re.compile(settings["testModules"])
    reference = Reference(os.path.join(release, settings["packageRoot"]), settings["package"], without=tests)
    sources = Sources(settings, Tree(os.path.join(release, settings["testsRoot"])), reference, Tree(shims))
    if request["mode"] == "plan":
        answer = planned(sources, request["overrides"], Sample(request["kept"]))
    elif request["mode"] == "number":
        answer = {"tasks": numbered(request["drafts"], sources, Sample(request["kept"]))}
    else:
        answer = {"tasks": extracted(sources, request["locked"])}
    json.dump(answer, sys.stdout, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
