import type { TrialTally } from '../ports/records.js';
import type { ResultColumn } from '../suite/report.js';

/** The rates of a suite's result columns by id, 0..1 over graded trials (passed + failed); null where none counts. */
export function resultRates(
  columns: readonly ResultColumn[],
  tallies: readonly Pick<TrialTally, 'outcome' | 'metrics' | 'trials'>[],
): Record<string, number | null> {
  const graded = tallies.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed');
  const count = (some: typeof graded): number => some.reduce((sum, { trials }) => sum + trials, 0);
  return Object.fromEntries(
    columns.map(({ id, metric, absent }) => {
      const counted = absent === 'zero' ? graded : graded.filter(({ metrics }) => (metrics[metric] ?? null) !== null);
      const hits = counted.filter(({ metrics }) => metrics[metric] === 1);
      return [id, counted.length === 0 ? null : count(hits) / count(counted)];
    }),
  );
}
