import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CampaignSpec } from '../../src/contract/campaign.js';
import type { TrialRow } from '../../src/ports/records.js';
import type { ReportCell } from '../../src/suite/report.js';
import { systemSpec } from '../../src/fakes/suite-bench.js';
import { categoryCoverage } from './coverage/category-coverage.js';
import { coverageFigures } from './coverage/coverage-figures.js';
import { countCoverage } from './coverage/place-features.js';
import { BENCHMARK_PROJECTS } from './dataset/project-settings.js';
import { readTaxonomy } from './coverage/taxonomy.js';
import { repocraftMetrics, systemMetrics, taxonomyLeaves, type SystemMetrics } from './metrics.js';
import { readPublished } from './published/published-figures.js';
import { repocraftReport } from './report.js';

const SUITE = import.meta.dirname;

const row = (parts: Partial<TrialRow>): TrialRow =>
  ({ group: 'p', category: 'p.a', repeat: 1, taskId: 't', systemId: 's', metrics: {}, ...parts }) as TrialRow;
const passed = (parts: Partial<TrialRow> = {}) =>
  row({ outcome: 'passed', metrics: { localized: 1, voted: 1, voted_lenient: 1 }, ...parts });
const failed = (metrics: TrialRow['metrics'], parts: Partial<TrialRow> = {}) =>
  row({ outcome: 'failed', metrics, ...parts });

const ROWS = [
  passed(),
  failed({ localized: 1, voted: 0, voted_lenient: 1 }, { taskId: 'u' }),
  failed({ localized: 0, voted: 0, voted_lenient: 0 }, { taskId: 'v', category: 'p.b' }),
  passed({ group: 'q', category: 'q.a', taskId: 'w' }),
  row({ outcome: 'errored' }),
  row({ outcome: null }),
];

describe('rates', () => {
  it('are shares of graded trials only, with Wilson intervals', () => {
    const metrics = repocraftMetrics(ROWS);
    expect(metrics.graded).toBe(4);
    expect(metrics).toMatchObject({
      localization: { value: 0.75 },
      voting: { value: 0.5 },
      votingLenient: { value: 0.75 },
      pass: { hits: 2, total: 4, value: 0.5 },
      coveragePassed: { value: 2 / 3 },
      coverageVoted: { value: 2 / 3 },
    });
    // scipy.stats.binomtest(2, 4).proportion_ci(method='wilson')
    expect(metrics.pass?.interval?.low).toBeCloseTo(0.15003899, 7);
    expect(metrics.pass?.interval?.high).toBeCloseTo(0.84996101, 7);
  });
});

it('five equal repeats say no more than one: intervals are over tasks', () => {
  const once = [passed(), failed({ voted: 0 }, { taskId: 'u' }), failed({ voted: 1 }, { taskId: 'v' })];
  const five = [1, 2, 3, 4, 5].flatMap((repeat) => once.map((trial) => ({ ...trial, repeat })));
  const rates = (rows: TrialRow[]) => {
    const { pass, voting } = repocraftMetrics(rows);
    const { overall } = systemMetrics('s', rows, { gold: [], seed: 7 });
    return [pass, voting].map((rate) => [rate?.value, rate?.interval]).concat([[0, overall.bootstrap.pass.micro]]);
  };
  expect(rates(five)).toEqual(rates(once));
  // A task that passes in two of four repeats counts half.
  const half = [1, 2, 3, 4].map((repeat) => (repeat > 2 ? passed({ repeat }) : failed({}, { repeat })));
  expect(repocraftMetrics([...half, passed({ taskId: 'u' })]).pass).toMatchObject({ value: 0.75, hits: 3, total: 5 });
});

