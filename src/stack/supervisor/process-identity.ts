import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * One process, for ever: a pid alone is reused, so it is paired with when the process started.
 * On Linux `startToken` is boot id and start tick (man 5 proc, field 22); elsewhere the start time `ps` prints.
 */
export interface ProcessIdentity {
  pid: number;
  startToken: string;
}

/** The identity of a living process; `undefined` when there is none, or only a zombie nobody has reaped. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const startToken = process.platform === 'linux' ? linuxStartToken(pid) : psStartToken(pid);
  return startToken === undefined ? undefined : { pid, startToken };
}

/** Whether this very process still runs. */
export function isAlive(identity: ProcessIdentity): boolean {
  const now = identifyProcess(identity.pid);
  return now !== undefined && now.startToken === identity.startToken;
}

/** Sends a signal to this very process; does nothing, and says so, when it is gone. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  try {
    return process.kill(identity.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/**
 * The arguments of a running process, or [] where they cannot be read. Used to find a child that was started in the
 * instant before its supervisor was killed, and to tell whether a pid in postmaster.pid is a Postgres at all.
 */
export function processArguments(pid: number): string[] {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .split(/\s+/);
  } catch {
    return [];
  }
}

/** Living processes whose arguments satisfy the test. Linux only; elsewhere none are found. */
export function findProcesses(matches: (argv: string[]) => boolean): ProcessIdentity[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && matches(processArguments(Number(name))))
    .map((name) => identifyProcess(Number(name)))
    .filter((identity) => identity !== undefined);
}

function linuxStartToken(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command, in brackets, may itself hold spaces and brackets: count the fields after the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if ((fields[0] === 'Z' || fields[0] === 'X') && !hasLivingThreads(pid)) return undefined;
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${bootId}:${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** A killed process is a zombie as soon as its first thread has ended; the others still hold its ports and files. */
function hasLivingThreads(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).some((thread) => thread !== String(pid));
}

function psStartToken(pid: number): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const [state, ...started] = line.split(/\s+/);
    return !state || state.startsWith('Z') ? undefined : started.join(' ');
  } catch {
    return undefined;
  }
}
