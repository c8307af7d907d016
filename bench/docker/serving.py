"""A fork server as small as the protocol allows (`SandboxRun.forkServer` in src/ports/sandbox.ts): what bench/docker/engine-soak.ts keeps open."""

import json
import os
import sys

for line in sys.stdin.buffer:
    request = json.loads(line)
    sys.stdin.buffer.read(request["filesBytes"])
    os.write(1, b"durabench-ready 0\n")
    pid = os.fork()
    if pid == 0:
        os.execvp(request["command"][0], request["command"])
    _, ended = os.waitpid(pid, 0)
    token = sys.stdin.buffer.readline().strip()
    for output in (1, 2):
        os.write(output, b"%s %d more\n" % (token, os.waitstatus_to_exitcode(ended)))
