import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { identifyProcess, isAlive } from './process-identity.js';
import { waitUntil } from '../../../tests/fixtures/wait-until.js';

// What a process killed with SIGKILL is for a moment: its first thread has ended, another still holds what it held.
const HALF_DEAD = `
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(60,)).start()
ctypes.CDLL(None).pthread_exit(None)
`;

it.runIf(process.platform === 'linux')('a process lives until the last of its threads has ended', async () => {
  const child = spawn('python3', ['-c', HALF_DEAD], { stdio: 'ignore' });
  await once(child, 'spawn');
  const identity = identifyProcess(child.pid ?? 0);
  const state = (): string => readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.[0] ?? '';
  try {
    expect(await waitUntil(() => state() === 'Z')).toBe(true);
    expect(identity && isAlive(identity)).toBe(true);
  } finally {
    child.kill('SIGKILL');
  }
  expect(await waitUntil(() => !identity || !isAlive(identity))).toBe(true);
});
