import Docker from 'dockerode';
import { expect, test } from 'vitest';
import type { ExecEnd } from './exec-stream.js';
import { judgeEnd } from './run-end.js';

/** Nobody has to be asked for what an exit code says. */
const nobody = new Docker({ socketPath: '/nowhere/docker.sock' }).getContainer('none');
const nothing = { bytes: Buffer.alloc(0), truncated: false, totalBytes: 0 };
const ended = (exitCode: number | null): ExecEnd => ({
  ...{ exitCode, stdout: nothing, stderr: nothing, spent: false },
});

test('a command that ended an instant before it was killed for its wall limit ended by itself', async () => {
  expect(await judgeEnd(nobody, ended(0), true)).toEqual({ timeLimit: null, outOfMemory: false });
  expect(await judgeEnd(nobody, ended(3), true)).toEqual({ timeLimit: null, outOfMemory: false });
  expect(await judgeEnd(nobody, ended(152), true)).toEqual({ timeLimit: 'cpu', outOfMemory: false });
});

test.each([[ended(137)], [ended(null)], [null]])('one that the kill ended reached the wall limit', async (end) => {
  expect(await judgeEnd(nobody, end, true)).toEqual({ timeLimit: 'wall', outOfMemory: false });
});