describe('one system', () => {
  const own = systemMetrics('s', ROWS, {
    gold: [passed(), passed({ group: 'q' }), failed({ voted: 1 }, { taskId: 'u' })],
    seed: 7,
  });

  it('has its projects and, over all, means by task and by project', () => {
    expect(own.projects.map(({ project, pass }) => [project, pass?.value])).toEqual([
      ['p', 1 / 3],
      ['q', 1],
    ]);
    expect(own.overall.pass?.value).toBe(0.5);
    expect(own.overall.macro.pass).toBeCloseTo((1 / 3 + 1) / 2, 12);
    expect(own.overall.macro.voting).toBeCloseTo((1 / 3 + 1) / 2, 12);
    expect(own.overall.macro.votingLenient).toBeCloseTo((2 / 3 + 1) / 2, 12);
  });

  it('has an interval by drawing tasks anew within each project, the same for the same seed', () => {
    const again = systemMetrics('s', ROWS, { gold: [], seed: 7 });
    expect(again.overall.bootstrap).toEqual(own.overall.bootstrap);
    // Of p 0 to 3 of 3 tasks pass, q always: by task (0…3 + 1) / 4.
    expect(own.overall.bootstrap.pass.micro).toEqual({ low: 0.25, high: 1 });
    expect(own.overall.bootstrap.pass.macro?.low).toBe(0.5);
  });

  it('has one for every share of tasks, null where there is none', () => {
    const several = (count: number, make: (taskId: string) => TrialRow) =>
      Array.from({ length: count }, (_, index) => make(`t${index}`));
    const rows = [
      ...several(8, (taskId) => failed({ localized: 1, voted: 0, voted_lenient: 1 }, { taskId })),
      ...several(4, (taskId) => passed({ taskId, group: 'q' })),
    ];
    const always = (value: number) => ({ low: value, high: value });
    // Within a project all are alike: drawing anew changes nothing.
    expect(systemMetrics('s', rows, { gold: [], seed: 7 }).overall.bootstrap).toEqual({
      localization: { micro: always(1), macro: always(1) },
      voting: { micro: always(4 / 12), macro: always(1 / 2) },
      votingLenient: { micro: always(1), macro: always(1) },
      pass: { micro: always(4 / 12), macro: always(1 / 2) },
    });
    const unsearched = [...rows, passed({ taskId: 'x', metrics: { localized: null, voted: 1 } })];
    const { bootstrap } = systemMetrics('s', unsearched, { gold: [], seed: 7 }).overall;
    expect(bootstrap.localization).toEqual({ micro: null, macro: null });
    expect(bootstrap.voting.micro).not.toBeNull();
  });

  it('is measured against the reference, graded like any candidate, in the same projects', () => {
    expect(own.projects[0]?.shareOfGold).toEqual({ pass: 1 / 3 / 0.5, vote: 1 / 3 / 1 });
    expect(own.projects[1]?.shareOfGold).toEqual({ pass: 1, vote: 1 });
    // By task 2 of 4 against 2 of 3, and 2 of 4 against 3 of 3; by project 2/3 against (1/2 + 1)/2 and 1.
    expect(own.overall.shareOfGold).toEqual({ pass: 0.5 / (2 / 3), vote: 0.5 });
    expect(own.overall.macro.shareOfGold?.pass).toBeCloseTo(2 / 3 / 0.75, 12);
    expect(own.overall.macro.shareOfGold?.vote).toBeCloseTo(2 / 3, 12);
    expect(systemMetrics('s', ROWS, { gold: [], seed: 7 }).projects[0]?.shareOfGold).toBeNull();
  });

  it('averages the code of its candidates over repeats, then over projects', () => {
    const code = (files: number): TrialRow['metrics'] => ({
      ...{ candidate_files: files, candidate_loc: 10, candidate_tokens: 100 },
      ...{ candidate_functions: 4, candidate_stubs: 1 },
    });
    const rows = [
      passed({ metrics: code(2) }),
      passed({ metrics: code(2), taskId: 'u' }),
      passed({ metrics: code(4), repeat: 2 }),
      passed({ metrics: code(9), group: 'q' }),
      passed({ group: 'r' }),
    ];
    const metrics = systemMetrics('s', rows, { gold: [], seed: 0 });
    expect(metrics.projects.map(({ code: counted }) => counted?.files ?? null)).toEqual([3, 9, null]);
    expect(metrics.overall.code).toEqual({ files: 6, loc: 10, tokens: 100, functions: 4, stubs: 1 });
  });
});

