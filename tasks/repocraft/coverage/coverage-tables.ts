import type { ReportTable } from '../../../src/suite/report.js';
import type { SystemMetrics } from '../metrics.js';
import type { Coverage } from './coverage-figures.js';

/** Share of the leaves that a purpose may name. */
const MOST_TOLD = 0.1;

const rate = (title: string): ReportTable['columns'][number] => ({ title, kind: 'rate' });
const text = (title: string): ReportTable['columns'][number] => ({ title, kind: 'text' });

/** Where plans and candidates lie in the taxonomies, and how far the ways to tell agree. */
export function coverageTables(systems: readonly SystemMetrics[]): ReportTable[] {
  const known = systems.flatMap(({ system, projects, overall }) =>
    [...projects, ...(projects.length < 2 ? [] : [{ ...overall, project: 'all, mean of projects' }])].flatMap(
      ({ project, coverage }) => (coverage === null ? [] : [{ system, project, coverage }]),
    ),
  );
  return [headline(known), byMethod(known)];
}

type Row = { system: string; project: string; coverage: Coverage };

function headline(known: readonly Row[]): ReportTable {
  return {
    title: 'Coverage and novelty',
    columns: [
      ...['system', 'project'].map(text),
      ...['coverage planned', 'coverage by code', 'coverage implemented', 'of reachable leaves'].map(rate),
      ...['novelty planned', 'novelty made', 'novelty by code', 'leaves in the purpose'].map(rate),
    ],
    rows: known.map(({ system, project, coverage }) => [
      ...[system, project, coverage.planned, coverage.byCode, coverage.implemented, coverage.implementedReachable],
      ...[coverage.novelty, coverage.noveltyMade, coverage.noveltyByCode, coverage.told],
    ]),
    notes: [
      'Coverage: share of the leaves of the project’s taxonomy with at least one feature: of the plan, or, by code, a public function, class or method of the candidate; by the nearest text embedding above a floor. Implemented: leaves that also have a passed task (coverage/categories.json says which leaves the categories of our tasks are about), of all leaves and of those that the graded tasks are about.',
      'Novelty: share of features that are near no leaf.',
      ...known
        .filter(({ coverage }) => (coverage.told ?? 0) > MOST_TOLD)
        .map(
          ({ system, project }) =>
            `Warning: the purpose that ${system} was told for ${project} names leaves of the taxonomy; its coverage says little.`,
        ),
      'Taxonomies: RPG-ZeroRepo (published/README.md); that of textkit is ours and made for tests.',
    ],
  };
}

function byMethod(known: readonly Row[]): ReportTable {
  const of = ({ planned, byCode, novelty, noveltyByCode }: Coverage['judged']) => [
    ...[planned ?? byCode, novelty ?? noveltyByCode],
  ];
  return {
    title: 'Coverage by method',
    columns: [
      ...['system', 'project', 'of'].map(text),
      ...['coverage, nearest leaf', 'novelty, nearest leaf', 'coverage, clusters', 'novelty, clusters'].map(rate),
      ...['agreement', 'coverage, judged', 'novelty, judged'].map(rate),
    ],
    rows: known.map(({ system, project, coverage }) => [
      ...[system, project, coverage.planned === null ? 'code' : 'plan'],
      ...[...of(coverage), ...of(coverage.clusters), coverage.clusters.agreement, ...of(coverage.judged)],
    ]),
    notes: [
      'The paper’s method: clusters around the leaves and one outside them, then a judge who moves what is wrong (judge.coverage). Agreement: share of features that the nearest leaf and the clusters put at the same place. Without a judge, or with one that agrees with what is wrong on purpose, the last two columns are empty.',
    ],
  };
}
