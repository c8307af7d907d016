import { expect, test } from 'vitest';
import type { SandboxResult } from '../../../src/ports/sandbox.js';
import fc from 'fast-check';
import { endOf, type RunEnd } from '../../../src/domain/failure/run-ends.js';
import { anyEvidence, evidenceOf } from '../../../tests/fixtures/engine/run-evidence.js';
import type { RunnerReport, RunRecord } from './execution-report.js';
import { judgeRun, readRun, type EndedRun } from './judge-run.js';

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
    code: [],
    childExit: 0,
    signal: null,
    leftovers: [],
    outOfMemory: false,
    memoryLimitReached: false,
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

const EXITED = { kind: 'exited', status: 0 } as const;

function read(change: Partial<RunnerReport> = {}, end: RunEnd = EXITED, stdout?: SandboxResult['stdout']): RunRecord {
  return readRun(ended(change, end, stdout), asked);
}

function ended(change: Partial<RunnerReport>, end: RunEnd, stdout?: SandboxResult['stdout']): EndedRun {
  const result: SandboxResult = {
    exitCode: end.kind === 'exited' ? end.status : null,
    timedOut: end.kind === 'cpu' || end.kind === 'wall',
    timeLimit: end.kind === 'cpu' || end.kind === 'wall' ? end.kind : null,
    outOfMemory: end.kind === 'memory',
    stdout: stdout ?? captured(`${JSON.stringify({ ...passing(), ...change })}\n`),
    stderr: captured(''),
    wallSeconds: 1,
    cpuSeconds: null,
    container: 'fresh',
    imageId: 'x',
    taken: null,
    workspace: null,
    evidence: evidenceOf(),
  };
  return { end, result, nonce: NONCE };
}

function judge(...run: Parameters<typeof read>): [boolean, string | null] {
  const [change = {}, end = EXITED, stdout] = run;
  const { passed, reason } = judgeRun(ended(change, end, stdout).result, [read(...run)], asked);
  return [passed, reason];
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
  ['a kill for memory', 'candidate.out-of-memory', { signal: 'SIGKILL', outOfMemory: true, memoryLimitReached: true }],
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

const NOTHING = captured('');
const HALF = captured(JSON.stringify(passing()).slice(0, 80));

test.each<[string, string, RunEnd, SandboxResult['stdout']]>([
  ['the wall limit', 'candidate.timeout', { kind: 'wall' }, NOTHING],
  ['the CPU limit', 'candidate.timeout', { kind: 'cpu' }, HALF],
  ['out of memory', 'candidate.out-of-memory', { kind: 'memory' }, NOTHING],
  ['a killed server', 'candidate.no-report', { kind: 'exited', status: 137 }, NOTHING],
  ['text before the report', 'candidate.no-report', EXITED, captured(`hello\n${JSON.stringify(passing())}\n`)],
  ['two reports', 'candidate.no-report', EXITED, captured(`${JSON.stringify(passing())}\n`.repeat(2))],
  ['a report that was cut at the cap', 'candidate.no-report', EXITED, captured(`${JSON.stringify(passing())}\n`, true)],
])('%s, and no report: %s', (_what, reason, end, stdout) => {
  expect(judge({}, end, stdout)).toEqual([false, reason]);
});

/** By what a run can end. */
const ENDS: RunEnd[] = [
  ...[0, 1, 70, 137].map((status) => ({ kind: 'exited', status }) as const),
  ...(['cpu', 'wall', 'memory'] as const).map((kind) => ({ kind })),
  { kind: 'lost', message: 'cut off' },
];

test('a complete report that all passed is passed with the status that goes with it, and tried again with any other', () => {
  expect(ENDS.map((end) => read({}, end).meaning)).toEqual(['passed', ...Array<string>(7).fill('infrastructure')]);
});

test('a report of a failure is believed, however its run ended', () => {
  for (const end of ENDS) expect(judge({ childExit: 1, complete: false }, end)).toEqual([false, 'candidate.exited']);
});

test('memory that the machine had not, though the container had, judges nobody', () => {
  const killed = { childExit: null, signal: 'SIGKILL', complete: false, outOfMemory: true };
  expect(read({ ...killed, memoryLimitReached: false }).meaning).toBe('infrastructure');
  expect(judge({ ...killed, memoryLimitReached: true })).toEqual([false, 'candidate.out-of-memory']);
  expect(judge({ ...killed, memoryLimitReached: null })).toEqual([false, 'candidate.out-of-memory']);
});

test('a status of success without its report was lost with it', () => {
  for (const stdout of [NOTHING, HALF]) expect(read({}, EXITED, stdout).meaning).toBe('infrastructure');
});

/** Whatever came, by whatever the sources of an end say together. */
const anyRun = fc.record({
  evidence: anyEvidence,
  change: fc.constantFrom<Partial<RunnerReport>>(
    {},
    { complete: false },
    { childExit: 1, complete: false },
    { childExit: null, signal: 'SIGKILL', complete: false, outOfMemory: true },
    { tests: passing().tests.slice(0, 1), complete: false },
    { forged: [{ id: 'test_a[1]', how: 'x' }], complete: false },
    { nonce: 'guess' },
  ),
  bytes: fc.constantFrom('whole', 'cut', 'none', 'twice'),
});

function cameAs(bytes: 'whole' | 'cut' | 'none' | 'twice', change: Partial<RunnerReport>): SandboxResult['stdout'] {
  const line = `${JSON.stringify({ ...passing(), ...change })}\n`;
  return captured({ whole: line, cut: line.slice(0, 100), none: '', twice: line + line }[bytes]);
}

test('over all combinations: decided, no pass without its report and its status, none failed with it, nobody blamed for what he cannot do', () => {
  fc.assert(
    fc.property(anyRun, ({ evidence, change, bytes }) => {
      const end = endOf(evidence);
      const stdout = cameAs(bytes, change);
      const { meaning, reported } = read(change, end, stdout);
      const isPassing = bytes === 'whole' && Object.keys(change).length === 0;
      expect(reported === 'passing').toBe(isPassing);
      if (isPassing) expect(['passed', 'infrastructure']).toContain(meaning);
      else expect(meaning).not.toBe('passed');
      if (meaning === 'passed') expect(end).toEqual({ kind: 'exited', status: 0 });
      // What a candidate can do (end what runs it, sleep, take memory) never saves it from a failure.
      const isItsDoing = end.kind !== 'lost' && !(end.kind === 'exited' && end.status === 0);
      if (isItsDoing && !isPassing && reported !== 'disturbed') expect(meaning).not.toBe('infrastructure');
      if (reported === 'none' && end.kind === 'lost') expect(meaning).toBe('infrastructure');
      if (meaning !== 'infrastructure') expect(judge(change, end, stdout)[0]).toBe(meaning === 'passed');
    }),
    { numRuns: 2_000 },
  );
});
