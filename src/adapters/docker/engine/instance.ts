import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Names one process for ever, as `host/pid/start`: a pid alone is reused. What `createDockerSandbox` expects as
 * `instance`, and what labels on containers are checked against when leftovers are removed.
 */
export function currentInstance(): string {
  return [hostname(), process.pid, startToken(process.pid) ?? 'unknown'].join('/');
}

/**
 * What this machine itself shows of an instance. `unknown`: of another host, of another boot, of another container, or
 * unreadable; only its lease can tell.
 */
export function lifeOf(instance: string): 'alive' | 'dead' | 'unknown' {
  const [host, pid = '', token = ''] = instance.split('/');
  try {
    if (host !== hostname() || !/^\d+$/.test(pid) || worldOf(token) !== ownWorld()) return 'unknown';
    return startToken(Number(pid)) === token ? 'alive' : 'dead';
  } catch {
    return 'unknown';
  }
}

/** Whether the owner of a label is certainly gone. */
export function isDeadInstance(instance: string): boolean {
  return lifeOf(instance) === 'dead';
}

/** When a process started, as a word after its world; undefined when there is no such process. Throws where that cannot be seen. */
function startToken(pid: number): string | undefined {
  const start = process.platform === 'linux' ? linuxStart(pid) : psStart(pid);
  return start === undefined ? undefined : `${ownWorld()}.${start}`;
}

function linuxStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command, in brackets, may itself hold spaces and brackets: count the fields after the last one (man 5 proc, field 22).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch (error) {
    // Anything else, such as no free descriptor, says nothing about the process.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

function psStart(pid: number): string | undefined {
  const { status, stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  // 1: no such process; null: ps itself did not start.
  if (status === 1) return undefined;
  if (status !== 0) throw new Error(`ps ended with ${status}`);
  return stdout.trim().replaceAll(/[\s/]+/g, '-');
}

/** Within which pids mean the same: one boot of one kernel, one pid namespace. Two containers may share a host's name. */
function ownWorld(): string {
  if (process.platform !== 'linux') return process.platform;
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8);
  const [namespace = ''] = /\d+/.exec(readlinkSync('/proc/self/ns/pid')) ?? [];
  return `${boot}-${namespace}`;
}

function worldOf(token: string): string {
  return token.slice(0, token.indexOf('.'));
}
