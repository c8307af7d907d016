import type { TrialTally } from '../ports/records.js';
import type { ResultColumn } from '../suite/report.js';

/** The means of a suite's result columns by id, 0..1 over graded trials (passed + failed); null where none counts. */
export function resultRates(
  columns: readonly ResultColumn[],
  tallies: readonly Pick<TrialTally, 'outcome' | 'metrics' | 'trials'>[],
): Record<string, number | null> {
  const graded = tallies.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed');
  const count = (some: typeof graded): number => some.reduce((sum, { trials }) => sum + trials, 0);
  return Object.fromEntries(
    columns.map(({ id, metric, absent }) => {
      const counted = absent === 'zero' ? graded : graded.filter(({ metrics }) => (metrics[metric] ?? null) !== null);
      const sum = counted.reduce((total, { metrics, trials }) => total + (metrics[metric] ?? 0) * trials, 0);
      return [id, counted.length === 0 ? null : sum / count(counted)];
    }),
  );
}
