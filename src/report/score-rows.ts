import { integrityMarks } from '../domain/campaign/integrity-marks.js';
import { errorBounds, type Interval } from '../domain/statistics/statistics.js';
import type { TaskTally, TrialSpend, TrialTally } from '../ports/records.js';
import { scoreFigures, type ScoreFigures } from './figures/row-figures.js';
import { outcomeCounts } from './outcome-counts.js';
import { resultRates } from './result-rates.js';
import type { ReportSubject } from './report-subject.js';

/** One line of the result table: a system on a group of tasks, or on all of them. */
export interface ScoreRow extends ScoreFigures {
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
  /** Score if every errored trial had failed or passed; null when none errored. */
  error_bounds: Interval | null;
  /** What is held against the candidates behind this row: `forged`, `suspect`, `vendored`; empty where nothing is. */
  marks: string[];
  /** Of the suite's result columns, by id. */
  rates: Record<string, number | null>;
  tokens: number;
  usd: number;
  /** From the first start to the last end, in seconds, what lies between stretches of the campaign left out; null when nothing ran. */
  wall_seconds: number | null;
}

/** The result table: for every system its groups and, where there are several, all of them together. */
export function scoreRows(subject: ReportSubject): ScoreRow[] {
  const { campaign, totals } = subject;
  return campaign.spec.systems.flatMap(({ id: system }) => {
    const tallies = totals.tallies.filter(({ systemId }) => systemId === system);
    const spend = totals.spend.filter(({ systemId }) => systemId === system);
    const tasks = totals.tasks.filter(({ systemId }) => systemId === system);
    const groups = [...new Set(tallies.map(({ group }) => group))].sort();
    const isSplit = groups.length > 1;
    const row = (group: string | null): ScoreRow => {
      const isIn = (each: { group: string }): boolean => group === null || each.group === group;
      const own = { tallies: tallies.filter(isIn), spend: spend.filter(isIn), tasks: tasks.filter(isIn) };
      return {
        system,
        group,
        ...scoreOf({
          ...own,
          repeats: campaign.spec.repeats,
          seed: campaign.spec.seed,
          isWhole: !isSplit || group === null,
          marks: marksOf(subject, system, group),
          columns: subject.columns,
          stretches: campaign.work.stretches,
        }),
      };
    };
    return isSplit ? [...groups.map(row), row(null)] : [row(groups[0] ?? null)];
  });
}

/** A candidate is shared by a project, which is the group of its tasks. */
function marksOf({ integrity }: ReportSubject, system: string, group: string | null): string[] {
  const rows = integrity.filter((row) => row.systemId === system && (group === null || row.scope === group));
  return [...new Set(rows.flatMap(integrityMarks))];
}

function scoreOf(input: {
  tallies: readonly TrialTally[];
  spend: readonly TrialSpend[];
  tasks: readonly TaskTally[];
  seed: number;
  isWhole: boolean;
  repeats: number;
  marks: string[];
  columns: ReportSubject['columns'];
  stretches: ReportSubject['campaign']['work']['stretches'];
}): Omit<ScoreRow, 'system' | 'group'> {
  const { tallies, spend, marks } = input;
  const { trials, passed, failed, errored, not_run } = outcomeCounts(tallies);
  const scored = passed + failed;
  return {
    trials,
    scored,
    passed,
    failed,
    errored,
    not_run,
    score: scored === 0 ? null : passed / scored,
    // Repeats say more of a task and nothing of other tasks: they narrow nothing.
    ...scoreFigures(input),
    error_bounds: errored === 0 ? null : errorBounds({ passed, graded: scored, ungraded: errored }),
    marks,
    rates: resultRates(input.columns, tallies),
    tokens: spend.reduce((sum, each) => sum + each.tokens, 0),
    usd: spend.reduce((sum, each) => sum + each.costMicroUsd, 0) / 1_000_000,
    wall_seconds: wallSeconds(tallies, input.stretches),
  };
}

function wallSeconds(
  tallies: readonly TrialTally[],
  stretches: ReportSubject['campaign']['work']['stretches'],
): number | null {
  const starts = tallies.flatMap(({ startedAt }) => (startedAt === null ? [] : [Date.parse(startedAt)]));
  const ends = tallies.flatMap(({ endedAt }) => (endedAt === null ? [] : [Date.parse(endedAt)]));
  if (starts.length === 0 || ends.length === 0) return null;
  const [first, last] = [Math.min(...starts), Math.max(...ends)];
  const ms = stretches.map(({ from, to }) => {
    const until = to === null ? last : Math.min(last, Date.parse(to));
    return Math.max(0, until - Math.max(first, Date.parse(from)));
  });
  return (stretches.length === 0 ? Math.max(0, last - first) : ms.reduce((sum, each) => sum + each, 0)) / 1000;
}
