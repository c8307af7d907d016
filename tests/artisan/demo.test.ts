import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { readEnvironment } from '../../src/config/env.js';
import type { StatusReport } from '../../src/contract/status.js';
import type { ModelRules } from '../../src/fakes/model-rules.js';
import { readRulesFile } from '../../src/fakes/rules-file.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import type { FullReport } from '../../src/report/full-report.js';
import type { Finding } from '../../src/suite/report.js';
import { STATUSES } from '../../tasks/artisan/judge/verdict.js';
import type { CampaignFigures } from '../../tasks/artisan/report/artisan-report.js';
import type { SystemFigures } from '../../tasks/artisan/report/system-figures.js';
import { expectedFailures, expectedMeans, expectedResults } from '../fixtures/artisan/demo-figures.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';

// The demo of Artisan-Bench as a user runs it: real server, database, worker and containers, the scripted model for a provider.

const DEMO = join(PACKAGE_ROOT, 'examples', 'artisan-demo');

let project: CliProject;
let server: ScriptedModelServer;
let rules: ModelRules;
let campaign: string;
/** Of the campaign, before a person says anything of it. */
let report: Reported;

beforeAll(async () => {
  await ensureImages(readEnvironment().cacheDir, 'base', 'artisan-python');
  const read = readRulesFile(join(DEMO, 'rules.yaml'));
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  ({ rules } = read);
  server = await startScriptedModelServer(read);
  project = await createCliProject();
  await project.json(['up']);
  const fetched = await project.durabench(
    ...['dataset', 'fetch', 'artisan', '--project', 'employment,ozone,silicon,silver'],
  );
  expect(fetched.code, fetched.stderr).toBe(0);
  for (const ended of [1, 2, 3, 4])
    expect(fetched.stderr).toMatch(new RegExp(`tables? (is|are) there; \\[[#.]+\\] ${ended} of 4\n`));
  const demo = parse(await readFile(join(DEMO, 'campaign.yaml'), 'utf8')) as {
    models: Record<string, object>;
  };
  for (const model of Object.values(demo.models)) Object.assign(model, { base_url: server.url, rules: undefined });
  await writeFile(join(project.folder, 'demo.yaml'), stringify(demo));
  campaign = await ran('demo.yaml');
  report = await reported();
});

afterAll(async () => {
  await project?.close();
  await server?.close();
});

const EXPECTED = {
  reference: '8 of 8',
  null: '0 of 8',
  copy: '0 of 8',
  asked: '2 of 8',
  agent: '8 of 8',
  copier: '0 of 8',
  stubborn: '0 of 8',
};

/** Each paper with its hidden cells and the rows that have any. */
const PAPERS: readonly [paper: string, cells: number, rows: number][] = [
  ['employment', 39, 15],
  ['ozone', 10, 4],
  ['silicon', 8, 4],
  ['silver', 8, 4],
];

type Right = readonly [cells: number, rows: number, tables: number];

/**
 * Of each table: the hidden cells of which an agent may be told (all but a fifth, and but two, or one of two); whether a result file
 * has it; turns and submissions of the agent, where it takes more than four and one.
 */
const MADE: Record<string, { confirmable: number; isFound: boolean; agent?: [turns: number, submissions: number] }> = {
  'employment-errors': { confirmable: 22, isFound: false, agent: [6, 2] },
  'employment-fit': { confirmable: 8, isFound: false },
  'ozone-anova': { confirmable: 4, isFound: false },
  'ozone-coefficients': { confirmable: 2, isFound: false },
  'silicon-anova': { confirmable: 4, isFound: true },
  'silicon-fit': { confirmable: 1, isFound: true },
  'silver-anova': { confirmable: 4, isFound: true },
  'silver-fit': { confirmable: 1, isFound: true },
};

