import { stratifiedBootstrap } from '../../src/domain/statistics/bootstrap.js';
import { wilsonInterval, type Interval } from '../../src/domain/statistics/statistics.js';
import type { TrialRow } from '../../src/ports/records.js';
import { categoryCoverage, type CategoryCoverage } from './coverage/category-coverage.js';
import { coverageFigures, meanCoverage, type Coverage } from './coverage/coverage-figures.js';
import { failureCounts, type FailureCounts } from './failures/failure-counts.js';
import type { CodeStats } from './results.js';

/**
 * A share with its 95 % Wilson score interval. Of trials it is the mean over tasks of their share over repeats, and the interval
 * counts tasks: repeats of a task say more of that task, and nothing of others, so they narrow nothing.
 */
export interface Rate {
  /** Trials, or categories. */
  hits: number;
  total: number;
  value: number;
  interval: Interval | null;
}

/** Shares of one system's trials: graded ones only (passed + failed). A rate is null when there is nothing to count. */
export interface RepocraftRates {
  graded: number;
  /** Tasks with a match above the floor, of the trials that were searched; null where the oracle skipped the search. */
  localization: Rate | null;
  /** Tasks accepted by a strict vote (majority YES). */
  voting: Rate | null;
  /** Tasks with a majority of YES or PARTIAL on some match. */
  votingLenient: Rate | null;
  /** Tasks passed; passed ⊆ voted. */
  pass: Rate | null;
  /** Categories, each within its project, with at least one passed task. */
  coveragePassed: Rate | null;
  /** Categories with at least one accepted task. */
  coverageVoted: Rate | null;
}

/** Pass and vote rate as a share of those of the reference, searched and voted on like any candidate (gold/end-to-end). */
interface ShareOfGold {
  pass: number | null;
  vote: number | null;
}

/** One system in one category of a project's tasks. */
interface CategoryMetrics extends CategoryCoverage, Pick<RepocraftRates, 'graded' | 'voting' | 'pass'> {
  category: string;
}

/** One system on one project. */
export interface ProjectMetrics extends RepocraftRates {
  project: string;
  /** Those of its graded tasks, by name. */
  categories: CategoryMetrics[];
  failures: FailureCounts;
  /** Of its candidates, on average over repeats; null where no candidate was counted. */
  code: CodeStats | null;
  /** Null without a taxonomy of the project, or where nothing was placed in it. */
  coverage: Coverage | null;
  shareOfGold: ShareOfGold | null;
}

/** One system over all its projects. */
interface OverallMetrics extends RepocraftRates {
  /** Plain means over the projects; the micro rates beside them count every task once. */
  macro: Record<TaskRate | 'coveragePassed' | 'coverageVoted', number | null> & { shareOfGold: ShareOfGold | null };
  /**
   * 95 % percentile intervals of a bootstrap by task within each project. The projects are taken as given: six are too few
   * for one by project to be trusted. Null where a rate is.
   */
  bootstrap: Record<TaskRate, { micro: Interval | null; macro: Interval | null }>;
  failures: FailureCounts;
  /** Plain mean over projects, as the paper averages. */
  code: CodeStats | null;
  /** Plain mean over the projects that have it. */
  coverage: Coverage | null;
  shareOfGold: ShareOfGold | null;
}

/** The rates that count tasks; coverage counts categories. */
export type TaskRate = 'localization' | 'voting' | 'votingLenient' | 'pass';

/** Everything of repocraft.md's table that trial rows tell about one system. */
export interface SystemMetrics {
  system: string;
  projects: ProjectMetrics[];
  overall: OverallMetrics;
}

/** The metrics of one system. `gold` are trials of the reference searched and voted on like any candidate; empty without such a system. */
export function systemMetrics(
  system: string,
  trials: readonly TrialRow[],
  context: { gold: readonly TrialRow[]; seed: number },
): SystemMetrics {
  const names = [...new Set(trials.map((trial) => trial.group))].sort();
  const projects = names.map((project) => {
    const own = inProject(trials, project);
    const rates = repocraftMetrics(own);
    const beside = shareOfGold(rates, inProject(context.gold, project));
    const [code, reached] = [codeOf(own), coverageFigures(own)];
    const categories = categoriesOf(own);
    return {
      project,
      ...rates,
      categories,
      failures: failureCounts(own),
      code,
      coverage: reached,
      shareOfGold: beside,
    };
  });
  const rates = repocraftMetrics(trials);
  const gold = context.gold.filter((trial) => names.includes(trial.group));
  const macro = macroOf(projects);
  const macroOfGold = macroOf(names.map((project) => repocraftMetrics(inProject(gold, project))));
  const overall: OverallMetrics = {
    ...rates,
    macro: { ...macro, shareOfGold: gold.length === 0 ? null : ratios(macro, macroOfGold) },
    bootstrap: bootstrapOf(trials, names, context.seed),
    failures: failureCounts(trials),
    code: meanCode(projects.flatMap(({ code }) => code ?? [])),
    coverage: meanCoverage(projects.flatMap((project) => project.coverage ?? [])),
    shareOfGold: shareOfGold(rates, gold),
  };
  return { system, projects, overall };
}

