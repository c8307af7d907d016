import { linkSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyProcess, isAlive, type ProcessIdentity } from './process-identity.js';

// Replacing a stale lock takes microseconds; older than this, whoever began it was killed.
const ABANDONED_MS = 5_000;

/** The living process that holds the lock; `undefined` when nobody does, or its holder is dead. */
export function lockHolder(lockFile: string): ProcessIdentity | undefined {
  try {
    const holder = JSON.parse(readFileSync(lockFile, 'utf8')) as ProcessIdentity;
    return isAlive(holder) ? holder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Takes the lock for this process, replacing that of a dead one (killed, or from before a reboot).
 * @returns `undefined` when taken, else the living holder
 */
export async function takeLock(lockFile: string): Promise<ProcessIdentity | undefined> {
  mkdirSync(dirname(lockFile), { recursive: true });
  const me = identifyProcess(process.pid);
  if (!me) throw new Error('this process cannot be identified: neither /proc nor ps can be read');
  for (;;) {
    const holder = lockHolder(lockFile);
    if (holder) return holder.pid === me.pid ? undefined : holder;
    if (createWhole(lockFile, JSON.stringify(me))) return undefined;
    // It exists, and its holder is dead. Two takers must not both remove it: the second would remove the first's.
    if (!removeStale(lockFile)) await sleep(50);
  }
}

/** Gives the lock back, if it is ours. */
export function releaseLock(lockFile: string): void {
  if (lockHolder(lockFile)?.pid === process.pid) rmSync(lockFile, { force: true });
}

/** Creates the file with its content in one step, or returns false when it exists. */
function createWhole(file: string, content: string): boolean {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content, { mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function removeStale(lockFile: string): boolean {
  const guard = `${lockFile}.replacing`;
  try {
    mkdirSync(guard);
  } catch {
    const age = Date.now() - (statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > ABANDONED_MS) rmdirSync(guard);
    return false;
  }
  try {
    if (!lockHolder(lockFile)) rmSync(lockFile, { force: true });
    return true;
  } finally {
    rmdirSync(guard);
  }
}
