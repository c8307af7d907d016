import type { StatusReport, SystemStatus } from '../contract/status.js';
import type { TrialRow } from '../ports/records.js';
import type { ReportSubject } from './report-subject.js';

/** The public contract of `status --json` and `report --json`, from rows alone. */
export function statusReport(subject: ReportSubject): StatusReport {
  const { campaign, trials, reportPath, temporalUi } = subject;
  const { id, name, status, suite, dataset, revises, revisedBy, spend } = campaign;
  const { planned, done, passed, failed, errored, not_run } = campaign.trials;
  return {
    campaign: { id, name, status, suite, dataset, revises, revised_by: revisedBy },
    trials: { planned, done, passed, failed, errored, not_run },
    spend: {
      usd: spend.microUsd / 1_000_000,
      tokens: spend.tokens,
      calls: spend.calls,
      repeated_calls: spend.repeatedCalls,
      recovered_calls: spend.recoveredCalls,
    },
    systems: campaign.spec.systems.map((system) =>
      systemStatus(
        system.id,
        trials.filter((trial) => trial.systemId === system.id),
        subject.rates,
      ),
    ),
    report: { path: reportPath },
    temporal_ui: temporalUi,
  };
}

function systemStatus(id: string, trials: readonly TrialRow[], rates: ReportSubject['rates']): SystemStatus {
  const count = (outcome: TrialRow['outcome']): number => trials.filter((trial) => trial.outcome === outcome).length;
  const [passed, failed] = [count('passed'), count('failed')];
  const graded = passed + failed;
  const { vote_rate, localized_rate } = graded === 0 ? { vote_rate: null, localized_rate: null } : rates(trials);
  return {
    id,
    trials: trials.length,
    passed,
    failed,
    errored: count('errored'),
    not_run: count('not_run'),
    pass_rate: graded === 0 ? null : passed / graded,
    vote_rate,
    localized_rate,
  };
}
