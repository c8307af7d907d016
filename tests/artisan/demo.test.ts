import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { readEnvironment } from '../../src/config/env.js';
import type { StatusReport } from '../../src/contract/status.js';
import type { ModelRules } from '../../src/fakes/model-rules.js';
import { readRulesFile } from '../../src/fakes/rules-file.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import type { Finding } from '../../src/suite/report.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';

// The demo of Artisan-Bench as a user runs it: real server, database, worker and containers, the scripted model for a provider.

const DEMO = join(PACKAGE_ROOT, 'examples', 'artisan-demo');

let project: CliProject;
let server: ScriptedModelServer;
let rules: ModelRules;
let campaign: string;

beforeAll(async () => {
  await ensureImages(readEnvironment().cacheDir, 'base', 'artisan-python');
  const read = readRulesFile(join(DEMO, 'rules.yaml'));
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  ({ rules } = read);
  server = await startScriptedModelServer(read);
  project = await createCliProject();
  await project.json(['up']);
  await project.json(['dataset', 'fetch', 'artisan', '--project', 'employment,ozone,silicon,silver']);
  const demo = parse(await readFile(join(DEMO, 'campaign.yaml'), 'utf8')) as {
    models: Record<string, { base_url: string }>;
  };
  for (const model of Object.values(demo.models)) model.base_url = server.url;
  await writeFile(join(project.folder, 'demo.yaml'), stringify(demo));
  const { stdout, stderr, code } = await project.durabench('run', 'demo.yaml', '--json');
  if (code !== 0) throw new Error(stderr);
  campaign = (JSON.parse(stdout.split('\n')[0] ?? '{}') as { campaign_id: string }).campaign_id;
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

test('every status is in its report, and no trial is without a grade', async () => {
  const { stdout, code } = await project.durabench('report', campaign, '--format', 'json');
  expect(code).toBe(0);
  const { suite_metrics: suite } = JSON.parse(stdout) as { suite_metrics: Record<string, Record<string, unknown>> };
  const { reviews, ...systems } = suite;
  expect(reviews).toEqual({ graded: 56, judged: 18, reviewed: 18, trials: 0, agreed: 0, kappa: null, all: [] });
  const metrics = Object.fromEntries(
    Object.entries(systems).map(([system, { right: _right, papers, ...counts }]) => {
      expect(Object.keys(papers as object)).toEqual(['employment', 'ozone', 'silicon', 'silver']);
      return [system, counts];
    }),
  );
  const right = Object.fromEntries(Object.entries(systems).map(([system, own]) => [system, own.right]));
  const of = (cells: number, rows: number, tables: number, papers: { right: number; passed: number }) => ({
    ...{ cells: { right: cells, of: 65 }, rows: { right: rows, of: 27 }, tables: { right: tables, of: 8 } },
    papers: { ...papers, of: 4 },
  });
  expect(right).toMatchObject({
    ...{ reference: of(65, 27, 8, { right: 4, passed: 4 }), agent: of(65, 27, 8, { right: 4, passed: 4 }) },
    ...{ null: of(0, 0, 0, { right: 0, passed: 0 }), stubborn: of(0, 0, 0, { right: 0, passed: 0 }) },
    copy: of(65, 27, 8, { right: 4, passed: 0 }),
    // The tables of silicon and silver, which it finds in result files.
    copier: of(16, 8, 4, { right: 2, passed: 0 }),
    asked: { tables: { right: 3, of: 8 }, papers: { passed: 0, of: 4 } },
  });
  const none = { graded: 8, unproven: 0, full: 0, 'last-mile': 0, copied: 0, mismatch: 0, runtime: 0, static: 0 };
  expect(metrics).toEqual({
    reference: { ...none, full: 8 },
    null: { ...none, static: 8 },
    copy: { ...none, copied: 8 },
    asked: { ...none, full: 2, copied: 1, mismatch: 2, runtime: 1, static: 2 },
    agent: { ...none, full: 8 },
    copier: { ...none, copied: 4, runtime: 4 },
    stubborn: { ...none, runtime: 8 },
  });
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
  const { stdout } = await project.durabench('report', campaign, '--format', 'json');
  const { suite_metrics: metrics } = JSON.parse(stdout) as { suite_metrics: { reviews: unknown } };
  expect(metrics.reviews).toMatchObject({ judged: 18, reviewed: 19, trials: 2, agreed: 1 });
  // The verdict stays.
  expect(await passed()).toEqual(EXPECTED);
});

test('parts of cost and time, both counts and findings are where a user looks for them', async () => {
  const { stdout } = await project.durabench('report', campaign);
  expect(stdout).toMatch(/Cost and time of a task by part\n[^]*agent +agent turns[^]*agent +twin runs/);
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
  const reference = join(
    PACKAGE_ROOT,
    'tasks',
    'artisan',
    'dataset',
    'tasks',
    'stackloss',
    'estimates',
    'reference.sh',
  );
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
  const { stdout, stderr, code } = await project.durabench('run', 'findings.yaml', '--json');
  expect(code, stderr).toBe(0);
  const id = (JSON.parse(stdout.split('\n')[0] ?? '{}') as { campaign_id: string }).campaign_id;
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
