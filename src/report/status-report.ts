import type { StatusReport, SystemStatus } from '../contract/status.js';
import type { CampaignRow, TrialTally } from '../ports/records.js';
import { spentAmounts } from './text/budget-text.js';
import { judgeFigures } from './text/judge-text.js';
import { temporalQueries } from './text/temporal-queries.js';
import { resultRates } from './result-rates.js';
import type { ReportSubject } from './report-subject.js';
import { outcomeCounts } from './outcome-counts.js';

/** The public contract of `status --json` and `report --json`, from rows alone. */
export function statusReport(subject: ReportSubject): StatusReport {
  const { campaign, totals, temporalUi } = subject;
  const lists = temporalQueries(subject);
  const report = subject.report?.isCurrent === true ? subject.report : null;
  const { id, name, status, suite, dataset, revises, revisedBy, spend } = campaign;
  const { planned, done, passed, failed, errored, not_run } = campaign.trials;
  return {
    campaign: { id, name, status, suite, dataset, revises, revised_by: revisedBy },
    trials: { planned, done, passed, failed, errored, not_run },
    spend: spendReport(spend),
    judge: judgeFigures(subject),
    systems: campaign.spec.systems.map((system) =>
      systemStatus(
        system.id,
        totals.tallies.filter(({ systemId }) => systemId === system.id),
        subject.columns,
      ),
    ),
    report: { path: report?.path ?? null },
    temporal_ui: temporalUi,
    ...(lists.length > 0 && { temporal_queries: lists }),
  };
}

/** What model calls came to, as documents tell it. */
export function spendReport(spend: CampaignRow['spend']) {
  const { calls, repeatedCalls, recoveredCalls, replayedCalls, reusedCalls, saved, implausible, unanswered } = spend;
  return {
    ...spentAmounts(spend),
    ...{ calls, repeated_calls: repeatedCalls, recovered_calls: recoveredCalls, replayed_calls: replayedCalls },
    ...{ reused_calls: reusedCalls, saved_usd: saved.microUsd / 1_000_000 },
    ...{ implausible_usage: implausible, unanswered_requests: unanswered },
  };
}

function systemStatus(id: string, tallies: readonly TrialTally[], columns: ReportSubject['columns']): SystemStatus {
  const { trials, passed, failed, errored, not_run } = outcomeCounts(tallies);
  const graded = passed + failed;
  return {
    id,
    trials,
    passed,
    failed,
    errored,
    not_run,
    pass_rate: graded === 0 ? null : passed / graded,
    rates: resultRates(columns, tallies),
  };
}
