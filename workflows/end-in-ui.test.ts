import { expect, it } from 'vitest';
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
