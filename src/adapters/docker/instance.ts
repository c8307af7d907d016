import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Names one worker process for ever, as `host/pid/start`: a pid alone is reused. What `createDockerSandbox` expects as
 * `instance`, and what labels on containers are checked against when leftovers are removed.
 */
export function currentInstance(): string {
  return [hostname(), process.pid, startToken(process.pid) ?? 'unknown'].join('/');
}

/** Whether the owner of a label is certainly gone. False for another host (not ours to judge) and for anything unreadable. */
export function isDeadInstance(instance: string): boolean {
  const [host, pid, token] = instance.split('/');
  if (host !== hostname() || !pid || !token || !/^\d+$/.test(pid)) return false;
  return startToken(Number(pid)) !== token;
}

/** When a process started, as a word; undefined when there is no such process. */
function startToken(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') {
      const line = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
      return line === '' ? undefined : line.replaceAll(/[\s/]+/g, '-');
    }
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command, in brackets, may itself hold spaces and brackets: count the fields after the last one (man 5 proc, field 22).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8);
    return `${boot}.${fields[19]}`;
  } catch {
    return undefined;
  }
}
