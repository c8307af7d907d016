import type { ReportCell, ReportTable } from '../../../src/suite/report.js';
import type { FailureCounts } from './failure-counts.js';
import type { SystemMetrics } from '../metrics.js';
import { FAILURE_CLASSES } from '../stages/failure-class.js';

/** Where failed trials were lost: by system and project, and over all projects. */
export function failureTable(systems: readonly SystemMetrics[]): ReportTable {
  const rows = systems.flatMap(({ system, projects, overall }) => {
    const each = projects.map(({ project, failures }) => ({ project, failures }));
    const all = projects.length < 2 ? each : [...each, { project: 'all, by task', failures: overall.failures }];
    return all
      .filter(({ failures }) => hasAny(failures))
      .map((line) => [system, line.project, ...cells(line.failures)]);
  });
  const counts = ['failed', ...FAILURE_CLASSES.map(titleOf), 'untold', 'errored: infrastructure', 'errored: harness'];
  return {
    title: 'Failure classes',
    columns: [
      ...['system', 'project'].map((title) => ({ title, kind: 'text' as const })),
      ...counts.map((title) => ({ title, kind: 'count' as const })),
    ],
    rows,
    notes: [
      'Whose failure a failed trial points to, as a hint that changes no verdict: localization and validation are what search and voters lost, at least; adaptation what could not be bound. The six classes and untold add up to failed.',
      'Untold: ended by the system’s own limit, or graded before reports counted classes (durabench regrade tells them). Errored trials are no failures of a system, and in no rate.',
    ],
  };
}

const titleOf = (name: string): string => name.replace(/^\w+\./, 'of it ');

const hasAny = ({ failed, errored }: FailureCounts): boolean => failed + errored.infrastructure + errored.harness > 0;

const cells = ({ failed, classes, untold, errored }: FailureCounts): ReportCell[] => [
  failed,
  ...FAILURE_CLASSES.map((name) => classes?.[name] ?? null),
  ...[untold, errored.infrastructure, errored.harness],
];
