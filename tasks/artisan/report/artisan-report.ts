import type { Json } from '../../../src/contract/json.js';
import type { TrialRow } from '../../../src/ports/records.js';
import type { ReportCell, ReportInput, ReportTable, SuiteReport } from '../../../src/suite/report.js';
import { metricOf, STATUSES, type Status } from '../judge/verdict.js';
import { ablationTable } from './ablations.js';
import { campaignFindings, findingTable } from './findings.js';
import { paperTable, studyShare } from './papers.js';
import { partTable } from './cost-by-part.js';
import { judgedAndReviewed, reviewTables } from './reviews.js';
import { paperOutcomes, rightMetrics, rightTable } from './right-values.js';

/** How the graded trials of one system ended. */
type Counts = Record<Status, number> & { graded: number; unproven: number };

/**
 * What was published of other systems, on other tasks: 60 tables of 23 papers (Baek and Pradel, Artisan: Agentic Artifact Evaluation,
 * arXiv 2602.10046, 2026, abstract): 44 scripts, 3.14 times as many as mini-swe-agent, at $0.45 and 48 minutes a task on average.
 */
const PUBLISHED = [
  { system: 'Artisan (published)', graded: 60, passed: 44, usd: 0.45, minutes: 48 },
  { system: 'mini-swe-agent (published)', graded: 60, passed: 14, usd: null, minutes: null },
];

/** The published table's form, beside the published rows; per paper; ablations; findings; what people said. */
export async function reportStatuses(input: ReportInput): Promise<SuiteReport> {
  const { spec, trials, reviews, usage } = input;
  const systems = spec.systems.map(({ id }) => {
    const own = trials.filter(
      ({ systemId, outcome }) => systemId === id && (outcome === 'passed' || outcome === 'failed'),
    );
    return { system: id, own, counts: countsOf(own) };
  });
  const findings = await campaignFindings(input);
  const graded = systems.flatMap(({ own }) => own);
  const tables = [
    statusTable(systems),
    rightTable(systems),
    paperTable(systems),
    costTable(systems),
    partTable(systems, usage),
    ...ablationTable(spec, trials),
    ...findingTable(findings),
    ...reviewTables(systems, reviews),
  ];
  return {
    metrics: {
      ...Object.fromEntries(
        systems.map(({ system, own, counts }) => [
          system,
          { ...counts, right: rightMetrics(own), papers: paperOutcomes(own) },
        ]),
      ),
      ...(findings.length === 0 ? {} : { findings }),
      reviews: { ...judgedAndReviewed(graded, reviews), all: reviews },
    } as unknown as Json,
    tables,
  };
}

interface Counted {
  system: string;
  own: readonly TrialRow[];
  counts: Counts;
}

function statusTable(systems: readonly Counted[]): ReportTable {
  const unproven = systems.reduce((sum, { counts }) => sum + counts.unproven, 0);
  const empty = STATUSES.map((): ReportCell => null);
  return {
    title: 'Statuses',
    columns: [
      { title: 'system', kind: 'text' },
      { title: 'graded', kind: 'count' },
      { title: 'passed', kind: 'count' },
      { title: 'by paper', kind: 'rate' },
      { title: 'cells', kind: 'rate' },
      ...STATUSES.map((title) => ({ title, kind: 'count' as const })),
    ],
    rows: [
      ...systems.map(({ system, own, counts }): ReportCell[] => [
        ...[system, counts.graded, counts.full + counts['last-mile'], studyShare(own)],
        ...[own.length === 0 ? null : meanOf(own, 'matched'), ...STATUSES.map((status) => counts[status])],
      ]),
      ...PUBLISHED.map(({ system, graded, passed }): ReportCell[] => [system, graded, passed, null, null, ...empty]),
    ],
    notes: [
      'full and last-mile passed. A table that is right and was copied is no success. cells: those that are right, on average.',
      'Published rows are of 60 other tables of 23 papers, judged by other rules, and 17 % of their successes were corrected by hand: they are no comparison of systems.',
      'by paper: mean of the papers’ shares, Student’s t over them (Ibragimov and Müller 2010): with so few papers standard errors clustered by paper are too small.',
      ...(unproven === 0
        ? []
        : [`${unproven} of the copied gave neither table on altered data: nothing shows that they computed.`]),
    ],
  };
}

function costTable(systems: readonly Counted[]): ReportTable {
  const mean = (own: readonly TrialRow[], metric: string): ReportCell =>
    own.length === 0 ? null : meanOf(own, metric);
  const usd = (own: readonly TrialRow[]): ReportCell =>
    own.length === 0 ? null : own.reduce((sum, { costMicroUsd }) => sum + costMicroUsd, 0) / own.length / 1_000_000;
  return {
    title: 'A task on average',
    columns: [
      { title: 'system', kind: 'text' },
      { title: 'cost', kind: 'usd' },
      { title: 'whole trial', kind: 'seconds' },
      { title: 'judging', kind: 'seconds' },
      ...['turns', 'submissions', 'cells revealed'].map((title) => ({ title, kind: 'text' as const })),
    ],
    rows: [
      ...systems.map(({ system, own }): ReportCell[] => [
        ...[system, usd(own), wallOf(own), mean(own, 'seconds')],
        ...['turns', 'submissions', 'revealed'].map((metric) => short(mean(own, metric))),
      ]),
      ...PUBLISHED.map(({ system, usd: paid, minutes }): ReportCell[] => [
        ...[system, paid, minutes === null ? null : 60 * minutes, null, null, null, null],
      ]),
    ],
    notes: [
      'judging: seconds of the runs that judge a script. cells revealed: hidden cells of which an agent was told that they are right.',
    ],
  };
}

const short = (value: ReportCell): ReportCell => (typeof value === 'number' ? value.toFixed(1) : null);

/** Of trials that have the metric; null where none has. */
function meanOf(trials: readonly TrialRow[], metric: string): number | null {
  const values = trials.flatMap(({ metrics }) => metrics[metric] ?? []);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function wallOf(trials: readonly TrialRow[]): number | null {
  const walls = trials.flatMap(({ startedAt, endedAt }) =>
    startedAt === null || endedAt === null ? [] : [(Date.parse(endedAt) - Date.parse(startedAt)) / 1000],
  );
  return walls.length === 0 ? null : walls.reduce((sum, wall) => sum + wall, 0) / walls.length;
}

function countsOf(graded: readonly TrialRow[]): Counts {
  const count = (metric: string): number => graded.filter(({ metrics }) => metrics[metric] === 1).length;
  const statuses = Object.fromEntries(STATUSES.map((status) => [status, count(metricOf(status))])) as Record<
    Status,
    number
  >;
  return { graded: graded.length, unproven: count('unproven'), ...statuses };
}
