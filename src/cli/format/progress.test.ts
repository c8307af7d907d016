import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { totalsOf } from '../../../tests/fixtures/engine/trial-totals.js';
import type { UnderWay } from '../../client/inspect/under-way.js';
import type { TrialRow } from '../../ports/records.js';
import type { ReportSubject } from '../../report/report-subject.js';
import { createOutput } from './output.js';
import { createProgress } from './progress.js';
import { progressLine, progressLines } from '../../client/inspect/progress-lines.js';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

/** Of ten trials, as many as `outcomes` are done. */
function subject(outcomes: TrialRow['outcome'][]): ReportSubject {
  const trials = Array.from({ length: 10 }, (_, n) => ({
    systemId: n % 2 === 0 ? 'gold' : 'null',
    state: n < outcomes.length ? 'done' : 'running',
    outcome: outcomes[n] ?? null,
    n: 1,
    metrics: {},
  })) as TrialRow[];
  const spend = { microUsd: 1500, tokens: 1234, calls: 1, repeatedCalls: 0, recoveredCalls: 0, replayedCalls: 0 };
  const spec = { systems: [{ id: 'gold' }, { id: 'null' }], budget: { usd: 2, tokens: null } };
  const campaign = { suite: 's', status: 'running', trials: { planned: 10, done: outcomes.length }, spend, spec };
  return { campaign, totals: totalsOf(trials) } as unknown as ReportSubject;
}

const NOTHING: UnderWay = { generations: [], generationsToCome: 0, waits: [], queues: [], secondsLeft: null, at: 0 };

const passed = (count: number): TrialRow['outcome'][] => Array<'passed'>(count).fill('passed');

async function collected(flags: { quiet: boolean }) {
  const stderr = { text: '', write: (text: string) => (stderr.text += text) };
  const output = await createOutput({ stdout: stderr, stderr }, { json: false, verbose: false, ...flags });
  return { output, stderr };
}

it('off a terminal: a line when something changed, at most every 5 s', async () => {
  const { output, stderr } = await collected({ quiet: false });
  const progress = createProgress(output);
  for (const [ms, done] of [
    [0, 0],
    [1_000, 1],
    [5_000, 4],
    [10_000, 4],
    [10_500, 5],
    [15_000, 6],
  ] as const) {
    vi.setSystemTime(ms);
    // Looked up now and then, and counted on meanwhile.
    if (done === 5) progress.underWay({ ...NOTHING, secondsLeft: { low: 10, high: 30 }, at: ms });
    progress.show(subject(passed(done)));
  }
  progress.end(subject([...passed(6), 'failed', 'errored', 'not_run', 'not_run']));
  const sums = '$0.0015 of $2.00, 1,234 tokens';
  expect(stderr.text.trimEnd().split('\n')).toEqual([
    `gold 0/5 · null 0/5 · 0 of 10 done: 0 passed, 0 failed, 0 errored, ${sums}`,
    `gold 2/5 · null 2/5 · 4 of 10 done: 4 passed, 0 failed, 0 errored, ${sums}`,
    `gold 3/5 · null 3/5 · 6 of 10 done: 6 passed, 0 failed, 0 errored, ${sums}, about 6 to 26 s left`,
    `gold 5/5 (1 not run) · null 5/5 (1 not run) · 10 of 10 done: 6 passed, 1 failed, 1 errored, 2 not run, ${sums}`,
  ]);
});

it('tells no time left that is not known, of a campaign that does not run, and where nothing is left', () => {
  const left = { ...NOTHING, secondsLeft: { low: 10, high: 30 } };
  const running = subject(passed(8));
  const paused = { ...running, campaign: { ...running.campaign, status: 'paused' as const } };
  expect(progressLine(running, left)).toMatch(/, about 10 to 30 s left$/);
  for (const line of [
    progressLine(running),
    progressLine(running, NOTHING),
    progressLine(paused, left),
    progressLine(subject(passed(10)), left),
  ])
    expect(line).toMatch(/, 1,234 tokens$/);
});

it('says nothing under -q', async () => {
  const { output, stderr } = await collected({ quiet: true });
  const progress = createProgress(output);
  progress.show(subject(passed(1)));
  progress.end(subject(passed(4)));
  expect(stderr.text).toBe('');
});

it('names what is being made and waited for, in the line of a log as far as it has come', async () => {
  const { output, stderr } = await collected({ quiet: false });
  const progress = createProgress(output);
  const made = { phase: 'make', lastStep: 'x', usd: 0.5, tokens: 9, limit: null, startedAt: null } as const;
  const now: UnderWay = {
    generations: [
      { id: 'c/a/s/1', ...made, progress: { of: '41 units', done: 12, failed: 1, blocked: 0 } },
      { id: 'c/b/s/1', ...made, phase: 'prepare', progress: null },
      { id: 'c/d/s/1', ...made, progress: null },
    ],
    ...{ generationsToCome: 4, waits: [], queues: [{ role: 'sandbox', steps: 3, oldestSeconds: 60 }] },
    ...{ secondsLeft: null, at: 0 },
  };
  progress.underWay(now);
  progress.show(subject(passed(1)));
  expect(stderr.text).toMatch(
    /tokens; a\/s\/1 being made \(12 of 41 units done, 1 failed\); b\/s\/1 being prepared \(last step x\); 1 more candidate being made\n$/,
  );
  const lines = progressLines(subject(passed(1)), now);
  expect(lines.slice(3)).toEqual([
    'making       a/s/1 being made (12 of 41 units done, 1 failed), $0.5000, 9 tokens',
    'making       b/s/1 being prepared (last step x), $0.5000, 9 tokens',
    'making       d/s/1 being made (last step x), $0.5000, 9 tokens',
    'to be made   4 shared candidates',
    'waiting for a sandbox slot since 1969-12-31 23:59:00 UTC: 3 steps of all campaigns here',
  ]);
});

it('tells results that stand while their trials are run or graded again', () => {
  const trials = Array.from({ length: 10 }, (_, n) => ({
    systemId: 'gold',
    state: n < 4 ? 'done' : 'running',
    outcome: n < 8 ? 'passed' : 'failed',
    n: 2,
    metrics: {},
  })) as TrialRow[];
  const again = { ...subject(passed(10)), totals: totalsOf(trials) };
  expect(progressLine(again)).toContain(
    'gold 4/10 · null 0/0 · 10 of 10 done, 6 of them once more: 8 passed, 2 failed',
  );
});
