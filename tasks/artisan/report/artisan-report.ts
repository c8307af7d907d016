import type { Json } from '../../../src/contract/json.js';
import type { RecordedReview } from '../../../src/contract/verdict.js';
import type { ReportCell, ReportInput, ReportTable, SuiteReport } from '../../../src/suite/report.js';
import { STATUSES } from '../judge/verdict.js';
import { ablationsOf, ablationTable, type Ablation } from './ablations.js';
import { campaignFindings, findingTable, type CellFinding } from './findings.js';
import { paperTable } from './papers.js';
import { partTable } from './cost-by-part.js';
import { PUBLISHED } from './published.js';
import { judgedAndReviewed, reviewTables, type Judged } from './reviews.js';
import { rightTable } from './right-values.js';
import { systemFigures, type SystemFigures } from './system-figures.js';

/** Everything the report says beyond single systems, as `suite_figures` has it. */
export interface CampaignFigures {
  published: typeof PUBLISHED;
  ablations: Ablation[];
  findings: CellFinding[];
  /** Both counts over all systems, and every review. */
  reviews: Judged & { all: readonly RecordedReview[] };
}

/** The published table's form, beside the published rows; per paper; ablations; findings; what people said. Tables say nothing that is not data. */
export async function reportStatuses(input: ReportInput): Promise<SuiteReport> {
  const { spec, trials, reviews } = input;
  const graded = trials.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed');
  const systems = spec.systems.map(({ id: system }) => ({
    system,
    ...systemFigures(
      system,
      graded.filter(({ systemId }) => systemId === system),
      input,
    ),
  }));
  const findings = await campaignFindings(input);
  const ablations = ablationsOf(spec, trials);
  const judged = judgedAndReviewed(graded, reviews);
  const figures: CampaignFigures = {
    ...{ published: PUBLISHED, ablations, findings },
    reviews: { ...judged, all: reviews },
  };
  return {
    metrics: Object.fromEntries(systems.map(({ system, ...figures }) => [system, figures])) as unknown as Json,
    figures: figures as unknown as Json,
    tables: [
      statusTable(systems),
      rightTable(systems),
      paperTable(systems),
      costTable(systems),
      partTable(systems),
      ...ablationTable(ablations),
      ...findingTable(findings),
      ...reviewTables(systems, judged, reviews),
    ],
  };
}

type NamedFigures = SystemFigures & { system: string };

function statusTable(systems: readonly NamedFigures[]): ReportTable {
  const unproven = systems.reduce((sum, system) => sum + system.unproven, 0);
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
      ...systems.map((each): ReportCell[] => [
        ...[each.system, each.graded, each.right.tables.passed],
        each.byPaper && { value: each.byPaper.value, interval: each.byPaper.interval },
        ...[each.partialCredit, ...STATUSES.map((status) => each[status])],
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

function costTable(systems: readonly NamedFigures[]): ReportTable {
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
      ...systems.map(({ system, means }): ReportCell[] => [
        ...[system, means.usd, means.wallSeconds, means.judgingSeconds],
        ...[means.turns, means.submissions, means.revealed].map(short),
      ]),
      ...PUBLISHED.map(({ system, usd, wallSeconds }): ReportCell[] => [
        ...[system, usd, wallSeconds, null, null, null, null],
      ]),
    ],
    notes: [
      'judging: seconds of the runs that judge a script. cells revealed: hidden cells of which an agent was told that they are right.',
    ],
  };
}

const short = (value: number | null): ReportCell => (value === null ? null : value.toFixed(1));
