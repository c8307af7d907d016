"""Runs one request after another (runner.py), each in a copy of this process, which has loaded what all of them would load.

usage: server.py '{"dependencies": [...]}', with requests on standard input as the sandbox sends them
(`SandboxRun.forkServer` in src/ports/sandbox.ts). Plugins are left to each run: few tests have any.

All that serves a container's runs is in this process: it loads no candidate code, is not dumpable, and alone holds the
original input and output, with the copy that runs a request as runner.py would. What this process has known stays in its
memory and is in every copy's, so all it knows of a run is the command, its CPU limit and how many bytes it was delivered:
the files are unpacked by a copy that ends before the next is made, and the token is read when the run is over. A candidate
can end or stop it, which costs its own run. What else one process can change of another of its user (limits, scheduling)
every later copy would inherit, and it could be a note to them: so it ends after the run. So it does where the devices were
touched, which all runs have. A run that does not end by itself ends this process likewise.
"""

import io
import json
import os
import resource
import sys
import tarfile
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import harness
import runner
from files import empty
from processes import become_unreadable, changeable, container_cpu_nanoseconds, times_of_devices
from standard_input import read_bytes, read_line

FAILED = 70


def main():
    become_unreadable()
    harness.load({"plugins": [], **json.loads(sys.argv[1])})
    server, known = os.getpid(), (changeable(), times_of_devices())
    while line := read_line():
        request = json.loads(line)
        in_copy(lambda: unpack(request["filesBytes"]))
        os.write(1, b"durabench-ready %d\n" % container_cpu_nanoseconds())
        status = in_copy(lambda: run(request, server))
        is_whole = (changeable(), times_of_devices()) == known
        end(status, goes_on=is_whole)
        if not is_whole:
            break
    # Not before all was read: engines close what a process leaves unread soon after its end. Whoever reads ends the input, or
    # removes the container.
    while os.read(0, 4096):
        pass
    os._exit(0)


def in_copy(work):
    """The exit status of a copy that does the work. One that fails, or that a signal ends, takes this process with it."""
    pid = os.fork()
    if pid == 0:
        status = FAILED
        try:
            status = work()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    _, ended = os.waitpid(pid, 0)
    status = os.waitstatus_to_exitcode(ended)
    if status < 0 or status == FAILED:
        os._exit(FAILED if status == FAILED else 128 - status)
    return status


def unpack(size):
    empty()
    with tarfile.open(fileobj=io.BytesIO(read_bytes(size))) as files:
        files.extractall("/work")
    return 0


def run(request, server):
    seconds = request["cpuSeconds"]
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 2))
    os.chdir("/work")
    os.environ.update(PWD="/work", OLDPWD="/")  # As after `cd` in the shell that starts other commands.
    sys.argv[:] = request["command"][-2:]
    if "numpy.random" in sys.modules:  # Of Python's own generators each copy has another state by itself.
        sys.modules["numpy.random"].seed()
    status = runner.main(sys.argv[1])
    if os.getppid() != server:
        end(status, goes_on=False)  # It went with everything of this user, which this process has ended.
    return status


def end(status, goes_on):
    """The last line of both outputs. `goes_on`: whether there will be somebody for another request."""
    token = read_line().strip()
    for output in (1, 2):
        os.write(output, f"{token} {status} {'more' if goes_on else 'last'}\n".encode())


if __name__ == "__main__":
    main()