/** The rates of a set of trials. */
export function repocraftMetrics(trials: readonly TrialRow[]): RepocraftRates {
  const graded = trials.filter((trial) => trial.outcome === 'passed' || trial.outcome === 'failed');
  const searched = graded.filter((trial) => trial.metrics.localized != null);
  return {
    graded: graded.length,
    localization: share(searched, (trial) => trial.metrics.localized === 1),
    voting: share(graded, isVoted),
    votingLenient: share(graded, (trial) => trial.metrics.voted_lenient === 1),
    pass: share(graded, isPassed),
    coveragePassed: coverage(graded, isPassed),
    coverageVoted: coverage(graded, isVoted),
  };
}

/** What is planned counts, whether or not a trial was graded; rates and what is implemented are of graded ones. */
function categoriesOf(trials: readonly TrialRow[]): CategoryMetrics[] {
  const named = trials.filter(({ category }) => category !== null);
  const each = [...groups(named, ({ category }) => category ?? '')].sort(([one], [other]) => (one < other ? -1 : 1));
  return each.flatMap(([category, own]) => {
    const { graded, voting, pass } = repocraftMetrics(own);
    return graded === 0 ? [] : [{ category, graded, voting, pass, ...categoryCoverage(own) }];
  });
}

/** Leaves of a published tree: a string, or the key of an empty object or list; names count once, the wrapper's key does not. */
export function taxonomyLeaves(tree: unknown): string[] {
  const leaves = new Set<string>();
  const walk = (node: unknown): void => {
    if (typeof node === 'string') leaves.add(node);
    else if (Array.isArray(node)) node.forEach(walk);
    else if (node !== null && typeof node === 'object')
      for (const [name, below] of Object.entries(node) as [string, unknown][]) {
        if (below !== null && typeof below === 'object' && Object.keys(below).length > 0) walk(below);
        else leaves.add(name);
      }
  };
  const wrapped: unknown[] = tree !== null && typeof tree === 'object' ? Object.values(tree) : [];
  walk(wrapped.length === 1 ? wrapped[0] : tree);
  return [...leaves];
}

const isPassed = (trial: TrialRow): boolean => trial.outcome === 'passed';
const isVoted = (trial: TrialRow): boolean => trial.metrics.voted === 1;
const inProject = (trials: readonly TrialRow[], project: string): TrialRow[] =>
  trials.filter((trial) => trial.group === project);

function share(trials: readonly TrialRow[], has: (trial: TrialRow) => boolean): Rate | null {
  if (trials.length === 0) return null;
  const tasks = [...groups(trials, ({ group, taskId }) => `${group}/${taskId}`).values()];
  const reached = tasks.reduce((sum, repeats) => sum + repeats.filter(has).length / repeats.length, 0);
  const interval = wilsonInterval(reached, tasks.length);
  return { hits: trials.filter(has).length, total: trials.length, value: reached / tasks.length, interval };
}

/** Over the categories of the graded trials, each within its project. */
function coverage(trials: readonly TrialRow[], has: (trial: TrialRow) => boolean): Rate | null {
  const categories = groups(trials, (trial) => `${trial.group}/${trial.category ?? ''}`);
  const [hits, total] = [[...categories.values()].filter((group) => group.some(has)).length, categories.size];
  return total === 0 ? null : { hits, total, value: hits / total, interval: wilsonInterval(hits, total) };
}

function groups(trials: readonly TrialRow[], key: (trial: TrialRow) => string): Map<string, TrialRow[]> {
  const found = new Map<string, TrialRow[]>();
  for (const trial of trials) {
    const group = found.get(key(trial));
    if (group === undefined) found.set(key(trial), [trial]);
    else group.push(trial);
  }
  return found;
}

