"""Looks from inside at what a container with an engine of its own can do, and what a job on that engine can.

Run by `doctor --sandbox`, with a JSON object: `job`, an image on the engine; `reach`, addresses that must not answer, each as host and
port; `peer`, a port that another such container listens on; `memory` and `processes`, the limits of the container.

    python3 probe.py slot REQUEST      prints facts, a line each: name, tab, value
    python3 - job REQUEST              the same of a job; `slot` runs it, with this text on its standard input
    python3 probe.py peer REQUEST      listens until it is ended; says so through the door `door`
"""

import json
import os
import re
import socket
import stat
import subprocess
import sys
import time

# What containers and the engine's bridge are called in a container without a network.
OWN_INTERFACES = re.compile(r"^(lo|docker\d+|br-\w+|veth\w+)$")
OWN_SOCKETS = "/run/engine/"


def fact(name, value):
    print(f"{name}\t{value}", flush=True)


def status_field(name):
    with open("/proc/self/status") as file:
        return next(line.split()[1] for line in file if line.startswith(f"{name}:"))


def is_up(interface):
    with open(f"/sys/class/net/{interface}/flags") as file:
        return int(file.read(), 16) & 1 == 1


def opened_devices(folder):
    """Disks of the machine that could be opened: those in sight, and those it knows the numbers of, made anew."""
    for entry in os.scandir("/dev"):
        if stat.S_ISBLK(entry.stat(follow_symlinks=False).st_mode) and can_open(entry.path):
            yield entry.path
    with open("/proc/partitions") as file:
        known = [line.split() for line in file.readlines()[2:]]
    for major, minor, _blocks, name in known:
        path = f"{folder}/durabench-probe-{name}"
        try:
            os.mknod(path, stat.S_IFBLK | 0o600, os.makedev(int(major), int(minor)))
        except OSError:
            continue
        if can_open(path):
            yield f"made {name}"
        os.unlink(path)


def can_open(path):
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def sockets():
    with open("/proc/self/mountinfo") as file:
        places = {line.split()[4] for line in file}
    for folder in ["/run", "/var/run"]:
        for place, _, names in os.walk(folder):
            places |= {f"{place}/{name}" for name in names}
    for place in sorted(places):
        try:
            is_socket = stat.S_ISSOCK(os.stat(place).st_mode)
        except OSError:
            continue
        if is_socket and not os.path.realpath(place).startswith(OWN_SOCKETS):
            yield place


def answers(host, port):
    try:
        socket.create_connection((host, port), timeout=2).close()
    except OSError:
        return False
    return True


def common(of, request, folder):
    fact(f"{of}-capabilities", status_field("CapBnd"))
    fact(f"{of}-privileges", status_field("NoNewPrivs"))
    for device in opened_devices(folder):
        fact(f"{of}-device", device)
    for each in sockets():
        fact(f"{of}-socket", each)
    for host, port in request["reach"]:
        if answers(host, port):
            fact(f"{of}-reached", f"{host}:{port}")


def job(request):
    common("job", request, "/tmp")
    fact("job", "done")


def job_on(request, network, source):
    command = ["docker", "run", "--rm", "-i", "--network", network, request["job"], "python3", "-", "job", json.dumps(request)]
    ended = subprocess.run(command, input=source, capture_output=True, text=True)
    sys.stdout.write(ended.stdout)
    if ended.returncode != 0:
        fact("job", f"status {ended.returncode}: {' '.join(ended.stderr.split())[-300:]}")


HOG = "import sys; held = bytearray(int(sys.argv[1])); held[:: 4096] = b'x' * len(held[:: 4096]); print('all of it')"
# Each child sleeps; what is left of them goes with the container.
FORK = """
import os, sys, time
made = 0
for _ in range(int(sys.argv[1])):
    try:
        pid = os.fork()
    except OSError:
        break
    if pid == 0:
        time.sleep(600)
        os._exit(0)
    made += 1
print(made, flush=True)
"""


def in_job(request, script, argument, *options):
    command = ["docker", "run", "--rm", *options, request["job"], "python3", "-c", script, str(argument)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)


def slot(request):
    with open(__file__, encoding="utf-8") as file:
        source = file.read()
    common("slot", request, "/var/lib/docker")
    for interface in os.listdir("/sys/class/net"):
        if is_up(interface) and not OWN_INTERFACES.match(interface):
            fact("slot-interface", interface)
    with open("/proc/net/route") as file:
        for line in file.readlines()[1:]:
            name, destination = line.split()[:2]
            if not OWN_INTERFACES.match(name) or destination == "00000000":
                fact("slot-route", f"{name} {destination}")
    with open("/proc/self/mountinfo") as file:
        for line in file:
            fact("slot-mount", line.rstrip("\n"))
    for name in sorted(os.environ):
        fact("slot-environment", name)
    for network in ["bridge", "host"]:
        job_on(request, network, source)
    privileged = in_job(request, "", "", "--privileged")
    fact("privileged", "refused" if privileged.returncode == 125 else f"runs with status {privileged.returncode}")
    hog = in_job(request, HOG, 2 * request["memory"])
    fact("memory", f"ended with {hog.returncode}{' having it' if 'all of it' in hog.stdout else ''}")
    forked = in_job(request, FORK, request["processes"] + 100, "--init")
    fact("processes", forked.stdout.strip() or f"status {forked.returncode}")
    fact("end", "")


def peer(request):
    with socket.create_server(("0.0.0.0", request["peer"])):
        socket.create_connection(("127.0.0.1", request["door"])).close()
        time.sleep(3600)


{"slot": slot, "job": job, "peer": peer}[sys.argv[1]](json.loads(sys.argv[2]))