/** Prompts and answers are the same in every run, and so are these: 1.10 and 4.40 dollars a million tokens. */
const ASKED_MICRO_USD = {
  ...{ 'employment-errors': 3762, 'employment-fit': 3958, 'ozone-anova': 1758, 'ozone-coefficients': 1698 },
  ...{ 'silicon-anova': 1637, 'silicon-fit': 1956, 'silver-anova': 2271, 'silver-fit': 2453 },
};
const STUBBORN_MICRO_USD = {
  ...{ 'employment-errors': 6083, 'employment-fit': 5793, 'ozone-anova': 4137, 'ozone-coefficients': 4001 },
  ...{ 'silicon-anova': 3917, 'silicon-fit': 3609, 'silver-anova': 4147, 'silver-fit': 3839 },
};

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

type Reported = Omit<FullReport, 'suite_metrics' | 'suite_figures'> & {
  suite_metrics: Record<string, SystemFigures>;
  suite_figures: CampaignFigures;
};

/** Runs a campaign to its end. @returns its id */
async function ran(file: string): Promise<string> {
  const { stdout, stderr, code } = await project.durabench('run', file, '--json');
  expect(code, stderr).toBe(0);
  return (JSON.parse(stdout.split('\n')[0] ?? '{}') as { campaign_id: string }).campaign_id;
}

