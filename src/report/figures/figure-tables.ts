import type { IntervalMethod } from '../../domain/statistics/figure.js';
import type { ReportTable } from '../../suite/report.js';
import type { ScoreRow } from '../score-rows.js';
import { grouped, percent } from '../text/number-text.js';

/** What repeats and groups say of the scores; tables without rows are left out. */
export function figureTables(rows: readonly ScoreRow[]): ReportTable[] {
  return [repeatTable(rows), clusterTable(rows)].filter((table) => table.rows.length > 0);
}

function repeatTable(rows: readonly ScoreRow[]): ReportTable {
  const methods = rows.flatMap(({ repeats }) => repeats.flatMap(({ pass_at_k: at, pass_hat_k: hat }) => [at, hat]));
  return {
    title: 'Repeats: pass@k and pass^k',
    columns: [
      ...['system', 'group'].map((title) => ({ title, kind: 'text' as const })),
      ...['k', 'tasks'].map((title) => ({ title, kind: 'count' as const })),
      ...['pass@k (95 %)', 'pass^k (95 %)'].map((title) => ({ title, kind: 'rate' as const })),
    ],
    rows: rows.flatMap(({ system, group, repeats }) =>
      repeats.map(({ k, pass_at_k: at, pass_hat_k: hat }) => [
        ...[system, group ?? 'all', k, at?.method.units ?? 0],
        ...[at, hat].map((figure) => figure && { value: figure.value, interval: figure.interval }),
      ]),
    ),
    notes: [
      'pass@k: the chance that at least one of k repeats passes, 1 − C(n−c, k)/C(n, k) (Chen et al. 2021); pass^k: that all k pass, C(c, k)/C(n, k) (Yao et al. 2024). Means over the tasks with at least k graded repeats; of each task n were graded and c passed.',
      `Intervals: ${[...new Set(methods.flatMap((figure) => figure?.method ?? []).map(methodName))].join('; ') || 'none'}.`,
    ],
  };
}

/** Over all groups together. */
function clusterTable(rows: readonly ScoreRow[]): ReportTable {
  const clustered = rows.filter((row) => row.clustered !== null);
  const why = rows.flatMap(({ system, unclustered }) => (unclustered === null ? [] : `${system}: ${unclustered}.`));
  return {
    title: 'Scores with groups as clusters',
    columns: [
      { title: 'system', kind: 'text' },
      { title: 'groups', kind: 'count' },
      { title: 'score (95 %)', kind: 'rate' },
      { title: 'standard error', kind: 'text' },
    ],
    rows: clustered.map(({ system, clustered: figure }) => [
      ...[system, figure!.method.units],
      { value: figure!.value, interval: figure!.interval },
      percent(figure!.standard_error),
    ]),
    notes: [
      'Trials of a group are taken as alike: standard errors by cluster with G/(G−1), and Student’s t of G−1 degrees of freedom (Cameron and Miller 2015).',
      ...why,
    ],
  };
}

/** How the intervals of the scores were computed, and why they are not clustered: sentences below the results. */
export function intervalNotes(rows: readonly ScoreRow[]): string[] {
  const methods = [...new Set(rows.flatMap(({ method }) => method ?? []).map(methodName))];
  const isAny = rows.some(({ clustered }) => clustered !== null);
  // One sentence is enough: of the system that was tried on most groups.
  const triedOn = ({ system }: ScoreRow): number =>
    rows.filter((row) => row.system === system && row.group !== null && row.score !== null).length;
  const why = rows
    .filter(({ unclustered }) => unclustered !== null)
    .toSorted((one, other) => triedOn(other) - triedOn(one))[0]?.unclustered;
  return [
    ...(methods.length === 0 ? [] : [`Intervals: ${methods.join('; ')}.`]),
    ...(isAny || !why ? [] : [`Not clustered by group: ${why}.`]),
  ];
}

/** One method in words, without what differs from row to row. */
export function methodName({ name, level, resamples, seed }: Omit<IntervalMethod, 'units'>): string {
  const percentage = `${level * 100} %`;
  if (name === 'wilson') return `${percentage} Wilson score over tasks`;
  if (name === 'clustered-t') return `${percentage} Student’s t with standard errors by group`;
  if (name === 'group-t') return `${percentage} Student’s t over groups, each of which counts once`;
  return `${percentage} bootstrap by task (${grouped(resamples ?? 0)} resamples, expanded percentiles, seed ${seed})`;
}
