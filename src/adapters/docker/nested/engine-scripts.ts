/** Where the nested engine listens; act's and docker's variable. */
export const ENGINE_SOCKET = 'unix:///run/engine/docker.sock';
const CONTAINERD_SOCKET = '/run/engine/containerd.sock';
/** Where a container finds the images its engine begins with. */
export const IMAGE_SET_FOLDER = '/image-set';
export const ENGINE_DATA_FOLDER = '/var/lib/docker';
/** The engine's own address on its bridge: containers on any network reach servers beside the engine there. */
const ENGINE_ADDRESS = '172.30.1.1';
/** Begins the last line of a script that did not come to its end, before what it lacked. */
export const LACKS = 'it lacks ';
/** A second of work; on a busy machine a minute. */
const UP_SECONDS = 240;

/**
 * Has the engine of a container running, with its images. Each part was found by leaving it out: the cgroup mounts are read-only
 * until they are mounted again as binds; with cgroup v2 no process may stay in the root group; `--iptables=false` since nothing may be
 * filtered here, though the program must be there, or containers have no DNS; containerd by itself, since dockerd gives one of its
 * own 15 s to start, which a busy machine does not keep. Prints the cgroup version it met, or last what is lacking.
 */
export const ENGINE_UP = `set -e
piece=
trap '[ $? = 0 ] || echo "${LACKS}$piece"' EXIT
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then version=2; else version=1; fi
if ! docker version >/dev/null 2>&1; then
  piece='control groups it may write to (the engine must allow SYS_ADMIN and leave /sys and /proc unmasked)'
  for mount in $(awk '$3 ~ /^cgroup2?$/ {print $2}' /proc/mounts); do mount -o remount,bind,rw "$mount"; done
  mount -o remount,bind,rw /proc/sys 2>/dev/null || true
  if [ "$version" = 2 ]; then
    piece='control groups (v2) below its own'
    mkdir -p /sys/fs/cgroup/init
    for pid in $(cat /sys/fs/cgroup/cgroup.procs); do echo "$pid" >/sys/fs/cgroup/init/cgroup.procs 2>/dev/null || true; done
    sed 's/^/+/; s/ / +/g' /sys/fs/cgroup/cgroup.controllers >/sys/fs/cgroup/cgroup.subtree_control
  fi
  piece='room for its images'
  [ -e ${ENGINE_DATA_FOLDER}/overlay2 ] || [ ! -d ${IMAGE_SET_FOLDER} ] || cp -a ${IMAGE_SET_FOLDER}/. ${ENGINE_DATA_FOLDER}/
  mkdir -p /run/engine
  answers() {
    tries=0
    until "$@" >/dev/null 2>&1; do
      tries=$((tries + 1))
      if [ $tries -gt ${UP_SECONDS * 10} ] || ! kill -0 $! 2>/dev/null; then tail -n 20 /run/engine/*.log; exit 1; fi
      sleep 0.1
    done
  }
  piece='a containerd that starts'
  printf 'version = 2\\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\\n' >/run/engine/containerd.toml
  setsid containerd --config /run/engine/containerd.toml --root ${ENGINE_DATA_FOLDER}/containerd --state /run/engine/containerd \\
    --address ${CONTAINERD_SOCKET} --log-level warn >/run/engine/containerd.log 2>&1 </dev/null &
  echo $! >/run/engine/containerd.pid
  answers ctr --address ${CONTAINERD_SOCKET} version
  piece='a dockerd that starts (overlay2 on its volume, a bridge, control groups)'
  setsid dockerd --containerd ${CONTAINERD_SOCKET} --data-root ${ENGINE_DATA_FOLDER} --exec-root /run/engine/exec \\
    --pidfile /run/engine/dockerd.pid -H ${ENGINE_SOCKET} --bip ${ENGINE_ADDRESS}/24 \\
    --default-address-pool base=10.101.0.0/16,size=24 --iptables=false --ip-masq=false --storage-driver overlay2 \\
    --log-level warn >/run/engine/dockerd.log 2>&1 </dev/null &
  answers docker version
  docker images -aq --no-trunc | sort -u >/run/engine/images
fi
echo "cgroup v$version"`;

/**
 * Removes everything a run may have left on the engine: containers, networks, volumes, images it built. Prints `swept`. A busy engine
 * says no to what it does a moment later, and an image goes only after those that were built on it: hence more than one try.
 */
export const ENGINE_SWEEP = `
sweep() {
  left=$(docker ps -aq) && { [ -z "$left" ] || docker rm -f -v $left >/dev/null; } &&
    left=$(docker network ls -q --filter type=custom) && { [ -z "$left" ] || docker network rm $left >/dev/null; } &&
    left=$(docker volume ls -q) && { [ -z "$left" ] || docker volume rm -f $left >/dev/null; } &&
    left=$(docker images -aq --no-trunc) && left=$(echo "$left" | sort -u | comm -13 /run/engine/images -) &&
    { [ -z "$left" ] || docker rmi -f $left >/dev/null; }
}
tries=1
until sweep; do
  [ $tries -lt 5 ] || exit 1
  tries=$((tries + 1))
  sleep 1
done
echo swept`;

/** Ends the engine, so that what is on its disk is whole. */
export const ENGINE_DOWN = `set -e
for daemon in dockerd containerd; do
  pid=$(cat /run/engine/$daemon.pid)
  kill "$pid"
  while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
done`;
