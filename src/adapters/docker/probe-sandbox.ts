import type { Sandbox } from '../../ports/sandbox.js';

/** One promise of the sandbox, looked at from inside a container. */
export interface SandboxFinding {
  check: string;
  ok: boolean;
  /** What was found. */
  detail: string;
}

/** Prints one `name<TAB>value` line a fact; only what a minimal Debian has. */
const FACTS = `
fact() { printf '%s\\t%s\\n' "$1" "$2"; }
fact user "$(id -u):$(id -g)"
fact capabilities "$(sed -n 's/^CapBnd:[^0-9a-f]*//p' /proc/self/status)"
fact privileges "$(sed -n 's/^NoNewPrivs:[^0-9]*//p' /proc/self/status)"
fact seccomp "$(sed -n 's/^Seccomp:[^0-9]*//p' /proc/self/status)"
fact network "$(ls /sys/class/net | tr '\\n' ' ')"
fact root "$( (echo x > /durabench-probe) 2>/dev/null && echo writable || echo read-only)"
fact work "$(df --output=fstype,size -BM /work | tail -n 1 | tr -s ' ')"
fact init "$(cat /proc/1/comm)"
fact descriptors "$(ulimit -n)"
fact socket "$(ls /var/run/docker.sock /run/docker.sock 2>/dev/null | tr '\\n' ' ')"
fact memory "$(cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null | head -n 1)"
fact pids "$(cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null | head -n 1)"
`;

/** What each fact must be. */
const PROMISES: Record<string, { check: string; holds: (value: string) => boolean }> = {
  user: { check: 'commands run as nobody', holds: (value) => value === '65534:65534' },
  capabilities: { check: 'no capabilities', holds: (value) => /^0+$/.test(value) },
  privileges: { check: 'no new privileges', holds: (value) => value === '1' },
  seccomp: { check: 'system calls are filtered', holds: (value) => value === '2' },
  network: { check: 'no network but loopback', holds: (value) => value.trim() === 'lo' },
  root: { check: 'read-only root', holds: (value) => value === 'read-only' },
  work: { check: 'work folder is a tmpfs with a size', holds: (value) => /^tmpfs \d+M$/.test(value.trim()) },
  init: { check: 'an init reaps processes', holds: (value) => /init|tini|catatonit/.test(value) },
  descriptors: { check: 'descriptors are limited', holds: (value) => Number(value) <= 1024 },
  socket: { check: 'no Docker socket', holds: (value) => value === '' },
  memory: { check: 'memory is limited', holds: (value) => Number(value) <= 2 * 1024 ** 3 },
  pids: { check: 'processes are limited', holds: (value) => Number(value) <= 256 },
};

/** Runs a container and looks whether the promises of sandbox.md hold on this engine; for `doctor --sandbox`. Fails like `Sandbox.run`. */
export async function probeSandbox(sandbox: Sandbox, signal: AbortSignal): Promise<SandboxFinding[]> {
  const result = await sandbox.run({
    image: 'base',
    command: ['sh', '-c', FACTS],
    mounts: [],
    poolKey: null,
    owner: { campaignId: 'doctor', ownerId: 'doctor' },
    signal,
  });
  const lines = result.stdout.bytes.toString('utf8').split('\n');
  const facts = new Map(lines.map((line) => [line.split('\t')[0], line.split('\t')[1] ?? '']));
  return Object.entries(PROMISES).map(([name, { check, holds }]) => {
    const value = facts.get(name);
    if (value === undefined) return { check, ok: false, detail: 'not reported' };
    return { check, ok: holds(value), detail: value.trim() === '' ? 'none' : value.trim() };
  });
}