describe('coverage', () => {
  const counts = { taxonomy_leaves: 4, taxonomy_mapped: 1, plan_features: 5, plan_outside: 2, plan_done: 3 };
  const plan = { ...counts, taxonomy_planned: 2, plan_done_outside: 1, plan_clusters_agreement: 0.8 };
  const none = { planned: null, byCode: null, novelty: null, noveltyByCode: null };
  const uncompared = { features: null, agreed: null, share: null, kappa: null };
  const unjudged = { nearestAndJudge: uncompared, clustersAndJudge: uncompared };

  it('counts leaves with a feature, leaves with a feature that passed, of all and of those tasks are about', () => {
    const rows = [
      passed({ metrics: { ...plan, taxonomy_leaf_1: 1 } }),
      passed({ metrics: { ...plan, taxonomy_leaf_1: 1, taxonomy_leaf_3: 0 }, taskId: 'u' }),
      failed({ ...plan, taxonomy_leaf_0: 1 }, { taskId: 'v' }),
    ];
    const rest = { ...none, novelty: 0.4, noveltyMade: 1 / 3, implementedReachable: 1 / 3, told: null };
    // Kept before kappa was.
    const ofPlan = { nearestAndClusters: { features: 5, agreed: 4, share: 0.8, kappa: null }, ...unjudged };
    const agreement = { plan: ofPlan, code: { nearestAndClusters: uncompared, ...unjudged } };
    const others = { clusters: { ...none, agreement: 0.8 }, judged: none, agreement };
    expect(coverageFigures(rows)).toEqual({ ...rest, ...others, planned: 0.5, implemented: 0.25 });
    const again = passed({ metrics: { ...plan, taxonomy_planned: 4, taxonomy_leaf_1: 1 }, repeat: 2 });
    expect(coverageFigures([...rows, again])).toMatchObject({ planned: 0.75, implemented: 0.25, novelty: 0.4 });
  });

  it('of a system without a plan is that of its code, by every method that was used', () => {
    const code = { taxonomy_leaves: 4, taxonomy_mapped: 1, code_covered: 3, code_features: 10, code_outside: 1 };
    const others = { code_clusters_covered: 2, code_clusters_outside: 2, code_judged_covered: 1, purpose_leaves: 2 };
    const rows = [passed({ metrics: { ...code, ...others, taxonomy_leaf_0: 1 } })];
    expect(coverageFigures(rows)).toMatchObject({
      ...{ planned: null, byCode: 0.75, noveltyByCode: 0.1, implemented: 0.25, implementedReachable: 1, told: 0.5 },
      ...{ clusters: { byCode: 0.5, noveltyByCode: 0.2 }, judged: { byCode: 0.25, planned: null } },
    });
  });

  it('has how far the methods agree, of the plan and of the code, on average over repeats and projects', async () => {
    const judged = (of: string, agreed: number, kappa: number | null): TrialRow['metrics'] => ({
      [`${of}_judged_covered`]: 2,
      ...{ [`${of}_judged_answered`]: 4, [`${of}_judged_as_nearest`]: agreed, [`${of}_judged_as_clusters`]: 4 },
      ...(kappa === null ? {} : { [`${of}_judged_as_nearest_kappa`]: kappa }),
    });
    const code = { taxonomy_leaves: 4, code_covered: 3, code_features: 10, code_clusters_agreement: 0.7 };
    const own = { ...code, code_clusters_kappa: 0.5, ...judged('code', 2, 0.25) };
    const metrics = { voted: 1, ...plan, ...own, plan_clusters_kappa: 0.6, ...judged('plan', 3, null) };
    const again = { ...metrics, ...judged('code', 4, 0.75) };
    const rows = [
      ...[passed({ metrics, group: 'requests' }), passed({ metrics: again, group: 'requests', repeat: 2 })],
      passed({ metrics: { voted: 1, ...code }, group: 'textkit' }),
    ];
    const { projects, overall } = systemMetrics('s', rows, { gold: [], seed: 0 });
    expect(projects[0]?.coverage?.agreement).toEqual({
      plan: {
        nearestAndClusters: { features: 5, agreed: 4, share: 0.8, kappa: 0.6 },
        nearestAndJudge: { features: 4, agreed: 3, share: 0.75, kappa: null },
        clustersAndJudge: { features: 4, agreed: 4, share: 1, kappa: null },
      },
      code: {
        nearestAndClusters: { features: 10, agreed: 7, share: 0.7, kappa: 0.5 },
        nearestAndJudge: { features: 4, agreed: 3, share: 0.75, kappa: 0.5 },
        clustersAndJudge: { features: 4, agreed: 4, share: 1, kappa: null },
      },
    });
    expect(overall.coverage?.agreement.code.nearestAndClusters).toMatchObject({ features: 10, share: 0.7, kappa: 0.5 });
    const spec = { systems: [systemSpec({ id: 's', generator: 'zerorepo' })], seed: 1, models: {}, judge: {} };
    const input = { spec: spec as unknown as CampaignSpec, trials: rows, suiteFolder: SUITE, reviews: [] };
    const { tables } = await repocraftReport(input);
    const table = tables.find(({ title }) => title === 'Agreement of the methods');
    expect(table?.columns.map(({ title }) => title)).toEqual([
      ...['system', 'project', 'of', 'methods', 'features', 'agreed', 'share', 'κ'],
    ]);
    expect(table?.rows.filter(([, project]) => project !== 'all, mean of projects')).toEqual([
      ['s', 'requests', 'plan', 'nearest leaf, clusters', 5, 4, 0.8, '0.60'],
      ['s', 'requests', 'plan', 'nearest leaf, judge', 4, 3, 0.75, null],
      ['s', 'requests', 'plan', 'clusters, judge', 4, 4, 1, null],
      ['s', 'requests', 'code', 'nearest leaf, clusters', 10, 7, 0.7, '0.50'],
      ['s', 'requests', 'code', 'nearest leaf, judge', 4, 3, 0.75, '0.50'],
      ['s', 'requests', 'code', 'clusters, judge', 4, 4, 1, null],
      ['s', 'textkit', 'code', 'nearest leaf, clusters', 10, 7, 0.7, null],
    ]);
    // A system with a plan has both rows of figures beside each other.
    const byMethod = tables.find(({ title }) => title === 'Coverage by method');
    expect(byMethod?.rows.map((cells) => cells.slice(1, 3))).toEqual([
      ...[
        ['requests', 'plan'],
        ['requests', 'code'],
        ['textkit', 'code'],
      ],
      ...[
        ['all, mean of projects', 'plan'],
        ['all, mean of projects', 'code'],
      ],
    ]);
    expect(tables.every(({ rows: all, columns }) => all.every((cells) => cells.length === columns.length))).toBe(true);
  });

  it('of one category is of its own leaves: planned, by code, and with a passed task of it, on average over repeats', () => {
    const both = { ...plan, code_covered: 3 };
    const leaves = (one: number, other: number) => ({
      ...{ ...both, taxonomy_leaf_1: one, taxonomy_leaf_3: other, code_leaf_1: 1, code_leaf_3: 1 },
    });
    const rows = [passed({ metrics: leaves(1, 0) }), failed(leaves(1, 0), { taskId: 'u' })];
    expect(categoryCoverage(rows)).toEqual({ leaves: 2, planned: 0.5, byCode: 1, implemented: 0.5 });
    const again = failed(leaves(1, 1), { repeat: 2 });
    expect(categoryCoverage([...rows, again])).toEqual({ leaves: 2, planned: 0.75, byCode: 1, implemented: 0.25 });
    // Without a plan the leaves are those of the code.
    const code = { taxonomy_leaves: 4, code_covered: 3, taxonomy_leaf_1: 1, taxonomy_leaf_3: 0 };
    expect(categoryCoverage([failed(code)])).toEqual({ leaves: 2, planned: null, byCode: 0.5, implemented: 0 });
    const none = { planned: null, byCode: null, implemented: null };
    expect(categoryCoverage([passed({ metrics: plan })])).toEqual({ leaves: 0, ...none });
    expect(categoryCoverage([passed()])).toEqual({ leaves: null, ...none });
  });

  it('has a row for each category, as data and as a table', async () => {
    const metrics = { ...plan, taxonomy_leaf_1: 1, voted: 1 };
    const rows = [
      passed({ metrics, category: 'p.b' }),
      failed({ ...plan, voted: 0 }, { category: 'p.b', taskId: 'u' }),
      failed({ ...plan, taxonomy_leaf_0: 0 }, { category: 'p.a', taskId: 'v' }),
      row({ outcome: 'errored', category: 'p.c', taskId: 'w' }),
    ];
    const [project] = systemMetrics('s', rows, { gold: [], seed: 0 }).projects;
    expect(project?.categories).toMatchObject([
      { category: 'p.a', graded: 1, leaves: 1, planned: 0, byCode: null, implemented: 0, pass: { value: 0 } },
      {
        category: 'p.b',
        graded: 2,
        leaves: 1,
        planned: 1,
        implemented: 1,
        voting: { value: 0.5 },
        pass: { value: 0.5 },
      },
    ]);
    const spec = {
      systems: [systemSpec({ id: 's', generator: 'derived' })],
      seed: 1,
      models: {},
      judge: {},
    } as unknown as CampaignSpec;
    const { tables } = await repocraftReport({ spec, trials: rows, suiteFolder: SUITE, reviews: [] });
    const table = tables.find(({ title }) => title === 'Coverage by category');
    expect(table?.rows.map((cells) => cells.slice(1, 8))).toEqual([
      ['p', 'p.a', 1, 1, 0, null, 0],
      ['p', 'p.b', 2, 1, 1, null, 1],
    ]);
    const { chart, columns } = table!;
    expect([chart!.row, ...chart!.panel, chart!.value].map((place) => columns[place]?.title)).toEqual([
      ...['category', 'system', 'project', 'passed'],
    ]);
  });

  it('says nothing where there is no taxonomy or no map of categories', () => {
    expect(coverageFigures([passed({}), failed({})])).toBeNull();
    const unmapped = { ...plan, taxonomy_mapped: 0, plan_features: 0, plan_outside: 0, taxonomy_planned: 0 };
    expect(coverageFigures([passed({ metrics: unmapped })])).toMatchObject({
      ...{ planned: 0, implemented: null, implementedReachable: null, novelty: null },
    });
  });

  it('counts features and leaves from the leaf each feature was assigned to', () => {
    const features = [1, 1, 3, null, null].map((leaf, index) => ({ leaf, isDone: index !== 1 && index !== 4 }));
    expect(countCoverage(features, 4)).toEqual({
      ...{ leaves: 4, planned: [1, 3], features: 5, outside: 2, done: 3, doneOutside: 1 },
    });
  });

  it('maps categories of the locks to leaves that exist', async () => {
    for (const project of ['requests', 'textkit']) {
      const lock = await readFile(join(SUITE, 'dataset', `${project}.lock.json`), 'utf8');
      const { tasks } = JSON.parse(lock) as { tasks: { category: string }[] };
      const taxonomy = await readTaxonomy(SUITE, project);
      expect(tasks.filter(({ category }) => taxonomy?.leavesOf(category).length === 0)).toEqual([]);
    }
    expect(await readTaxonomy(SUITE, 'nothing')).toBeNull();
  });

  it('has the denominators the paper prints', async () => {
    const folder = join(SUITE, 'published', 'trees');
    const counts: Record<string, number> = {};
    for (const name of await readdir(folder)) {
      const tree: unknown = JSON.parse(await readFile(join(folder, name), 'utf8'));
      counts[name.replace('.json', '')] = taxonomyLeaves(tree).length;
    }
    expect(counts).toEqual({
      ...{ HttpEasy: 22, 'MLKit-Py': 47, TableKit: 76 },
      ...{ SymbolicMath: 48, StatModeler: 88, PyWebEngine: 48 },
    });
  });
});

