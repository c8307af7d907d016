import type { Figure } from '../../../src/domain/statistics/figure.js';
import { meanOfGroups } from '../../../src/domain/statistics/clusters.js';
import type { TrialRow } from '../../../src/ports/records.js';
import type { ReportInput } from '../../../src/suite/report.js';
import { metricOf, STATUSES, type Status } from '../judge/verdict.js';
import { costByPart, type PartFigures } from './cost-by-part.js';
import { judgedAndReviewed, type Judged } from './reviews.js';
import { paperOutcomes, rightMetrics, type PaperOutcome } from './right-values.js';

/** How the graded trials of one system ended. */
type Counts = Record<Status, number> & { graded: number; unproven: number };

/** Everything the report says of one system, as `suite_metrics` has it; its tables are made of this. */
export interface SystemFigures extends Counts {
  /** The mean of the papers' shares of passed trials, each paper counted once. */
  byPaper: Figure | null;
  /** The share of a table's hidden cells that are right, in the mean over trials. */
  partialCredit: number | null;
  right: ReturnType<typeof rightMetrics>;
  papers: Record<string, PaperOutcome>;
  means: TaskMeans;
  parts: PartFigures[];
  reviews: Judged;
}

/** A task on average, over the graded trials that have the figure; null where none has. */
type TaskMeans = Record<'usd' | 'wallSeconds' | 'judgingSeconds' | 'turns' | 'submissions' | 'revealed', number | null>;

/** @param own graded trials of the system */
export function systemFigures(
  system: string,
  own: readonly TrialRow[],
  { usage, reviews }: Pick<ReportInput, 'usage' | 'reviews'>,
): SystemFigures {
  const papers = paperOutcomes(own);
  return {
    ...countsOf(own),
    byPaper: meanOfGroups(Object.values(papers).map(({ graded, tables: { passed } }) => ({ graded, passed }))),
    partialCredit: meanOf(own, 'matched'),
    right: rightMetrics(own, papers),
    papers,
    means: taskMeans(own),
    parts: costByPart(system, own, usage),
    reviews: judgedAndReviewed(own, reviews),
  };
}

function countsOf(graded: readonly TrialRow[]): Counts {
  const count = (metric: string): number => graded.filter(({ metrics }) => metrics[metric] === 1).length;
  const statuses = Object.fromEntries(STATUSES.map((status) => [status, count(metricOf(status))])) as Record<
    Status,
    number
  >;
  return { graded: graded.length, unproven: count('unproven'), ...statuses };
}

function taskMeans(own: readonly TrialRow[]): TaskMeans {
  const walls = own.flatMap((trial) => {
    // A regrade takes no time of the trial: scripts were made and run before it.
    const { startedAt, endedAt } = trial.regraded?.made ?? trial;
    return startedAt === null || endedAt === null ? [] : [(Date.parse(endedAt) - Date.parse(startedAt)) / 1000];
  });
  const microUsd = mean(own.map(({ costMicroUsd }) => costMicroUsd));
  return {
    usd: microUsd === null ? null : microUsd / 1_000_000,
    wallSeconds: mean(walls),
    judgingSeconds: meanOf(own, 'seconds'),
    turns: meanOf(own, 'turns'),
    submissions: meanOf(own, 'submissions'),
    revealed: meanOf(own, 'revealed'),
  };
}

const meanOf = (trials: readonly TrialRow[], metric: string): number | null =>
  mean(trials.flatMap(({ metrics }) => metrics[metric] ?? []));

const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
