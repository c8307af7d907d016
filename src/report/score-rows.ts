import { integrityMarks } from '../domain/integrity-marks.js';
import { errorBounds, wilsonInterval, type Interval } from '../domain/statistics.js';
import type { TrialRow } from '../ports/records.js';
import type { ReportSubject } from './report-subject.js';

/** One line of the result table: a system on a group of tasks, or on all of them. */
export interface ScoreRow {
  system: string;
  /** null = all groups. */
  group: string | null;
  trials: number;
  /** Trials with a grade: passed + failed; the score's denominator. */
  scored: number;
  passed: number;
  failed: number;
  errored: number;
  not_run: number;
  /** passed / scored, null when nothing is scored. */
  score: number | null;
  /** 95 % Wilson score interval of the score. */
  interval: Interval | null;
  /** Score if every errored trial had failed or passed; null when none errored. */
  error_bounds: Interval | null;
  /** What is held against the candidates behind this row: `forged`, `suspect`, `vendored`; empty where nothing is. */
  marks: string[];
  localized_rate: number | null;
  vote_rate: number | null;
  tokens: number;
  usd: number;
  /** From the first start to the last end, in seconds; null when nothing ran. */
  wall_seconds: number | null;
}

/** The result table: for every system its groups and, where there are several, all of them together. */
export function scoreRows(subject: ReportSubject): ScoreRow[] {
  return subject.campaign.spec.systems.flatMap((system) => {
    const trials = subject.trials.filter((trial) => trial.systemId === system.id);
    const groups = [...new Set(trials.map((trial) => trial.group))].sort();
    const row = (group: string | null): ScoreRow =>
      scoreRow({
        system: system.id,
        group,
        trials: group === null ? trials : trials.filter((trial) => trial.group === group),
        marks: marksOf(subject, system.id, group),
        rates: subject.rates,
      });
    return groups.length === 1 ? [row(groups[0]!)] : [...groups.map(row), row(null)];
  });
}

/** A candidate is shared by a project, which is the group of its tasks. */
function marksOf({ integrity }: ReportSubject, system: string, group: string | null): string[] {
  const rows = integrity.filter((row) => row.systemId === system && (group === null || row.scope === group));
  return [...new Set(rows.flatMap(integrityMarks))];
}

function scoreRow(input: {
  system: string;
  group: string | null;
  trials: readonly TrialRow[];
  marks: string[];
  rates: ReportSubject['rates'];
}): ScoreRow {
  const { system, group, trials, marks } = input;
  const count = (outcome: TrialRow['outcome']): number => trials.filter((trial) => trial.outcome === outcome).length;
  const [passed, failed, errored] = [count('passed'), count('failed'), count('errored')];
  const scored = passed + failed;
  const rates = scored === 0 ? { localized_rate: null, vote_rate: null } : input.rates(trials);
  return {
    system,
    group,
    trials: trials.length,
    scored,
    passed,
    failed,
    errored,
    not_run: count('not_run'),
    score: scored === 0 ? null : passed / scored,
    interval: wilsonInterval(passed, scored),
    error_bounds: errored === 0 ? null : errorBounds({ passed, graded: scored, ungraded: errored }),
    marks,
    localized_rate: rates.localized_rate,
    vote_rate: rates.vote_rate,
    tokens: trials.reduce((sum, trial) => sum + trial.tokens, 0),
    usd: trials.reduce((sum, trial) => sum + trial.costMicroUsd, 0) / 1_000_000,
    wall_seconds: wallSeconds(trials),
  };
}

function wallSeconds(trials: readonly TrialRow[]): number | null {
  const starts = trials.flatMap((trial) => (trial.startedAt === null ? [] : [Date.parse(trial.startedAt)]));
  const ends = trials.flatMap((trial) => (trial.endedAt === null ? [] : [Date.parse(trial.endedAt)]));
  if (starts.length === 0 || ends.length === 0) return null;
  // Not Math.min(...starts): a campaign may have more trials than a call may have arguments.
  const first = starts.reduce((one, other) => Math.min(one, other));
  const last = ends.reduce((one, other) => Math.max(one, other));
  return Math.max(0, (last - first) / 1000);
}
