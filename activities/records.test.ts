import { expect, it } from 'vitest';
import { campaignMarkdown } from './records.js';

it('a campaign has its totals as a list, no table', () => {
  const trials = { planned: 1200, done: 60, passed: 30, failed: 20, errored: 1, not_run: 9 };
  const none = {
    repeatedCalls: 0,
    recoveredCalls: 0,
    replayedCalls: 0,
    reusedCalls: 0,
    saved: { microUsd: 0, tokens: 0 },
    implausible: 0,
    unanswered: 0,
  };
  const overshoot = { microUsd: 0, tokens: 0, requests: 0 };
  const spend = { microUsd: 1_250_000, tokens: 12_345, calls: 7, ...none, overshoot };
  const text = campaignMarkdown({ id: 'c', status: 'budget_exhausted', trials, spend });
  expect(text).toContain(
    '**c**: budget exhausted\n\n- 60 of 1,200 trials done\n- 30 passed, 20 failed, 1 errored, 9 not run\n- $1.25',
  );
  expect(text).not.toContain('|');
});