describe('the report', () => {
  const spec = {
    systems: [
      systemSpec({ id: 'gold', generator: 'gold', vote: { voter: 'heuristic' } }),
      systemSpec({ id: 's', generator: 'snapshot' }),
      systemSpec({ id: 'idle', generator: 'null' }),
    ],
    models: {},
    judge: {},
    seed: 0,
  } as unknown as CampaignSpec;
  const trials = [
    passed({ systemId: 'gold', group: 'requests' }),
    passed({ group: 'requests', metrics: { voted: 1, candidate_files: 3, candidate_functions: 0 } }),
    failed({ voted: 0 }, { group: 'requests', taskId: 'u' }),
    failed({ voted: 0 }, { group: 'textkit', taskId: 'u' }),
    passed({ systemId: 'gold', group: 'textkit', taskId: 'u' }),
  ];
  const tables = async () => (await repocraftReport({ spec, trials, suiteFolder: SUITE, reviews: [] })).tables;

  it('puts the paper’s rows beside ours where it has the project, and says that the tasks differ', async () => {
    const paper = (await tables()).find(({ title }) => title.startsWith('Beside'))!;
    expect(new Set(paper.rows.map(([project]) => project))).toEqual(new Set(['requests']));
    const own = paper.rows.find(([, system]) => system === 's')!;
    expect(own.slice(2)).toMatchObject([
      ...[null, null, { value: 0.5 }, { value: 0.5 }, 0.5, 0.5, null, null, 0.5 - 0.64, 0.5 - 0.72, 3, 0, 0],
    ]);
    const published = paper.rows.find(([, system]) => system === 'ZeroRepo o3-mini †')!;
    expect(published.slice(3, 6)).toEqual([null, 0.64, 0.72]);
    expect(published[6]).toBeCloseTo(0.64 / 0.723, 12);
    expect(published.slice(8)).toEqual([0, null, 0, 0, 109, 6192, null]);
    expect(paper.notes.join(' ')).toContain('task sets differ');
  });

  it('gives every project a line and all of them two, systems without a grade none', async () => {
    const all = await tables();
    const rates = all.find(({ title }) => title.startsWith('Rates'))!;
    const lines = ['requests', 'textkit', 'all, mean of projects', 'all, by task'];
    expect(rates.rows.map((cells) => cells.slice(0, 2))).toEqual(
      ['gold', 's'].flatMap((system) => lines.map((line) => [system, line])),
    );
    expect(all.every(({ rows, columns }) => rows.every((cells) => cells.length === columns.length))).toBe(true);
  });

  it('names the seed that the intervals over all projects are drawn with', async () => {
    const input = { spec: { ...spec, seed: 4711 }, trials, suiteFolder: SUITE, reviews: [] };
    const rates = (await repocraftReport(input)).tables.find(({ title }) => title.startsWith('Rates'))!;
    expect(rates.notes.join(' ')).toContain(
      '95 % bootstrap by task within each project, drawn by the campaign’s seed, 4711;',
    );
  });

  it('says which candidates could not be read in places, or at all, and what tells more', async () => {
    const unread = (unreadable: number, all: number) => ({
      ...{ voted: 0, candidate_files: all, candidate_functions: 0 },
      ...{ candidate_unread_files: unreadable, candidate_python_files: all },
    });
    const of = (system: string, metrics: TrialRow['metrics'], repeat = 1) =>
      ['t', 'u'].map((taskId) =>
        failed(metrics, { campaignId: 'c', systemId: system, group: 'requests', repeat, taskId }),
      );
    const report = await repocraftReport({
      spec,
      trials: [...of('s', unread(3, 6)), ...of('s', unread(0, 6), 2), ...of('idle', unread(1, 0)), ...trials],
      suiteFolder: SUITE,
      reviews: [],
    });
    const { notes = [] } = report.tables.find(({ title }) => title === 'Candidates') ?? {};
    expect(notes.filter((note) => note.includes('could not be read'))).toEqual([
      'c/s/requests/1: 3 of 6 files could not be read: graded on the rest; `durabench show c/s/requests/1` names them.',
      'c/idle/requests/1: could not be read at all: graded as empty; `durabench show c/idle/requests/1` says why.',
    ]);
  });

  it('says which candidates import packages that are not there', async () => {
    const lacking = (count: number): TrialRow['metrics'] => ({ voted: 0, candidate_missing_packages: count });
    const of = (system: string, count: number) =>
      ['t', 'u'].map((taskId) =>
        failed(lacking(count), { campaignId: 'c', systemId: system, group: 'requests', repeat: 1, taskId }),
      );
    const report = await repocraftReport({
      spec,
      trials: [...of('s', 1), ...of('idle', 2), ...trials],
      suiteFolder: SUITE,
      reviews: [],
    });
    const { notes = [] } = report.tables.find(({ title }) => title === 'Candidates') ?? {};
    expect(notes.filter((note) => note.includes('package'))).toEqual([
      'c/s/requests/1: imports a package that candidates for requests do not have: what needs it fails; `durabench show c/s/requests/1` names it.',
      'c/idle/requests/1: imports 2 packages that candidates for requests do not have: what needs them fails; `durabench show c/idle/requests/1` names them.',
    ]);
  });

  it('counts the leaves of the published taxonomy that tasks stand for and passed', async () => {
    const rows = [
      passed({ group: 'requests', category: 'requests.cookies' }),
      failed({}, { group: 'requests', category: 'requests.auth', taskId: 'u' }),
      passed({ group: 'textkit', category: 'textkit.measures', taskId: 'v' }),
    ];
    const report = await repocraftReport({ spec, trials: rows, suiteFolder: SUITE, reviews: [] });
    const leaves = report.tables.find(({ title }) => title.startsWith('Leaves'))!;
    expect(leaves.rows).toEqual([
      ['s', 'requests', 22, 2, 1, 0.5],
      ['s', 'textkit', 5, 1, 1, 1],
    ]);
  });

  describe('counts failed trials by class', () => {
    const errored = (blame: string) => row({ outcome: 'errored', blame, group: 'requests' });
    const ofClass = (name: string, group = 'requests') => failed({ [`class.${name}`]: 1 }, { group });
    const counted = async (rows: TrialRow[]) => {
      const report = await repocraftReport({ spec, trials: rows, suiteFolder: SUITE, reviews: [] });
      const metrics = report.metrics as unknown as Record<string, SystemMetrics>;
      return { table: report.tables.find(({ title }) => title === 'Failure classes'), metrics };
    };

    it('by system and project, all projects together, errors that are not theirs apart', async () => {
      const refined = ['logic', 'logic', 'api-mismatch', 'missing-package', 'performance'].map((name) =>
        ofClass(`generation.${name}`),
      );
      const ends = ['planning', 'localization', 'validation', 'validation', 'generation', 'adaptation', 'execution'];
      const { table, metrics } = await counted([
        ...[passed({ systemId: 'gold', group: 'requests' }), passed({ group: 'requests' })],
        ...[...ends.map((name) => ofClass(name)), ...refined, ofClass('planning', 'textkit')],
        ...[errored('infrastructure'), errored('infrastructure'), errored('harness'), errored('task')],
        row({ outcome: 'not_run', blame: 'budget', group: 'requests' }),
      ]);
      expect(table?.columns.map(({ title }) => title)).toEqual([
        ...['system', 'project', 'failed', 'planning', 'localization', 'validation', 'generation'],
        'of it missing-package',
        ...['of it api-mismatch', 'of it logic', 'of it performance', 'adaptation', 'execution', 'untold'],
        ...['errored: infrastructure', 'errored: harness'],
      ]);
      expect(table?.rows).toEqual([
        ['s', 'requests', 12, 1, 1, 2, 6, 1, 1, 2, 1, 1, 1, 0, 2, 1],
        ['s', 'textkit', 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ['s', 'all, by task', 13, 2, 1, 2, 6, 1, 1, 2, 1, 1, 1, 0, 2, 1],
      ]);
      expect(metrics.s?.overall.failures).toMatchObject({
        ...{ failed: 13, classes: { planning: 2, generation: 6, 'generation.logic': 2 }, untold: 0 },
        errored: { infrastructure: 2, harness: 1 },
      });
      expect(metrics.gold?.overall.failures).toMatchObject({ failed: 0, classes: { planning: 0 } });
    });

    it('says nothing of trials graded before their class was told, but that they failed', async () => {
      const { table } = await counted([failed({ voted: 0 }, { group: 'requests' }), ofClass('planning', 'textkit')]);
      expect(table?.rows).toEqual([
        ['s', 'requests', 1, ...Array<null>(10).fill(null), 1, 0, 0],
        ['s', 'textkit', 1, 1, ...Array<number>(9).fill(0), 0, 0, 0],
        ['s', 'all, by task', 2, 1, ...Array<number>(9).fill(0), 1, 0, 0],
      ]);
    });

    it('has no table where nothing failed', async () => {
      expect((await counted([passed({ group: 'requests' })])).table).toBeUndefined();
    });
  });

  it('warns of a purpose that names more than a tenth of the leaves, as a paraphrase service may', async () => {
    const warned = async (named: number): Promise<string[]> => {
      const metrics = { voted: 1, taxonomy_leaves: 20, code_covered: 3, code_features: 9, purpose_leaves: named };
      const told = [passed({ group: 'requests', metrics })];
      const report = await repocraftReport({ spec, trials: told, suiteFolder: SUITE, reviews: [] });
      const { notes = [] } = report.tables.find(({ title }) => title === 'Coverage and novelty') ?? {};
      return notes.filter((note) => note.startsWith('Warning'));
    };
    expect(await warned(2)).toEqual([]);
    expect(await warned(3)).toEqual([
      'Warning: the purpose that s was told for requests names leaves of the taxonomy; its coverage says little.',
    ]);
  });

  it('puts systems that asked a model beside the targets, with what a generation took', async () => {
    const call = { group: 'requests', stage: 'generate', tokens: 4_000_000, costMicroUsd: 60_000_000 };
    const calls = [
      { ...call, systemId: 's' },
      { ...call, systemId: 's', stage: 'vote' },
    ] as never;
    const report = await repocraftReport({ spec, trials, suiteFolder: SUITE, reviews: [], usage: { calls } });
    const targets = report.tables.find(({ title }) => title === 'Beside the targets')!;
    // Two candidates: of requests and of textkit.
    expect(targets.rows.map(([system, ...cells]) => [system, ...cells.slice(8)])).toEqual([
      ['s', 2_000_000, -3_000_000, 30, -20],
    ]);
    expect(targets.rows.every((cells) => cells.length === targets.columns.length)).toBe(true);
  });

  it('compares with the targets and the paper by means of projects, as coverage and lines are', async () => {
    const uneven = [
      ...BENCHMARK_PROJECTS.map((group) => passed({ group })),
      ...['u', 'v'].map((taskId) =>
        failed({ localized: 0, voted: 0, voted_lenient: 0 }, { group: 'requests', taskId }),
      ),
    ];
    const calls = [{ systemId: 's', group: 'requests', stage: 'generate', tokens: 1, costMicroUsd: 1 }] as never;
    const report = await repocraftReport({ spec, trials: uneven, suiteFolder: SUITE, reviews: [], usage: { calls } });
    const mean = (1 / 3 + 5) / 6; // by task 6 of 8
    const rowOf = (title: string, is: (cells: ReportCell[]) => boolean): ReportCell[] | undefined =>
      report.tables.find((table) => table.title === title)?.rows.find(is);
    expect(rowOf('Beside the targets', () => true)?.[3]).toBeCloseTo(mean, 12);
    const beside = rowOf('Beside the paper’s rows', ([project, system]) => project === 'all' && system === 's');
    expect((beside?.[4] as { value: number }).value).toBeCloseTo(mean, 12);
  });

  it('copies the paper’s figures as printed', async () => {
    const { overall, projects } = await readPublished(SUITE);
    expect(overall.find(({ system }) => system === 'ZeroRepo o3-mini')).toMatchObject({ vote: 0.75, files: 271.5 });
    expect(projects.get('django')?.find(({ system }) => system === 'gold')).toMatchObject({ pass: 0.816, files: null });
    expect(projects.size).toBe(6);
  });
});
