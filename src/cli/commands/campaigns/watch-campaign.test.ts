import { expect, it } from 'vitest';
import type { CampaignStatus } from '../../../contract/campaign.js';
import type { ReportSubject } from '../../../report/report-subject.js';
import { exitCodeOf } from './watch-campaign.js';

it.each<[CampaignStatus, number, number, number]>([
  ['completed', 0, 0, 0],
  ['completed', 1, 0, 2],
  ['completed', 0, 1, 2],
  ['budget_exhausted', 1, 5, 3],
  ['cancelled', 0, 5, 4],
])('%s with %i errored and %i not run ends with %i', (status, errored, notRun, code) => {
  const trials = { planned: 9, done: 9, passed: 9 - errored - notRun, failed: 0, errored, not_run: notRun };
  expect(exitCodeOf({ campaign: { status, trials } } as ReportSubject)).toBe(code);
});
