import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identifyProcess, isAlive, signalProcess } from './process-identity.js';
import { lockHolder, releaseLock, takeLock } from './supervisor-lock.js';

const sleeper = (): ChildProcess => spawn('sleep', ['60'], { stdio: 'ignore' });

describe('the supervisor lock', () => {
  let lockFile: string;
  let child: ChildProcess;
  beforeEach(() => {
    lockFile = join(mkdtempSync(join(tmpdir(), 'durabench-lock-')), 'state', 'supervisor.lock');
    child = sleeper();
  });
  afterEach(() => child.kill('SIGKILL'));
  const leave = (content: string): void => {
    mkdirSync(join(lockFile, '..'), { recursive: true });
    writeFileSync(lockFile, content);
  };

  it('is taken, seen and given back', async () => {
    expect(await takeLock(lockFile)).toBeUndefined();
    expect(lockHolder(lockFile)).toEqual(identifyProcess(process.pid));
    releaseLock(lockFile);
    expect(existsSync(lockFile)).toBe(false);
  });

  it('is refused while its holder lives, and stays the holder’s', async () => {
    const holder = identifyProcess(child.pid!)!;
    leave(JSON.stringify(holder));
    expect(await takeLock(lockFile)).toEqual(holder);
    releaseLock(lockFile);
    expect(lockHolder(lockFile)).toEqual(holder);
  });

  it.each([
    ['a dead process', () => JSON.stringify({ pid: 2 ** 22 + 1, startToken: 'x' })],
    ['an earlier process with the same pid', () => JSON.stringify({ pid: child.pid, startToken: 'earlier boot' })],
    ['a write cut short', () => '{"pid":'],
  ])('is replaced when it was left by %s', async (_, content) => {
    leave(content());
    expect(await takeLock(lockFile)).toBeUndefined();
    expect((JSON.parse(readFileSync(lockFile, 'utf8')) as { pid: number }).pid).toBe(process.pid);
  });

  it('is replaced although an earlier replacement was killed half way', async () => {
    leave('{}');
    const guard = `${lockFile}.replacing`;
    mkdirSync(guard);
    utimesSync(guard, new Date(0), new Date(0));
    expect(await takeLock(lockFile)).toBeUndefined();
    expect(existsSync(guard)).toBe(false);
  });
});

describe('a process identity', () => {
  it('ends with the process and is not that of another with the same pid', async () => {
    const child = sleeper();
    const identity = identifyProcess(child.pid!)!;
    expect(isAlive(identity)).toBe(true);
    expect(isAlive({ ...identity, startToken: 'other' })).toBe(false);
    expect(signalProcess({ ...identity, startToken: 'other' }, 'SIGKILL')).toBe(false);
    expect(isAlive(identity)).toBe(true);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    expect(signalProcess(identity, 'SIGKILL')).toBe(true);
    await ended;
    expect(isAlive(identity)).toBe(false);
  });
});
