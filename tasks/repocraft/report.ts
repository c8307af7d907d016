import type { Json } from '../../src/contract/json.js';
import type { ReportCell, ReportInput, ReportTable, SuiteReport } from '../../src/suite/report.js';
import type { Interval } from '../../src/domain/statistics/statistics.js';
import type { TrialRow } from '../../src/ports/records.js';
import { failureTable } from './failures/failure-table.js';
import { leafTable } from './leaf-table.js';
import { systemMetrics, type ProjectMetrics, type Rate, type SystemMetrics, type TaskRate } from './metrics.js';
import { ownVotes } from './own-votes.js';
import { coverageTables } from './coverage/coverage-tables.js';
import { paperTable } from './published/paper-table.js';
import { readPublished } from './published/published-figures.js';
import { generationSpend, targetTable } from './published/target-table.js';
import { voteSettings } from './settings.js';
import { silencedVotes } from './silenced-votes.js';
import { candidateNotes } from './candidate-notes.js';

/** Columns of the table of rates, in their order. */
const TASK_RATES: readonly TaskRate[] = ['localization', 'voting', 'votingLenient', 'pass'];
const MEAN = 'all, mean of projects';

/** RepoCraft's own figures and tables: rates by project with intervals, candidates, the paper's rows beside ours. */
export async function repocraftReport({ spec, trials, suiteFolder, usage }: ReportInput): Promise<SuiteReport> {
  const goldIds = spec.systems.filter(
    (system) => system.generator === 'gold' && voteSettings(spec, system).voter !== 'oracle',
  );
  const gold = trials.filter((trial) => trial.systemId === goldIds[0]?.id);
  const systems = spec.systems.map(({ id }) =>
    systemMetrics(
      id,
      trials.filter((trial) => trial.systemId === id),
      { gold, seed: spec.seed },
    ),
  );
  const graded = systems.filter(({ overall }) => overall.graded > 0);
  const tables = [
    rateTable(graded, { seed: spec.seed, warnings: [...ownVotes(spec), ...silencedVotes(spec, trials)] }),
    failureTable(systems),
    await leafTable(
      graded.map(({ system }) => system),
      trials,
      suiteFolder,
    ),
    candidateTable(graded, candidateNotes(trials)),
    generationTable(trials),
    ...coverageTables(systems),
    paperTable(graded, await readPublished(suiteFolder)),
    targetTable(graded, generationSpend(spec, trials, usage)),
  ];
  const metrics = Object.fromEntries(systems.map((each) => [each.system, each])) as unknown as Json;
  return { metrics, tables: tables.filter(({ rows }) => rows.length > 0) };
}

function rateTable(
  systems: readonly SystemMetrics[],
  { seed, warnings }: { seed: number; warnings: readonly string[] },
): ReportTable {
  const rows = systems.flatMap(({ system, projects, overall }) => {
    const each = projects.map((project) => [
      ...[system, project.project, project.graded],
      ...TASK_RATES.map((rate) => cell(project[rate])),
      ...[project.coverageVoted, project.coveragePassed].map(cell),
      ...[project.shareOfGold?.vote ?? null, project.shareOfGold?.pass ?? null],
    ]);
    if (projects.length < 2) return each;
    const { macro, bootstrap } = overall;
    const drawn = (value: number | null | undefined, interval: Interval | null): ReportCell =>
      value == null ? null : { value, interval };
    const micro = [
      ...[system, 'all, by task', overall.graded],
      ...TASK_RATES.map((rate) => drawn(overall[rate]?.value, bootstrap[rate].micro)),
      ...[overall.coverageVoted, overall.coveragePassed].map(cell),
      ...[overall.shareOfGold?.vote ?? null, overall.shareOfGold?.pass ?? null],
    ];
    const mean = [
      ...[system, MEAN, overall.graded],
      ...TASK_RATES.map((rate) => drawn(macro[rate], bootstrap[rate].macro)),
      ...[macro.coverageVoted, macro.coveragePassed],
      ...[macro.shareOfGold?.vote ?? null, macro.shareOfGold?.pass ?? null],
    ];
    // Projects differ in size: the mean of projects lets none of them speak for the others.
    return [...each, mean, micro];
  });
  return {
    title: 'Rates by project',
    columns: [
      ...['system', 'project'].map((title) => ({ title, kind: 'text' as const })),
      { title: 'graded', kind: 'count' },
      ...['localized', 'voted', 'voted, partial counted', 'passed', 'coverage voted', 'coverage passed'].map(rate),
      ...['vote, share of gold', 'pass, share of gold'].map(rate),
    ],
    rows,
    notes: [
      'Rates are shares of graded tasks (of a task with repeats the mean over them), coverage is the share of categories with at least one; in brackets 95 % Wilson score intervals over tasks, which repeats do not narrow.',
      `Shares of tasks over all projects: a 95 % bootstrap by task within each project, drawn by the campaign’s seed, ${seed}; the projects are taken as given, since they are too few to draw from.`,
      'Share of gold: relative to the reference itself, searched and voted on like any candidate, in this campaign.',
      ...warnings.map((warning) => `Warning: ${warning}.`),
    ],
  };
}