async function reported(): Promise<Reported> {
  const { stdout, stderr, code } = await project.durabench('report', campaign, '--format', 'json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Reported;
}

async function passed(): Promise<Record<string, string>> {
  const { systems } = await project.json<StatusReport>(['status', campaign]);
  return Object.fromEntries(systems.map((system) => [system.id, `${system.passed} of ${system.trials}`]));
}

test('its table is the one its file names', async () => {
  expect(await passed()).toEqual(EXPECTED);
  expect(await readFile(join(DEMO, 'campaign.yaml'), 'utf8')).toMatch(
    /reference 8 of 8, null 0 of 8, copy 0 of 8 .*asked 2 of 8[^]*agent 8 of 8/,
  );
});

test('every status but last-mile is in its report, and no trial is without a grade', () => {
  const counts = Object.fromEntries(
    Object.entries(report.suite_metrics).map(([system, own]) => [
      system,
      Object.fromEntries((['graded', 'unproven', ...STATUSES] as const).map((end) => [end, own[end]])),
    ]),
  );
  const none = { graded: 8, unproven: 0, full: 0, 'last-mile': 0, copied: 0, mismatch: 0, runtime: 0, static: 0 };
  expect(counts).toEqual({
    reference: { ...none, full: 8 },
    null: { ...none, static: 8 },
    copy: { ...none, copied: 8 },
    asked: { ...none, full: 2, copied: 1, mismatch: 2, runtime: 1, static: 2 },
    agent: { ...none, full: 8 },
    copier: { ...none, copied: 4, runtime: 4 },
    stubborn: { ...none, runtime: 8 },
  });
});

test('cells, rows, tables and papers that are right are those that its scripts compute or copy', () => {
  const systems = Object.entries(report.suite_metrics);
  /** Of each paper: right cells, rows and tables, and how many of its two tables passed. */
  const outcome = (
    of: [employment: Right, ozone: Right, silicon: Right, silver: Right],
    tablesPassed = [0, 0, 0, 0],
  ) => {
    const papers = of.map(([cells, rows, tables], index) => {
      const passed = tablesPassed[index] ?? 0;
      const [, all = 0, allRows = 0] = PAPERS[index] ?? [];
      return {
        ...{ graded: 2, cells: { right: cells, of: all }, rows: { right: rows, of: allRows } },
        ...{ tables: { right: tables, passed, of: 2 }, right: tables === 2, passed: passed === 2 },
      };
    });
    return Object.fromEntries(PAPERS.map(([paper], index) => [paper, papers[index]]));
  };
  const no: Right = [0, 0, 0];
  const employment: Right = [39, 15, 2];
  const ozone: Right = [10, 4, 2];
  const silicon: Right = [8, 4, 2];
  const silver: Right = [8, 4, 2];
  const papers = Object.fromEntries(systems.map(([system, own]) => [system, own.papers]));
  expect(papers).toEqual({
    reference: outcome([employment, ozone, silicon, silver], [2, 2, 2, 2]),
    null: outcome([no, no, no, no]),
    copy: outcome([employment, ozone, silicon, silver]),
    // The errors of employment, one cell of silicon, and both tables of silver, of which one is copied.
    asked: outcome([[28, 4, 1], no, [1, 1, 0], silver], [1, 0, 0, 1]),
    agent: outcome([employment, ozone, silicon, silver], [2, 2, 2, 2]),
    // It finds the tables of silicon and silver in result files.
    copier: outcome([no, no, silicon, silver]),
    stubborn: outcome([no, no, no, no]),
  });
  type Passed = { right: number; passed: number };
  const sum = (cells: number, rows: number, tables: Passed, of: Passed) => ({
    ...{ cells: { right: cells, of: 65 }, rows: { right: rows, of: 27 } },
    ...{ tables: { ...tables, of: 8 }, papers: { ...of, of: 4 } },
  });
  expect(Object.fromEntries(systems.map(([system, own]) => [system, own.right]))).toEqual({
    reference: sum(65, 27, { right: 8, passed: 8 }, { right: 4, passed: 4 }),
    null: sum(0, 0, { right: 0, passed: 0 }, { right: 0, passed: 0 }),
    copy: sum(65, 27, { right: 8, passed: 0 }, { right: 4, passed: 0 }),
    asked: sum(37, 9, { right: 3, passed: 2 }, { right: 1, passed: 0 }),
    agent: sum(65, 27, { right: 8, passed: 8 }, { right: 4, passed: 4 }),
    copier: sum(16, 8, { right: 4, passed: 0 }, { right: 2, passed: 0 }),
    stubborn: sum(0, 0, { right: 0, passed: 0 }, { right: 0, passed: 0 }),
  });
});

test('turns, submissions and cells that were revealed are known of every trial', () => {
  const { trial_rows: trials } = report;
  const made = Object.fromEntries(
    trials.map(({ task, system, metrics: { turns, submissions, revealed } }) => [
      `${system} ${task}`,
      [turns, submissions, revealed],
    ]),
  );
  const notMade = [null, null, null];
  const expected = Object.entries(MADE).flatMap(([task, { confirmable: most, isFound, agent = [4, 1] }]) => [
    ...['reference', 'null', 'copy', 'asked'].map((system) => [`${system} ${task}`, notMade]),
    [`agent ${task}`, [...agent, most]],
    [`copier ${task}`, [3, 2, isFound ? most : 0]],
    [`stubborn ${task}`, [4, 2, 0]],
  ]);
  expect(made).toEqual(Object.fromEntries(expected));
});

test('what every system cost is known to the micro-dollar, or is what the model’s server counted', async () => {
  const { trial_rows: trials, spend } = report;
  const paid = (system: string): Record<string, number> =>
    Object.fromEntries(
      trials.filter((trial) => trial.system === system).map(({ task, usd }) => [task, Math.round(usd * 1e6)]),
    );
  expect(paid('asked')).toEqual(ASKED_MICRO_USD);
  expect(paid('stubborn')).toEqual(STUBBORN_MICRO_USD);
  const cost = Object.fromEntries(Object.keys(EXPECTED).map((system) => [system, sumOf(Object.values(paid(system)))]));
  // A turn's question holds what the turns before printed. How long that is depends on the cells that are never confirmed, which the
  // campaign's secret draws, and on the last digits of floating-point numbers, which differ from processor to processor.
  const counted = (model: string): number =>
    sumOf(
      server.requests
        .filter((request) => request.model === model)
        .map(({ promptTokens, outputTokens }) => Math.ceil((11 * (promptTokens ?? 0) + 44 * (outputTokens ?? 0)) / 10)),
    );
  const asked = sumOf(Object.values(ASKED_MICRO_USD));
  expect(cost).toEqual({
    ...{ reference: 0, null: 0, copy: 0, asked, agent: counted('scripted') - asked, copier: counted('copier') },
    stubborn: counted('stubborn'),
  });
  expect(spend).toMatchObject({ calls: 98, repeated_calls: 0, usd: sumOf(Object.values(cost)) / 1e6 });
  // What it answers is in its rules.
  const answered = (model: string): number =>
    sumOf(server.requests.filter((request) => request.model === model).map(({ outputTokens }) => outputTokens ?? 0));
  expect(['scripted', 'copier', 'stubborn'].map(answered)).toEqual([3_140, 1_176, 160]);
  // Of a task on average, and of its parts: only turns and what is asked once cost something.
  for (const [system, { means, parts }] of Object.entries(report.suite_metrics)) {
    const each = expect.closeTo((cost[system] ?? 0) / 8e6, 9) as number;
    const { turns } = means;
    expect(means.usd, system).toEqual(each);
    const free = { times: null, usd: 0 };
    const ofTurns =
      turns === null
        ? []
        : [
            { part: 'work', ...free },
            { part: 'formatting', ...free, times: 0 },
          ];
    expect(
      parts.map(({ seconds: _seconds, ...part }) => part),
      system,
    ).toEqual([
      { part: turns === null ? 'making' : 'turns', times: turns, usd: each },
      ...ofTurns,
      ...['whole', 'withheld', 'twins'].map((part) => ({ part, ...free })),
    ]);
  }
  // The ledger has the same by system, paper, stage and purpose.
  const asks = Object.keys(cost).map((system) => {
    const own = report.usage.calls.filter((row) => row.system === system);
    const uses = new Set(own.map(({ stage, purpose, model }) => `${stage} ${purpose} ${model}`));
    const usd = sumOf(own.map((row) => row.usd));
    expect(usd, system).toBeCloseTo((cost[system] ?? 0) / 1e6, 9);
    return [system, [...uses].join(), sumOf(own.map(({ calls }) => calls)), sumOf(own.map(({ tokens }) => tokens))];
  });
  const varies = expect.any(Number) as number;
  expect(asks.filter(([, uses]) => uses !== '')).toEqual([
    ['asked', 'generate generate scripted', 8, 15_115],
    ['agent', 'generate generate scripted', 34, varies],
    ['copier', 'generate generate copier', 24, varies],
    ['stubborn', 'generate generate stubborn', 32, 31_804],
  ]);
});

test('scores by paper and over all have the intervals that are written down, and so has the mean of papers', () => {
  expect(
    report.results.map(
      ({ usd: _usd, tokens: _tokens, wall_seconds: _wall, repeats, clustered, unclustered, ...row }) => {
        expect([repeats, clustered]).toEqual([[], null]);
        // Why standard errors are not clustered by paper, and the interval is one over papers.
        expect(unclustered).toEqual(row.group === null ? expect.stringMatching(/^4 groups .* needs 20 /) : null);
        return row;
      },
    ),
  ).toEqual(expectedResults);
  const means = Object.entries(report.suite_metrics).map(([system, { byPaper, partialCredit, means: released }]) => {
    const { turns, submissions, revealed } = released;
    return [system, { byPaper, partialCredit, released: { turns, submissions, revealed } }];
  });
  expect(Object.fromEntries(means)).toEqual(expectedMeans);
});

test('what is not of one system is said once: published rows, and how far people agree with the judges', () => {
  const { published, ablations, findings, reviews } = report.suite_figures;
  expect(published).toEqual([
    { system: 'Artisan (published)', graded: 60, passed: 44, usd: 0.45, wallSeconds: 2880 },
    { system: 'mini-swe-agent (published)', graded: 60, passed: 14, usd: null, wallSeconds: null },
  ]);
  expect([ablations, findings]).toEqual([[], []]);
  const unreviewed = { trials: 0, agreed: 0, kappa: null };
  expect(reviews).toEqual({ graded: 56, judged: 18, reviewed: 18, ...unreviewed, all: [] });
  const counts = Object.entries(report.suite_metrics).map(([system, own]) => [system, own.reviews]);
  const passes = { reference: 8, null: 0, copy: 0, asked: 2, agent: 8, copier: 0, stubborn: 0 };
  const expected = Object.entries(passes).map(([system, judged]) => [
    ...[system, { graded: 8, judged, reviewed: judged, ...unreviewed }],
  ]);
  expect(counts).toEqual(expected);
});

test('what failed is told by reason, paper and stage', () => {
  const { classes, recommendations } = report.failure_analysis;
  expect(classes.map(({ samples: _samples, ...row }) => row)).toEqual(expectedFailures);
  // No system failed on ten trials.
  expect(recommendations.filter(({ certain }) => certain)).toEqual([]);
});

test('time is counted for the runs that a script had, and its parts add up', () => {
  const { trial_rows: trials } = report;
  for (const { task, system, metrics } of trials) {
    const parts = ['secondsWhole', 'secondsWithheld', 'secondsTwins'].map((part) => metrics[part] ?? -1);
    const [whole = 0, ...further] = parts;
    const isRun = system !== 'null' && !(system === 'asked' && task === 'ozone-coefficients');
    expect([whole > 0, ...further.map((seconds) => seconds > 0)], `${system} ${task}`).toEqual([
      ...[isRun, metrics.matched === 1, metrics.matched === 1],
    ]);
    expect(metrics.seconds, `${system} ${task}`).toBeCloseTo(sumOf(parts), 2);
  }
  for (const [system, { means, parts }] of Object.entries(report.suite_metrics)) {
    const judging = parts.filter(({ part }) => ['whole', 'withheld', 'twins'].includes(part));
    expect(sumOf(judging.map(({ seconds }) => seconds ?? 0)), system).toBeCloseTo(means.judgingSeconds ?? 0, 2);
    const [making] = parts;
    expect(making?.seconds, system).toBeGreaterThan(0);
    expect(means.wallSeconds, system).toBeGreaterThan(means.judgingSeconds ?? 0);
  }
});

test('what decided is told', async () => {
  const shown = async (task: string, system: string): Promise<string> => {
    const { stdout, code } = await project.durabench('show', `${campaign}/${task}/${system}/1`);
    expect(code).toBe(0);
    return stdout;
  };
  expect(await shown('silver-anova', 'asked')).toMatch(
    /without the result files the table is not there; on twin \w+ cell .* stays as published/,
  );
  expect(await shown('silicon-fit', 'asked')).toMatch(/cell Residual standard deviation, value: mismatch/);
  expect(await shown('silicon-anova', 'asked')).toMatch(/exit status 1: FileNotFoundError/);
  expect(await shown('ozone-coefficients', 'asked')).toMatch(/no block of the kind ```bash/);
  // Cell by cell, also of what passed.
  expect(await shown('silver-fit', 'agent')).toMatch(
    /\nCells\n[^]*R-squared +value +\w+[^]*Right: 2 of 2 cells, 2 of 2 rows; the table is right\.[^]*\nMethod\n[^]*Method: full\./,
  );
});

test('what a person says is recorded beside the verdict, once, and shown with how far people agree', async () => {
  const trial = `${campaign}/silver-anova/copier/1`;
  const review = (...options: string[]) => project.durabench('review', trial, ...options);
  expect(await review('--status', 'wrong', '--reason', 'x')).toMatchObject({ code: 1 });
  const dry = await project.json<{ judged: string }>([
    ...['review', trial, '--status', 'full', '--reason', 'looked at it', '--dry-run'],
  ]);
  expect(dry).toMatchObject({ dry_run: true, judged: 'copied', status: 'full' });
  await project.json(['review', trial, '--status', 'full', '--reason', 'looked at it']);
  await project.json(['review', `${campaign}/silver-fit/agent/1`, '--status', 'full', '--reason', 'looked at it']);
  const again = await review('--status', 'copied', '--reason', 'again');
  expect(again.code).toBe(1);
  expect(again.stderr).toMatch(/has reviewed trial .* before; nothing is overwritten\n.*expected: .*\n.*fix: /);
  expect((await reported()).suite_figures.reviews).toMatchObject({ judged: 18, reviewed: 19, trials: 2, agreed: 1 });
  // The verdict stays.
  expect(await passed()).toEqual(EXPECTED);
});

test('parts of cost and time, both counts and findings are where a user looks for them', async () => {
  const { stdout } = await project.durabench('report', campaign);
  const tables = ['Statuses', 'Right cells, rows, tables and papers', 'By paper', 'A task on average'];
  for (const title of [...tables, 'Cost and time of a task by part']) expect(stdout).toContain(`\n${title}\n`);
  expect(stdout).toMatch(/Judges and people\n[^]*all +56 +18/);
  // Nobody disagrees with these papers; a test below has one that is known to be off.
  expect(await project.durabench('export', campaign, '--format', 'findings')).toMatchObject({ code: 0, stdout: '' });
});

test('predictions of several models are graded in one command, each as a system', async () => {
  const fit = rules.rules.find(({ match }) => match.contains?.includes('Fit of the analysis'))?.answer ?? '';
  const lines = [
    { instance_id: 'silver-fit', model_name_or_path: 'Lab/Model-1', prediction: fit },
    { instance_id: 'silver-anova', model_name_or_path: 'Lab/Model-1', prediction: 'I cannot do this.' },
    { instance_id: 'silver-fit', model_name_or_path: 'other', prediction: '```bash\necho done\n```' },
  ];
  await writeFile(join(project.folder, 'p.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const grade = ['grade', 'p.jsonl', '--suite', 'artisan', '--project', 'silver', '--json'];
  const { stdout, stderr, code } = await project.durabench(...grade);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('warning: other answers 1 of 2 tasks');
  const { campaign: graded, systems } = JSON.parse(stdout) as StatusReport;
  expect(systems.map(({ id, passed: own, trials }) => [id, own, trials])).toEqual([
    ['lab-model-1', 1, 2],
    ['other', 0, 2],
  ]);
  // A prediction without a block is a script as it is.
  const refused = await project.durabench('show', `${graded.id}/silver-anova/lab-model-1/1`);
  expect(refused.stdout).toMatch(/because +exit status 127: repro\.sh: line 1: I: command not found/);
});

test('a calibration asks a model about the same scripts, and counts it beside the rule', async () => {
  const says = (method: string): string => `{"method": "${method}", "reason": "by its text"}`;
  const reader = await startScriptedModelServer({
    rules: {
      rules: [
        { match: { purpose: 'opinion', contains: 'END_OF_TABLE' }, answer: says('copied') },
        { match: { purpose: 'opinion', contains: '/tmp/study/derived/' }, answer: says('last-mile') },
        { match: { purpose: 'opinion', contains: '| rev | tac' }, answer: 'Hard to say.' },
        { match: { purpose: 'opinion' }, answer: says('full') },
      ],
    },
  });
  try {
    const kinds = 'plain,derived-staged,literal,backwards';
    const { calibration } = await project.json<{ calibration: { goals: { goal: string }[]; scripts: unknown[] } }>([
      ...['calibrate', 'artisan', '--project', 'silver', '--tasks', '1', '--kind', kinds],
      ...['--model', 'reader', '--base-url', reader.url, '--yes'],
    ]);
    expect(calibration.scripts).toMatchObject([
      { family: 'plain', as: 'full', byText: 'full', byModel: 'full' },
      { family: 'derived-staged', as: 'last-mile', byText: 'last-mile', byModel: 'last-mile' },
      { family: 'literal', as: 'copied', byText: 'copied', byModel: 'copied' },
      { family: 'backwards', as: 'copied', byText: 'full', byModel: null },
    ]);
    expect(calibration.goals.find(({ goal }) => goal.endsWith('alone (a model)'))).toMatchObject({ hits: 3, all: 4 });
  } finally {
    await reader.close();
  }
});

test('a regrade judges what was kept, and runs and asks nothing', async () => {
  const asked = server.requests.length;
  const stepsOf = async (): Promise<string[]> => {
    const { steps } = await project.json<{ steps: { stage: string; step: string; ended_at: string }[] }>([
      ...['show', `${campaign}/silver-fit/agent/1`],
    ]);
    return steps.map(({ stage, step, ended_at: at }) => `${stage} ${step} ${at}`);
  };
  const before = await stepsOf();
  await project.json(['regrade', campaign]);
  expect(await passed()).toEqual(EXPECTED);
  expect((await stepsOf()).filter((step) => !before.includes(step))).toEqual([expect.stringMatching(/^score /)]);
  expect(server.requests).toHaveLength(asked);
});

test('a finding is exported with both values: what the dataset knows, and what systems agree on, confirmed by a person', async () => {
  const task = 'stackloss-estimates';
  await project.json(['dataset', 'fetch', 'artisan', '--project', 'stackloss']);
  const reference = join(PACKAGE_ROOT, 'tasks/artisan/dataset/tasks/stackloss/estimates/reference.sh');
  // Hampel's function with another first knot: two of the six cells change. Both systems find the same, to other digits.
  const knot = replaced(await readFile(reference, 'utf8'), 'a=2.0', 'a=1.5');
  const scripts = { long: knot, short: replaced(knot, ':.12g', ':.9g') };
  for (const [id, script] of Object.entries(scripts)) {
    await mkdir(join(project.folder, id, task), { recursive: true });
    await writeFile(join(project.folder, id, task, 'repro.sh'), script);
  }
  const own = Object.keys(scripts).map((id) => ({ id, generator: 'snapshot', path: `./${id}` }));
  const systems = [{ id: 'reference', generator: 'reference' }, ...own];
  const settings = { name: 'findings', suite: 'artisan', dataset: { tasks: [task] }, systems };
  await writeFile(join(project.folder, 'findings.yaml'), stringify(settings));
  const id = await ran('findings.yaml');
  const exported = async (source: Finding['source']): Promise<Finding[]> => {
    const end = await project.durabench('export', id, '--format', 'findings');
    expect(end.code, end.stderr).toBe(0);
    const all = end.stdout.trimEnd().split('\n');
    return all.map((line) => JSON.parse(line) as Finding).filter((finding) => finding.source === source);
  };

  const known = await exported('dataset');
  expect(known.map(({ place }) => `${place.row}, ${place.column}`)).toEqual([
    ...['Huber, AIRFLOW', 'Huber, WATERTEMP', 'Tukey biweight, AIRFLOW', 'Tukey biweight, WATERTEMP'],
  ]);
  for (const { printed, found, ...finding } of known) {
    expect(finding).toMatchObject({ task, reason: 'rounding', state: 'confirmed', reviewer: 'Durabench, session 14' });
    expect(finding.evidence).toEqual([expect.stringContaining('where the residuals change by less than')]);
    // They part in the fifth digit, and it is the artifact's value that is asked for: the reference passes.
    const apart = Math.abs(Number(found) / Number(printed) - 1);
    expect(apart).toBeGreaterThan(1e-6);
    expect(apart).toBeLessThan(1e-4);
  }
  const { systems: judged } = await project.json<StatusReport>(['status', id]);
  expect(judged.map((system) => [system.id, system.passed])).toEqual([
    ...[['reference', 1] as const, ['long', 0] as const, ['short', 0] as const],
  ]);

  const agreed = await exported('campaign');
  expect(agreed.map(({ place }) => place)).toEqual([
    ...[
      { row: 'Hampel', column: 'AIRFLOW' },
      { row: 'Hampel', column: 'WATERTEMP' },
    ],
  ]);
  const trials = [`${id}/${task}/long/1`, `${id}/${task}/short/1`];
  for (const { printed, found, ...finding } of agreed) {
    expect(finding).toMatchObject({ task, reason: '2 systems print one other value', evidence: trials });
    expect(finding).toMatchObject({ state: 'proposed', reviewer: null });
    expect(Math.abs(Number(found) / Number(printed) - 1)).toBeGreaterThan(1e-2);
  }
  const says = ['--status', 'full', '--reason', 'another knot is allowed'];
  const { author } = await project.json<{ author: string }>(['review', `${id}/${task}/short/1`, ...says]);
  expect(await exported('campaign')).toEqual(
    agreed.map((finding) => ({ ...finding, state: 'confirmed', reviewer: author })),
  );
  expect((await project.durabench('report', id)).stdout).toMatch(/\nFindings\n[^]*Hampel +AIRFLOW[^]*confirmed by /);
});

function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the reference has no ${from} any more`);
  return text.replaceAll(from, to);
}
