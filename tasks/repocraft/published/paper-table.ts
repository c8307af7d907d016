import type { ReportCell, ReportTable } from '../../../src/suite/report.js';
import type { Rate, SystemMetrics } from '../metrics.js';
import type { PublishedFigures, PublishedRow } from './published-figures.js';

/** The paper's system a ZeroRepo run is compared with. */
const COMPARED = 'ZeroRepo o3-mini';

const cell = (value: Compared['pass']): ReportCell =>
  value === null ? null : { value: value.value, interval: value.interval };

/** The paper's rows beside ours, project by project, and over all where all its projects were graded. */
export function paperTable(
  systems: readonly SystemMetrics[],
  { source, overall, projects }: PublishedFigures,
): ReportTable {
  const known = [...new Set(systems.flatMap((system) => system.projects.map(({ project }) => project)))];
  const covered = known.filter((project) => projects.has(project));
  const rows = covered.flatMap((project) => {
    const published = projects.get(project) ?? [];
    const reference = published.find(({ system }) => system === COMPARED);
    const own = systems.flatMap((metrics) => {
      const found = metrics.projects.find((each) => each.project === project);
      return found === undefined ? [] : [ownRow(metrics.system, project, found, reference)];
    });
    return [...own, ...published.map((row) => publishedRow(project, row, published))];
  });
  if (covered.length === projects.size) {
    const reference = overall.find(({ system }) => system === COMPARED);
    const whole = systems.map((metrics) => ownRow(metrics.system, 'all', meanOfProjects(metrics), reference));
    rows.push(...whole, ...overall.map((row) => publishedRow('all', row, overall)));
  }
  return {
    title: 'Beside the paper’s rows',
    columns: [
      ...['project', 'system'].map((title) => ({ title, kind: 'text' as const })),
      ...['coverage', 'novelty', 'passed', 'voted', 'pass, share of gold', 'vote, share of gold'].map((title) => ({
        ...{ title, kind: 'rate' as const },
      })),
      ...['coverage', 'novelty', 'passed', 'voted'].map((title) => ({
        ...{ title: `${title}, less ${COMPARED}`, kind: 'points' as const },
      })),
      ...['files', 'lines', 'code tokens'].map((title) => ({ title, kind: 'count' as const })),
    ],
    rows,
    notes: [
      `Rows with a dagger (†) are the paper’s: ${source}`,
      'Rows of all projects are means of projects; rates by task stand in the table by project.',
      'The task sets differ: the paper’s tasks were never released, ours are harvested anew from pinned releases. Compare in kind, not to the decimal, and rather as shares of each harness’s own gold.',
      'Coverage and novelty: of the plan where a system has one, else of its code; by a judge where the campaign has one, else by the nearest leaf.',
    ],
  };
}

type Compared = Pick<SystemMetrics['overall'], 'shareOfGold' | 'code' | 'coverage'> &
  Record<'pass' | 'voting', Pick<Rate, 'value' | 'interval'> | null>;

/** Over all projects the mean of projects, as the paper averages; they differ in size, and none is to speak for the others. */
function meanOfProjects({ overall }: SystemMetrics): Compared {
  const { macro, bootstrap, code, coverage } = overall;
  const rate = (of: 'pass' | 'voting'): Compared['pass'] => {
    const [value, interval] = [macro[of], bootstrap[of].macro];
    return value === null || interval === null ? null : { value, interval };
  };
  return { pass: rate('pass'), voting: rate('voting'), shareOfGold: macro.shareOfGold, code, coverage };
}

/** The figure that stands beside the paper's: its own method where it was used. */
export function comparedCoverage(coverage: Compared['coverage']): { coverage: number | null; novelty: number | null } {
  if (coverage === null) return { coverage: null, novelty: null };
  const { judged } = coverage;
  return coverage.planned === null
    ? { coverage: judged.byCode ?? coverage.byCode, novelty: judged.noveltyByCode ?? coverage.noveltyByCode }
    : { coverage: judged.planned ?? coverage.planned, novelty: judged.novelty ?? coverage.novelty };
}

function ownRow(system: string, project: string, own: Compared, reference: PublishedRow | undefined): ReportCell[] {
  const { coverage, novelty } = comparedCoverage(own.coverage);
  return [
    ...[project, system, coverage, novelty, cell(own.pass), cell(own.voting)],
    ...[own.shareOfGold?.pass ?? null, own.shareOfGold?.vote ?? null],
    ...[less(coverage, reference?.coverage), less(novelty, reference?.novelty)],
    ...[less(own.pass?.value, reference?.pass), less(own.voting?.value, reference?.vote)],
    ...[own.code?.files ?? null, own.code?.loc ?? null, own.code?.tokens ?? null],
  ];
}

function publishedRow(project: string, row: PublishedRow, all: readonly PublishedRow[]): ReportCell[] {
  const gold = all.find(({ system }) => system === 'gold');
  const reference = all.find(({ system }) => system === COMPARED);
  const ratio = (a: number | null, b: number | null | undefined): number | null => (a === null || !b ? null : a / b);
  return [
    ...[project, `${row.system} †`, row.coverage, row.novelty, row.pass, row.vote],
    ...[ratio(row.pass, gold?.pass), ratio(row.vote, gold?.vote)],
    ...[less(row.coverage, reference?.coverage), less(row.novelty, reference?.novelty)],
    ...[less(row.pass, reference?.pass), less(row.vote, reference?.vote)],
    ...[row.files, row.loc, row.tokens],
  ];
}

const less = (a: number | null | undefined, b: number | null | undefined): number | null =>
  a == null || b == null ? null : a - b;
