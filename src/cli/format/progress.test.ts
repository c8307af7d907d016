import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { totalsOf } from '../../../tests/fixtures/engine/trial-totals.js';
import type { TrialRow } from '../../ports/records.js';
import type { ReportSubject } from '../../report/report-subject.js';
import { createOutput } from './output.js';
import { createProgress } from './progress.js';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

function subject(done: number, rest: 'running' | 'planned' = 'running'): ReportSubject {
  const trials = Array.from({ length: 4 }, (_, n) => ({
    systemId: n % 2 === 0 ? 'gold' : 'null',
    state: n < done ? 'done' : rest,
    outcome: n < done ? 'passed' : null,
    n: 1,
    metrics: {},
  })) as TrialRow[];
  const spend = { microUsd: 1500, tokens: 1234, calls: 1, repeatedCalls: 0, recoveredCalls: 0, replayedCalls: 0 };
  const spec = { systems: [{ id: 'gold' }, { id: 'null' }], budget: { usd: 2, tokens: null } };
  const campaign = { suite: 's', status: 'running', trials: { planned: 4, done }, spend, spec };
  return { campaign, totals: totalsOf(trials) } as unknown as ReportSubject;
}

function collected(flags: { quiet: boolean }) {
  const stderr = { text: '', write: (text: string) => (stderr.text += text) };
  const output = createOutput({ stdout: stderr, stderr }, { json: false, verbose: false, ...flags });
  return { output, stderr };
}

it('off a terminal: a line when something changed, at most every 5 s', () => {
  const { output, stderr } = collected({ quiet: false });
  const progress = createProgress(output);
  for (const [ms, done] of [
    [0, 0],
    [1_000, 1],
    [5_000, 2],
    [10_000, 2],
    [10_500, 3],
  ] as const) {
    vi.setSystemTime(ms);
    progress.show(subject(done));
  }
  progress.end(subject(4));
  expect(stderr.text.trimEnd().split('\n')).toEqual([
    'gold 0/2 · null 0/2 · 0 of 4 done, $0.0015 of $2.00, 1,234 tokens',
    'gold 1/2 · null 1/2 · 2 of 4 done, $0.0015 of $2.00, 1,234 tokens, 0.4 trials/s, about 5.0 s left',
    'gold 1/2 · null 1/2 · 2 of 4 done, $0.0015 of $2.00, 1,234 tokens, 0.2 trials/s, about 10 s left',
    'gold 2/2 · null 2/2 · 4 of 4 done, $0.0015 of $2.00, 1,234 tokens',
  ]);
});

it('guesses no time while every trial that is left waits for its candidate', () => {
  const { output, stderr } = collected({ quiet: false });
  const progress = createProgress(output);
  progress.show(subject(1));
  vi.setSystemTime(5_000);
  progress.show(subject(2, 'planned'));
  expect(stderr.text.trimEnd().split('\n').at(-1)).toMatch(/2 of 4 done, \$0\.0015 of \$2\.00, 1,234 tokens$/);
});

it('says nothing under -q', () => {
  const { output, stderr } = collected({ quiet: true });
  const progress = createProgress(output);
  progress.show(subject(1));
  progress.end(subject(4));
  expect(stderr.text).toBe('');
});