function candidateTable(systems: readonly SystemMetrics[], unread: readonly string[]): ReportTable {
  const rows = systems.flatMap(({ system, projects, overall }) =>
    withMean(projects, overall).flatMap(({ project, code }) => {
      if (code === null) return [];
      const { files, loc, tokens, functions, stubs } = code;
      return [[system, project, files, loc, tokens, functions, functions === 0 ? null : stubs / functions]];
    }),
  );
  return {
    title: 'Candidates',
    columns: [
      ...['system', 'project'].map((title) => ({ title, kind: 'text' as const })),
      ...['files', 'lines', 'tokens', 'functions'].map((title) => ({ title, kind: 'count' as const })),
      rate('placeholders'),
    ],
    rows,
    notes: [
      'Python only; tests, examples and benchmarks excluded; comments, docstrings and blank lines out; tokens by o200k_base; means over repeats.',
      'Placeholders: functions that only stand for one (pass, NotImplementedError, a constant whatever the arguments are, a dictionary that names the operation).',
      ...unread,
    ],
  };
}

/** What ZeroRepo's own verification says, one row a generation: every trial carries the figures of its candidate. */
function generationTable(trials: readonly TrialRow[]): ReportTable {
  const told = trials.filter(({ metrics }) => metrics.generation_units != null);
  const each = new Map(told.map((trial) => [`${trial.systemId} ${trial.group} ${trial.repeat}`, trial]));
  const counts = [
    ...['features', 'units', 'units_done', 'units_failed', 'units_blocked', 'repair_rounds'],
    ...['stubs', 'unresolved_imports', 'reference_imports', 'mutants', 'mutants_survived'],
    ...['whole_tests', 'whole_tests_passed', 'regressions', 'cut_by_limit', 'edited_by_operator'],
  ];
  return {
    title: 'Generations',
    columns: [
      ...['system', 'project'].map((title) => ({ title, kind: 'text' as const })),
      ...['repeat', ...counts].map((title) => ({ title: title.replaceAll('_', ' '), kind: 'count' as const })),
    ],
    rows: [...each.values()].map(({ systemId, group, repeat, metrics }) => [
      ...[systemId, group, repeat],
      ...counts.map((name) => metrics[`generation_${name}`] ?? null),
    ]),
    notes: [
      'Units: functions and classes of the plan; a blocked one needs one that failed. Stubs: bodies that only stand for one. Mutants: functions changed in one place; survived ones were not noticed by the tests of their unit.',
    ],
  };
}

/** The projects of a system and, where there are several, their mean. */
function withMean(projects: readonly MeanPart[], { code }: Omit<MeanPart, 'project'>): readonly MeanPart[] {
  return projects.length < 2 ? projects : [...projects, { project: MEAN, code }];
}

type MeanPart = Pick<ProjectMetrics, 'project' | 'code'>;

const cell = (value: Rate | null): ReportCell =>
  value === null ? null : { value: value.value, interval: value.interval };
const rate = (title: string) => ({ title, kind: 'rate' as const });
