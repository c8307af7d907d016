import { expect, it } from 'vitest';
import { campaignMarkdown } from '../activities/records.js';
import { trialMarkdown } from './end-in-ui.js';

it('a trial has verdict, reasons, metrics and cost on its page, as a list', () => {
  const verdict = {
    passed: false,
    reasons: ['test.assertion', 'class.execution'],
    metrics: { voted: 2 / 3, marked: null },
  };
  const end = {
    outcome: 'failed',
    blame: 'model',
    reason: 'test.assertion',
    message: '<b>',
    verdict,
    skipped: [],
  } as const;
  expect(trialMarkdown('c/t/s/1', { ...end, verdict, skipped: [] }, 0.0125).split('\n')).toEqual([
    ...['**c/t/s/1**: failed', '', '- reason: `test.assertion`, blame model', '- also: `class.execution`'],
    ...['- metrics: voted 0.667, marked –', '- cost: $0.0125', '- its steps and evidence: `durabench show c/t/s/1`'],
  ]);
  const passed = { outcome: 'passed', blame: null, reason: null, message: null, verdict: null, skipped: [] } as const;
  expect(trialMarkdown('c/t/s/1', { ...passed, skipped: [] }, 0)).toMatch(
    /^\*\*c\/t\/s\/1\*\*: passed\n\n- cost: \$0\.0000\n/,
  );
});

it('a campaign has its totals as a list, no table', () => {
  const trials = { planned: 1200, done: 60, passed: 30, failed: 20, errored: 1, not_run: 9 };
  const none = { repeatedCalls: 0, recoveredCalls: 0, replayedCalls: 0, implausible: 0 };
  const overshoot = { microUsd: 0, tokens: 0, requests: 0 };
  const spend = { microUsd: 1_250_000, tokens: 12_345, calls: 7, ...none, overshoot };
  const text = campaignMarkdown({ id: 'c', status: 'budget_exhausted', trials, spend });
  expect(text).toContain(
    '**c**: budget exhausted\n\n- 60 of 1,200 trials done\n- 30 passed, 20 failed, 1 errored, 9 not run\n- $1.25',
  );
  expect(text).not.toContain('|');
});
