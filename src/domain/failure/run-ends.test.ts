import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyEvidence, evidenceOf as evidence } from '../../../tests/fixtures/engine/run-evidence.js';
import { endOf } from './run-ends.js';

const running = { running: true, outOfMemory: false };

test.each<[string, Parameters<typeof evidence>[0], object]>([
  ['both end lines', { served: { stdout: 0, stderr: 0 } }, { kind: 'exited', status: 0 }],
  ['both, as it was killed', { served: { stdout: 1, stderr: 1 }, killed: 'wall' }, { kind: 'exited', status: 1 }],
  ['one end line, server alive', { served: { stdout: 0, stderr: null }, exec: alive() }, { kind: 'lost' }],
  ['no end line, server alive', { served: neither(), exec: alive(), container: running }, { kind: 'lost' }],
  ['no end line, server ended well', { served: neither(), exec: ended(0), container: running }, { kind: 'lost' }],
  [
    'no end line, server killed',
    { served: neither(), exec: ended(137), container: running },
    { kind: 'exited', status: 137 },
  ],
  ['the CPU limit', { exec: ended(152) }, { kind: 'cpu' }],
  ['a command’s own status', { exec: ended(3) }, { kind: 'exited', status: 3 }],
  ['the same, as it was killed', { exec: ended(0), killed: 'wall' }, { kind: 'exited', status: 0 }],
  ['the wall limit', { exec: ended(137), killed: 'wall' }, { kind: 'wall' }],
  ['a wall limit nobody can tell', { exec: ended(137), killed: 'starved' }, { kind: 'lost' }],
  ['this process stood still', { exec: ended(137), killed: 'stalled' }, { kind: 'lost' }],
  ['never begun', { ready: false, exec: ended(2) }, { kind: 'lost' }],
  ['memory', { exec: ended(137), container: running, memory: { kills: 1, limitReached: true } }, { kind: 'memory' }],
  [
    'memory the machine had not',
    { exec: ended(137), container: running, memory: { kills: 1, limitReached: false } },
    { kind: 'lost' },
  ],
  ['a container that is gone', { exec: ended(137), container: { ...running, running: false } }, { kind: 'lost' }],
  ['an engine that never knows', { exec: ended(null), container: running }, { kind: 'lost' }],
])('%s', (_what, given, end) => {
  expect(endOf(evidence(given))).toMatchObject(end);
});

function alive(): { running: boolean; exitCode: null } {
  return { running: true, exitCode: null };
}

function ended(exitCode: number | null): { running: boolean; exitCode: number | null } {
  return { running: false, exitCode };
}

function neither(): { stdout: null; stderr: null } {
  return { stdout: null, stderr: null };
}

test('every combination has a meaning, and a 0 is only read where somebody told it', () => {
  fc.assert(
    fc.property(anyEvidence, (given) => {
      const end = endOf(given);
      if (end.kind !== 'exited' || end.status !== 0) return;
      const { served, exec, ready } = given;
      expect(ready).toBe(true);
      if (served === null) expect(exec).toEqual({ running: false, exitCode: 0 });
      else expect(served).toEqual({ stdout: 0, stderr: 0 });
    }),
    { numRuns: 2_000 },
  );
});

test('nothing is blamed on a command that was never started, or that ran while nobody could measure', () => {
  fc.assert(
    fc.property(anyEvidence, (given) => {
      const isUntold = given.served === null ? given.exec?.exitCode !== 0 : given.served.stdout === null;
      if (!given.ready) expect(endOf(given).kind).toBe('lost');
      if (given.killed === 'starved' && isUntold && given.exec?.running !== false)
        expect(endOf(given).kind).toBe('lost');
    }),
    { numRuns: 2_000 },
  );
});