function macroOf(projects: readonly RepocraftRates[]): Omit<OverallMetrics['macro'], 'shareOfGold'> {
  const over = (of: (project: RepocraftRates) => Rate | null): number | null =>
    mean(projects.flatMap((project) => of(project)?.value ?? []));
  return {
    localization: over((project) => project.localization),
    voting: over((project) => project.voting),
    votingLenient: over((project) => project.votingLenient),
    pass: over((project) => project.pass),
    coveragePassed: over((project) => project.coveragePassed),
    coverageVoted: over((project) => project.coverageVoted),
  };
}

/** What a rate counts of a trial; null: it says nothing of it. */
const COUNTED: Record<TaskRate, (trial: TrialRow) => boolean | null> = {
  localization: ({ metrics }) => (metrics.localized == null ? null : metrics.localized === 1),
  voting: isVoted,
  votingLenient: ({ metrics }) => metrics.voted_lenient === 1,
  pass: isPassed,
};

/** A task's score is its mean over repeats. */
function bootstrapOf(
  trials: readonly TrialRow[],
  projects: readonly string[],
  seed: number,
): OverallMetrics['bootstrap'] {
  const graded = trials.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed');
  const strata = projects.map((project) => [...groups(inProject(graded, project), ({ taskId }) => taskId).values()]);
  const full = strata.filter((tasks) => tasks.length > 0);
  const score = (of: (trial: TrialRow) => boolean | null, repeats: TrialRow[]): number =>
    repeats.filter((trial) => of(trial) === true).length / repeats.length;
  const rates = (Object.keys(COUNTED) as TaskRate[]).filter((rate) =>
    graded.every((trial) => COUNTED[rate](trial) !== null),
  );
  const measures = Object.fromEntries(
    rates.map((rate) => [rate, full.map((tasks) => tasks.map((repeats) => score(COUNTED[rate], repeats)))]),
  );
  type Means = readonly { mean: number; size: number }[];
  const micro = (means: Means): number =>
    means.reduce((sum, each) => sum + each.mean * each.size, 0) / means.reduce((sum, { size }) => sum + size, 0);
  const macro = (means: Means): number => means.reduce((sum, each) => sum + each.mean, 0) / means.length;
  const none = { micro: null, macro: null };
  return {
    ...{ localization: none, voting: none, votingLenient: none, pass: none },
    ...stratifiedBootstrap(measures, { micro, macro }, seed),
  };
}

function shareOfGold(rates: RepocraftRates, gold: readonly TrialRow[]): ShareOfGold | null {
  const reference = repocraftMetrics(gold);
  const values = ({ pass, voting }: RepocraftRates) => ({ pass: pass?.value ?? null, voting: voting?.value ?? null });
  return reference.graded === 0 ? null : ratios(values(rates), values(reference));
}

type Reached = Record<'pass' | 'voting', number | null>;

function ratios(own: Reached, gold: Reached): ShareOfGold {
  const of = (rate: keyof Reached): number | null => {
    const [mine, theirs] = [own[rate], gold[rate]];
    return mine === null || theirs === null || theirs === 0 ? null : mine / theirs;
  };
  return { pass: of('pass'), vote: of('voting') };
}

/** Every trial carries the figures of its candidate; one trial a repeat speaks for it. */
function codeOf(trials: readonly TrialRow[]): CodeStats | null {
  const counted = trials.filter((trial) => trial.metrics.candidate_files != null);
  const each = [...groups(counted, (trial) => String(trial.repeat)).values()].flatMap(([first]) => first ?? []);
  return meanCode(
    each.map(({ metrics }) => ({
      files: metrics.candidate_files ?? 0,
      loc: metrics.candidate_loc ?? 0,
      tokens: metrics.candidate_tokens ?? 0,
      functions: metrics.candidate_functions ?? 0,
      stubs: metrics.candidate_stubs ?? 0,
    })),
  );
}

function meanCode(all: readonly CodeStats[]): CodeStats | null {
  const over = (of: (code: CodeStats) => number): number => mean(all.map(of)) ?? 0;
  return all.length === 0
    ? null
    : {
        files: over((code) => code.files),
        loc: over((code) => code.loc),
        tokens: over((code) => code.tokens),
        functions: over((code) => code.functions),
        stubs: over((code) => code.stubs),
      };
}

const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
