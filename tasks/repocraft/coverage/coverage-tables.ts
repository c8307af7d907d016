import type { ReportCell, ReportTable } from '../../../src/suite/report.js';
import type { SystemMetrics } from '../metrics.js';
import type { Coverage, MethodPair } from './coverage-figures.js';

/** Share of the leaves that a purpose may name. */
const MOST_TOLD = 0.1;

const rate = (title: string): ReportTable['columns'][number] => ({ title, kind: 'rate' });
const text = (title: string): ReportTable['columns'][number] => ({ title, kind: 'text' });
const count = (title: string): ReportTable['columns'][number] => ({ title, kind: 'count' });

/** Where plans and candidates lie in the taxonomies, and how far the ways to tell agree. */
export function coverageTables(systems: readonly SystemMetrics[]): ReportTable[] {
  const known = systems.flatMap(({ system, projects, overall }) =>
    [...projects, ...(projects.length < 2 ? [] : [{ ...overall, project: 'all, mean of projects' }])].flatMap(
      ({ project, coverage }) => (coverage === null ? [] : [{ system, project, coverage }]),
    ),
  );
  return [headline(known), byCategory(systems), byMethod(known), agreementTable(known)];
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

/** What the coverage of a project is made of. */
function byCategory(systems: readonly SystemMetrics[]): ReportTable {
  const rows = systems.flatMap(({ system, projects }) =>
    projects.flatMap(({ project, categories }) =>
      categories.map(({ category, graded, voting, pass, leaves, planned, byCode, implemented }) => [
        ...[system, project, category, graded, leaves, planned, byCode, implemented],
        ...[voting, pass].map((each) => each && { value: each.value, interval: each.interval }),
      ]),
    ),
  );
  return {
    title: 'Coverage by category',
    columns: [
      ...['system', 'project', 'category'].map(text),
      ...['graded', 'leaves'].map(count),
      ...['leaves planned', 'leaves by code', 'leaves implemented', 'voted', 'passed'].map(rate),
    ],
    rows,
    notes: [
      'A category is the module that a task is harvested from. Leaves: those of the taxonomy that it stands for (coverage/categories.json), and the shares of them with a planned feature, with a public definition of the candidate, and with a feature and a passed task of this category. A leaf may belong to several categories, and some categories have none. Voted and passed: shares of graded tasks.',
    ],
    chart: { title: 'Passed by category', row: 2, panel: [0, 1], value: 9 },
  };
}

function byMethod(known: readonly Row[]): ReportTable {
  const ofPlan = ({ planned, novelty }: Coverage['judged']) => [planned, novelty];
  const ofCode = ({ byCode, noveltyByCode }: Coverage['judged']) => [byCode, noveltyByCode];
  return {
    title: 'Coverage by method',
    columns: [
      ...['system', 'project', 'of'].map(text),
      ...['coverage, nearest leaf', 'novelty, nearest leaf', 'coverage, clusters', 'novelty, clusters'].map(rate),
      ...['coverage, judged', 'novelty, judged'].map(rate),
    ],
    rows: known.flatMap(({ system, project, coverage }) => {
      const { clusters, judged } = coverage;
      const row = (of: string, figures: typeof ofPlan) => [
        ...[system, project, of, ...figures(coverage), ...figures(clusters), ...figures(judged)],
      ];
      return [
        ...(coverage.planned === null ? [] : [row('plan', ofPlan)]),
        ...(coverage.byCode === null ? [] : [row('code', ofCode)]),
      ];
    }),
    notes: [
      'The paper’s method: clusters around the leaves and one outside them, then a judge who moves what is wrong (judge.coverage). Without a judge, or with one that agrees with what is wrong on purpose, the last two columns are empty.',
    ],
  };
}

/** The methods two by two, as they stand in the table. */
const PAIRS: Readonly<Record<MethodPair, string>> = {
  nearestAndClusters: 'nearest leaf, clusters',
  nearestAndJudge: 'nearest leaf, judge',
  clustersAndJudge: 'clusters, judge',
};

/** How far the methods put features at the same place. */
function agreementTable(known: readonly Row[]): ReportTable {
  const rows = known.flatMap(({ system, project, coverage }) =>
    (['plan', 'code'] as const).flatMap((of) =>
      (Object.keys(PAIRS) as MethodPair[]).flatMap((pair): ReportCell[][] => {
        const { features, agreed, share, kappa } = coverage.agreement[of][pair];
        if (features === null) return [];
        return [[system, project, of, PAIRS[pair], features, agreed, share, kappa === null ? null : kappa.toFixed(2)]];
      }),
    ),
  );
  return {
    title: 'Agreement of the methods',
    columns: [
      ...['system', 'project', 'of', 'methods'].map(text),
      ...[...['features', 'agreed'].map(count), rate('share'), text('κ')],
    ],
    rows,
    notes: [
      'Features that both methods placed, and those that both put at the same leaf, or both outside. κ: Cohen’s, over leaves and outside; none where every feature lies at one place by both. Means over repeats. What the judge said nothing of is left out: it stays where the clusters put it.',
    ],
  };
}
