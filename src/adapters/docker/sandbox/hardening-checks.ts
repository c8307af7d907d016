import type { SandboxLimits } from '../../../contract/sandbox-limits.js';

/** Facts that the probe printed from inside a container: name → its lines. */
export type SandboxFacts = ReadonlyMap<string, readonly string[]>;

/** One default of the sandbox and how its facts show that it holds. */
export interface HardeningCheck {
  check: string;
  /** Its line in the script; what is shown as found. */
  fact: string;
  holds: (lines: readonly string[], limits: Readonly<SandboxLimits>) => boolean;
  /** What is shown instead of the lines. */
  shown?: (lines: readonly string[]) => string;
}

/** What the engine and the image set; anything else came from somewhere it must not come from. */
const ENVIRONMENT =
  /^(PATH|HOME|HOSTNAME|PWD|OLDPWD|SHLVL|_|TERM|TZ|LANG|LC_[A-Z]+|PYTHON_?(VERSION|SHA256|[A-Z]+)|GPG_KEY)$/;
const SHARED_MEMORY_BYTES = 64 * 1024 ** 2;
/** A worker has 1024 shares (cgroup v1), which older engines translate to a weight of 39 (v2), newer ones to 100. */
const WORKER_SHARE = { shares: 1024, weight: 39 };

/** Files of their own that engines put over those of the image. */
const ENGINE_FILES = /^(\/etc\/(resolv\.conf|hostname|hosts)|(\/usr)?\/sbin\/docker-init|\/dev\/init)$/;

/** Every default of the sandbox, one row each. */
export const HARDENING_CHECKS: readonly HardeningCheck[] = [
  { check: 'commands run as nobody', fact: 'user', holds: is('65534:65534 65534') },
  {
    check: 'no capabilities',
    fact: 'capabilities',
    holds: ([line, ...rest]) => /^0+$/.test(line ?? '') && !rest.length,
  },
  { check: 'no new privileges', fact: 'privileges', holds: is('1') },
  { check: 'system calls are filtered', fact: 'seccomp', holds: is('2') },
  { check: 'no network but loopback', fact: 'network', holds: is('lo') },
  {
    check: 'read-only root',
    fact: 'written',
    holds: (lines) => lines.length === 1 && lines[0] === 'mounted ro',
    shown: (lines) => lines.map((line) => (line.startsWith('/') ? `wrote ${line}` : line)).join(', '),
  },
  {
    check: 'folders to write in have a size',
    fact: 'folders',
    holds: (lines, { tmpfsBytes }) => lines.length === 2 && lines.every((line) => isSizedTmpfs(line, tmpfsBytes)),
  },
  {
    check: 'shared memory has a size',
    fact: 'shared-memory',
    holds: (lines) => lines.length === 1 && isSizedTmpfs(lines[0] ?? '', SHARED_MEMORY_BYTES),
  },
  {
    // Queues, segments and semaphores would outlive the runs of a pooled container.
    check: 'no memory of the kernel to keep things in',
    fact: 'kernel-objects',
    holds: is('0 0 0 0 0 0 0'),
  },
  { check: 'memory is limited', fact: 'memory', holds: atMost(({ memoryBytes }) => memoryBytes) },
  { check: 'no swap beside the memory', fact: 'swap', holds: is('0') },
  {
    check: 'processors are limited',
    fact: 'processors',
    holds: ([line = ''], { cpus }) => {
      const [quota = NaN, period = NaN] = line.split(' ').map(Number);
      return quota > 0 && quota / period <= cpus;
    },
  },
  {
    check: 'a smaller share of the processors than the worker',
    fact: 'share',
    holds: ([line = '']) => {
      const [unit = '', share = ''] = line.split(' ');
      return Number(share) > 0 && Number(share) < (WORKER_SHARE[unit as keyof typeof WORKER_SHARE] ?? 0);
    },
  },
  { check: 'processes are limited', fact: 'processes', holds: atMost(({ pids }) => pids) },
  { check: 'processor time is limited', fact: 'processor-time', holds: atMost(({ cpuSeconds }) => cpuSeconds) },
  { check: 'open files are limited', fact: 'open-files', holds: atMost(({ openFiles }) => openFiles) },
  { check: 'the size of a file is limited', fact: 'file-size', holds: atMost(({ fileSizeBytes }) => fileSizeBytes) },
  { check: 'no core dumps', fact: 'core', holds: is('0') },
  {
    check: 'an init reaps processes, none of the host in sight',
    fact: 'init',
    holds: ([line = '']) => /^(docker-init|tini|catatonit)$/.test(line),
  },
  { check: 'no socket of the host', fact: 'socket', holds: ([line]) => line === undefined },
  {
    check: 'no path of the host',
    fact: 'mount',
    holds: (lines) => hostPaths(lines).length === 0,
    shown: (lines) => hostPaths(lines).join(', '),
  },
  {
    check: 'no variable of the worker',
    fact: 'environment',
    holds: (lines) => lines.length > 0 && lines.every((name) => ENVIRONMENT.test(name)),
    // Names only, and those first that should not be there.
    shown: (lines) =>
      [...lines.filter((name) => !ENVIRONMENT.test(name)), ...lines.filter((name) => ENVIRONMENT.test(name))].join(' '),
  },
];

function is(wanted: string): HardeningCheck['holds'] {
  return (lines) => lines.length === 1 && lines[0] === wanted;
}

/** False for "max" and "unlimited", and for what is not told. */
function atMost(limit: (limits: Readonly<SandboxLimits>) => number): HardeningCheck['holds'] {
  return ([line = ''], limits) => line !== '' && Number(line) <= limit(limits);
}

/** `tmpfs <bytes> <folder>` */
function isSizedTmpfs(line: string, mostBytes: number): boolean {
  const [type, bytes] = line.trim().split(/\s+/);
  return (type === 'tmpfs' || type === 'shm') && Number(bytes) > 0 && Number(bytes) <= mostBytes;
}

/** Mount points of /proc/self/mountinfo that are neither the kernel's, nor the engine's, nor an empty tmpfs of the container. */
export function hostPaths(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    const [front = '', back = ''] = line.split(' - ');
    const [, , , root = '', point = ''] = front.split(' ');
    const [type = ''] = back.split(' ');
    const isOwnTmpfs = type === 'tmpfs' && root === '/';
    const isKernels = /^\/(proc|sys|dev)(\/|$)/.test(point) && /^(proc|sysfs|tmpfs|cgroup2?|devpts|mqueue)$/.test(type);
    return point === '/' || isOwnTmpfs || isKernels || ENGINE_FILES.test(point) ? [] : [point];
  });
}
