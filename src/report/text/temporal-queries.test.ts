import { expect, it } from 'vitest';
import type { ReportSubject } from '../report-subject.js';
import { temporalLines, temporalQueries } from './temporal-queries.js';

const subject = (trials: object, temporalUi: string | null): ReportSubject =>
  ({
    campaign: { id: 'c-1', trials },
    totals: { spend: [{ costMicroUsd: 30_000 }, { costMicroUsd: 10_000 }] },
    temporalUi,
  }) as unknown as ReportSubject;

const PAGE = 'http://127.0.0.1:8233/namespaces/n/workflows/tag%2Fcampaign%2Fc-1';

it('lists what there is: failed, errored, and what cost twice the mean', () => {
  const found = temporalQueries(subject({ failed: 1, errored: 2, done: 4 }, PAGE));
  expect(found.map(({ name }) => name)).toEqual(['failed', 'errored', 'dearest']);
  for (const { url } of found) expect(url).toMatch(/^http:\/\/127\.0\.0\.1:8233\/namespaces\/n\/workflows\?query=/);
  const [failed, , dearest] = found.map(({ url }) => new URL(url).searchParams.get('query'));
  expect(failed).toBe('WorkflowType = "trial" AND DurabenchCampaign = "c-1" AND DurabenchOutcome = "failed"');
  expect(dearest).toBe('WorkflowType = "trial" AND DurabenchCampaign = "c-1" AND DurabenchCostUsd > 0.020000');
});

it('lists nothing that is not there', () => {
  expect(temporalQueries(subject({ failed: 0, errored: 0, done: 0 }, PAGE))).toEqual([]);
  expect(temporalLines(subject({ failed: 3, errored: 0, done: 4 }, null))).toEqual([]);
});
