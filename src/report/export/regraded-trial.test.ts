import { expect, it } from 'vitest';
import { SUBJECT, TRIALS } from '../../../tests/fixtures/engine/report-subject.js';
import { inspectLog } from './inspect-log.js';
import { junitCases } from './junit-cases.js';

const made = { startedAt: '2026-01-01T00:00:00.000Z', endedAt: '2026-01-01T00:10:00.000Z' };
/** A trial of ten minutes whose verdict was given anew on the next day, in a second. */
const TRIAL = {
  ...TRIALS[0]!,
  ...{ n: 2, runs: 2, startedAt: '2026-01-02T00:00:00.000Z', endedAt: '2026-01-02T00:00:01.000Z' },
  regraded: { n: 1, outcome: 'failed' as const, reason: null, made },
};

it('takes in JUnit what it took before', () => {
  expect(junitCases([TRIAL])).toContain('time="600.000"');
  expect(junitCases([{ ...TRIAL, regraded: null }])).toContain('time="1.000"');
});

it('begins and ends in a log of Inspect when it was worked on', async () => {
  let text = '';
  const subject = { ...SUBJECT, trialPages: async (visit: Parameters<typeof SUBJECT.trialPages>[0]) => visit([TRIAL]) };
  for await (const piece of inspectLog(subject, TRIAL.systemId)) text += piece;
  const { samples } = JSON.parse(text) as { samples: object[] };
  expect(samples).toMatchObject([{ started_at: made.startedAt, completed_at: made.endedAt, total_time: 600 }]);
});
