import type { TrialRow } from '../../src/ports/records.js';
import type { ReportInput, SuiteReport } from '../../src/suite/report.js';
import { metricOf, STATUSES, type Status } from './judge/verdict.js';

/** How the graded trials of one system ended. */
type Counts = Record<Status, number> & { graded: number; unproven: number };

/** The published table's form: how many trials of each system ended in which of the six statuses. */
export async function reportStatuses({ spec, trials }: ReportInput): Promise<SuiteReport> {
  const counted = spec.systems.map(({ id }) => ({
    system: id,
    counts: countsOf(trials.filter(({ systemId }) => systemId === id)),
  }));
  const unproven = counted.reduce((sum, { counts }) => sum + counts.unproven, 0);
  return {
    metrics: Object.fromEntries(counted.map(({ system, counts }) => [system, counts])),
    tables: [
      {
        title: 'Statuses',
        columns: [
          { title: 'system', kind: 'text' },
          ...['graded', ...STATUSES].map((title) => ({ title, kind: 'count' as const })),
        ],
        rows: counted.map(({ system, counts }) => [system, counts.graded, ...STATUSES.map((status) => counts[status])]),
        notes: [
          'full and last-mile passed. A table that is right and was copied is no success.',
          ...(unproven === 0
            ? []
            : [`${unproven} of the copied gave neither table on altered data: nothing shows that they computed.`]),
        ],
      },
    ],
  };
}

function countsOf(trials: readonly TrialRow[]): Counts {
  const graded = trials.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed');
  const count = (metric: string): number => graded.filter(({ metrics }) => metrics[metric] === 1).length;
  const statuses = Object.fromEntries(STATUSES.map((status) => [status, count(metricOf(status))])) as Record<
    Status,
    number
  >;
  return { graded: graded.length, unproven: count('unproven'), ...statuses };
}
