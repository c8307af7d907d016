import { expect, test } from 'vitest';
import type { SandboxResult } from '../../../src/ports/sandbox.js';
import type { RunnerReport } from './execution-report.js';
import { judgeRun } from './judge-run.js';

const NONCE = 'n0nce';
const asked = { select: ['test_a', 'TestB::test_c'], cpuSeconds: 30 };

function passing(): RunnerReport {
  const passed = { outcome: 'passed', phase: 'call', kind: null, message: '', told: 'both' } as const;
  return {
    nonce: NONCE,
    complete: true,
    tests: [
      { id: 'test_a[1]', ...passed },
      { id: 'test_a[2]', ...passed },
      { id: 'TestB::test_c', ...passed },
    ],
    collected: ['test_a[1]', 'test_a[2]', 'TestB::test_c'],
    problems: [],
    forged: [],
    vacuous: [],
    strayLines: 0,
    childExit: 0,
    signal: null,
    leftovers: [],
    outOfMemory: false,
    outputBytes: 0,
    cpuSeconds: 0.4,
    rounds: 1,
    childCpuSeconds: 0.2,
    copySeconds: 0.01,
    wallSeconds: 0.5,
  };
}

function captured(text: string, truncated = false): SandboxResult['stdout'] {
  return { bytes: Buffer.from(text), truncated, totalBytes: text.length };
}

function judge(change: Partial<RunnerReport> = {}, result: Partial<SandboxResult> = {}): [boolean, string | null] {
  const report = judgeRun(
    {
      exitCode: 0,
      timedOut: false,
      timeLimit: null,
      outOfMemory: false,
      stdout: captured(`${JSON.stringify({ ...passing(), ...change })}\n`),
      stderr: captured(''),
      wallSeconds: 1,
      cpuSeconds: null,
      container: 'fresh',
      imageId: 'x',
      ...result,
    },
    NONCE,
    asked,
    1,
  );
  return [report.passed, report.reason];
}

test('everything selected ran and passed, and everything agrees: passed', () => {
  expect(judge()).toEqual([true, null]);
});

test.each<[string, string, Partial<RunnerReport>]>([
  ['another nonce', 'candidate.no-report', { nonce: 'guess' }],
  ['a collected case without an outcome', 'candidate.exited', { tests: passing().tests.slice(0, 1) }],
  ['a selected test that was not collected', 'test.not-collected', { collected: ['test_a[1]'] }],
  ['another status of the process', 'candidate.exited', { childExit: 1 }],
  ['a runner that does not agree', 'candidate.exited', { complete: false }],
  ['a signal', 'candidate.crashed', { childExit: null, signal: 'SIGSEGV' }],
  ['the CPU limit', 'candidate.timeout', { childExit: null, signal: 'SIGXCPU' }],
  [
    'the CPU limit, its first signal ignored',
    'candidate.timeout',
    { childExit: null, signal: 'SIGKILL', childCpuSeconds: 32 },
  ],
  ['a kill for memory', 'candidate.out-of-memory', { childExit: null, signal: 'SIGKILL', outOfMemory: true }],
  ['a line that is not the harness’s', 'candidate.forged-report', { strayLines: 1 }],
  ['a case reported as what it was not told', 'candidate.forged-report', { forged: [{ id: 'test_a[1]', how: 'x' }] }],
  ['a comparison that holds for every value', 'candidate.vacuous', { vacuous: [{ id: 'test_a[1]', how: 'x' }] }],
  ['nothing collected and status 0', 'candidate.exited', { collected: [], tests: [] }],
  ['an import that fails', 'test.import', { problems: [{ where: 'test_task.py', kind: 'import', message: 'no' }] }],
])('%s: %s', (_what, reason, change) => {
  expect(judge(change)).toEqual([false, reason]);
});

test('a skipped case is not a pass, and a failure comes before it', () => {
  const [first, second, third] = passing().tests;
  if (!first || !second || !third) throw new Error('three cases');
  const skipped = { ...first, outcome: 'skipped' as const };
  const failed = { ...second, outcome: 'failed' as const, kind: 'type' as const };
  expect(judge({ tests: [skipped, second, third] })).toEqual([false, 'test.skipped']);
  expect(judge({ tests: [skipped, failed, third] })).toEqual([false, 'test.type']);
});

test.each<[string, string, Partial<SandboxResult>]>([
  ['the wall limit', 'candidate.timeout', { exitCode: null, timedOut: true, timeLimit: 'wall' }],
  ['out of memory', 'candidate.out-of-memory', { exitCode: null, outOfMemory: true }],
  ['nothing on standard output', 'candidate.no-report', { exitCode: 137, stdout: captured('') }],
  ['text before the report', 'candidate.no-report', { stdout: captured(`hello\n${JSON.stringify(passing())}\n`) }],
  ['two reports', 'candidate.no-report', { stdout: captured(`${JSON.stringify(passing())}\n`.repeat(2)) }],
  ['half a report', 'candidate.no-report', { stdout: captured(JSON.stringify(passing()).slice(0, 80)) }],
  ['a report that was cut', 'candidate.no-report', { stdout: captured(`${JSON.stringify(passing())}\n`, true) }],
  ['another exit status', 'candidate.exited', { exitCode: 1 }],
])('%s: %s, whatever the report says', (_what, reason, result) => {
  expect(judge({}, result)).toEqual([false, reason]);
});
