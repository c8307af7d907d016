import type { TemporalQuery } from '../../contract/status.js';
import type { ReportSubject } from '../report-subject.js';
import { dollars } from './number-text.js';

/** How many times the mean a trial costs that is dear. */
const DEAR = 2;

/** Links to trials of a campaign that ended; empty where no UI is known. Temporal sorts by no attribute: the dearest are those far above the mean. */
export function temporalQueries({ campaign, totals, temporalUi }: ReportSubject): TemporalQuery[] {
  if (temporalUi === null) return [];
  const { failed, errored, done } = campaign.trials;
  const cost = totals.spend.reduce((sum, { costMicroUsd }) => sum + costMicroUsd, 0) / 1_000_000;
  const dear = done === 0 ? 0 : (DEAR * cost) / done;
  const list = (name: TemporalQuery['name'], title: string, condition: string): TemporalQuery => {
    const query = `WorkflowType = "trial" AND DurabenchCampaign = "${campaign.id}" AND ${condition}`;
    const workflows = temporalUi.slice(0, temporalUi.lastIndexOf('/workflows/'));
    return { name, title, url: `${workflows}/workflows?query=${encodeURIComponent(query)}` };
  };
  return [
    ...(failed > 0 ? [list('failed', 'failed', 'DurabenchOutcome = "failed"')] : []),
    ...(errored > 0 ? [list('errored', 'errored', 'DurabenchOutcome = "errored"')] : []),
    ...(dear > 0
      ? [list('dearest', `above ${dollars(dear)}, twice the mean`, `DurabenchCostUsd > ${dear.toFixed(6)}`)]
      : []),
  ];
}

/** The same as lines of a result. */
export const temporalLines = (subject: ReportSubject): string[] => [
  ...(subject.temporalUi === null ? [] : [`Temporal UI  ${subject.temporalUi}`]),
  ...temporalQueries(subject).map(({ title, url }) => `             ${title}: ${url}`),
];
