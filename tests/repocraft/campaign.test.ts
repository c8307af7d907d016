import { execFile } from 'node:child_process';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFileBlobs } from '../../src/adapters/blobs/file-blobs.js';
import { openDatabase } from '../../src/adapters/postgres/schema/database.js';
import { createRecords } from '../../src/adapters/postgres/records.js';
import type { StatusReport } from '../../src/contract/status.js';
import { readRulesFile } from '../../src/fakes/rules-file.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import type { Records } from '../../src/ports/records.js';
import type { FullReport, TrialReport } from '../../src/report/full-report.js';
import { connectTemporal } from '../../src/stack/servers/connect.js';
import { DEFAULT_NAMESPACE } from '../../src/stack/servers/namespace.js';
import type { StackState } from '../../src/stack/stack-state.js';
import type { SystemMetrics } from '../../tasks/repocraft/metrics.js';
import { repocraftManifest } from '../../tasks/repocraft/suite.js';
import { createCliProject, type CliProject, type CommandEnd } from '../fixtures/cli/cli-project.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { campaignHistories, type HistoryFacts } from '../fixtures/engine/histories.js';
import { scaled } from '../vitest/yardstick.js';

/** One campaign on real tasks of requests, as a user runs it: the built command line, a stack of its own, Docker, HTTP. */
const TASKS = [
  ...['007', '008', '009', '010'].map((number) => `requests-structures-case_insensitive_dict-${number}`),
  'requests-structures-lower_items-002',
  ...['dotted_netmask', 'iter_slices', 'guess_filename', 'urldefragauth', 'requote_uri', 'parse_header_links'].map(
    (name) => `requests-utils-${name}-001`,
  ),
  'requests-utils-get_encoding_from_headers-001',
  // Zips its own file: passes only where files of the sandbox have a time that ZIP knows.
  'requests-utils-extract_zipped_paths-001',
  'requests-dispatch_hook-001',
  // Against pytest-httpbin, on the loopback of a container without a network.
  'requests-api-get-008',
];
const SYSTEMS = ['gold', 'null', 'single-prompt', 'own'];
const PRICE = { input: 0.15, output: 0.6 };

let project: CliProject;
let model: ScriptedModelServer;
let end: CommandEnd;
let status: StatusReport;
let report: FullReport;
let records: Records;
let histories: HistoryFacts[];
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const rules = readRulesFile(join(PACKAGE_ROOT, 'examples', 'quickstart', 'rules.yaml'));
  if ('problems' in rules) throw new Error(JSON.stringify(rules.problems));
  [project, model] = await Promise.all([createCliProject(), startScriptedModelServer({ rules: rules.rules })]);
  await writeFile(join(project.folder, 'campaign.yaml'), campaignFile());
  await Promise.all([project.json(['up']), project.json(['images', 'build', 'repocraft-requests'])]);
  await project.json(['dataset', 'fetch', 'repocraft', '--project', 'requests']);
  end = await project.durabench('run', 'campaign.yaml', '--json');
  if (!end.stdout.includes('"campaign_id"')) throw new Error(`run said:\n${end.stdout}\n${end.stderr}`);
  status = await project.json(['status', 'latest']);
  report = await fullReport(status.campaign.id);
  await openServers();
});

afterAll(async () => {
  for (const close of closing) await close();
  await project?.close();
  await model?.close();
});

const campaignFile = (): string => `
name: requests-all-systems
suite: repocraft
dataset: { projects: [requests], tasks: [${TASKS.join(', ')}] }
models:
  scripted: { name: scripted-1, base_url: '${model.url}', price: { input: ${PRICE.input}, output: ${PRICE.output} } }
systems:
  - { id: gold, generator: gold, vote: { voter: oracle } }
  - { id: 'null', generator: 'null', vote: { voter: heuristic } }
  - { id: single-prompt, generator: single-prompt, model: scripted, vote: { voter: model, model: scripted } }
  - { id: own, generator: snapshot, path: '${join(PACKAGE_ROOT, 'tests', 'fixtures', 'repocraft', 'snapshot-library')}' }
budget: { usd: 1 }
concurrency: { batches: 4, trials: 16, model: 8, sandbox: 2 }
`;

async function fullReport(id: string): Promise<FullReport> {
  const text = await readFile(join(project.stateDir, 'reports', id, 'report.json'), 'utf8');
  return JSON.parse(text) as FullReport;
}

/** Straight to the project's servers, to see what the command line does not show. */
async function openServers(): Promise<void> {
  const { addresses } = JSON.parse(await readFile(join(project.stateDir, 'stack.json'), 'utf8')) as StackState;
  const database = openDatabase({ connectionString: addresses.databaseUrl ?? '', maxConnections: 2 });
  records = createRecords(database);
  const address = `127.0.0.1:${addresses.temporalPort}`;
  const server = { address, namespace: DEFAULT_NAMESPACE, connectionOptions: { address }, uiUrl: undefined };
  const connection = await connectTemporal(server, { deadlineMs: scaled(60_000) });
  closing.push(
    () => database.close(),
    () => connection.close(),
  );
  const client = new Client({ connection, namespace: DEFAULT_NAMESPACE });
  const ids: string[] = [];
  for await (const { workflowId } of client.workflow.list()) ids.push(workflowId);
  histories = await campaignHistories(client, ids);
}

const trialsOf = (system: string): TrialReport[] => report.trial_rows.filter((row) => row.system === system);

const endsOf = (system: string): Record<string, string> =>
  Object.fromEntries(
    trialsOf(system).map(({ task, outcome, reason }) => [task.replace('requests-', ''), reason ?? outcome ?? 'open']),
  );

describe('outcomes', () => {
  test('the campaign completes, and every trial is graded', () => {
    expect(end.code, end.stderr).toBe(0);
    expect(status.campaign.status).toBe('completed');
    const trials = { planned: 60, done: 60, errored: 0, not_run: 0 };
    expect(status.trials).toMatchObject(trials);
  });

  test('the reference passes everything, the empty package nothing', () => {
    expect(new Set(Object.values(endsOf('gold')))).toEqual(new Set(['passed']));
    expect(new Set(Object.values(endsOf('null')))).toEqual(new Set(['not-localized']));
    const rates = Object.fromEntries(
      status.systems.map((row) => [row.id, [row.pass_rate, row.rates.voted, row.rates.localized]]),
    );
    expect(rates).toMatchObject({ gold: [1, 1, null], null: [0, 0, 0] });
  });

  test('a folder of one’s own passes where it is right, and fails where it is wrong or has nothing', () => {
    const ends = endsOf('own');
    for (const task of ['utils-dotted_netmask-001', 'utils-iter_slices-001', 'structures-case_insensitive_dict-008'])
      expect([task, ends[task]]).toEqual([task, 'passed']);
    expect(ends['utils-guess_filename-001']).toBe('test.assertion');
    expect(ends['api-get-008']).not.toBe('passed');
  });

  test('the library of the scripted model passes some', () => {
    const row = status.systems.find(({ id }) => id === 'single-prompt');
    expect(row).toMatchObject({ trials: 15 });
    // It does not have everything that is asked for.
    expect(row?.rates.localized).toBeGreaterThan(0.9);
    expect(row?.passed).toBeGreaterThanOrEqual(5);
    expect(row?.failed).toBeGreaterThanOrEqual(1);
  });
});

describe('what is told', () => {
  const count = expect.any(Number) as number;
  const text = expect.any(String) as string;

  test('status and report keep the contract: these keys, in these types, and no others', async () => {
    const system = (id: string): StatusReport['systems'][number] => ({
      ...{ id, trials: 15, passed: count, failed: count, errored: 0, not_run: 0 },
      ...{ pass_rate: count, rates: { localized: id === 'gold' ? null : count, voted: count } },
    });
    const contract: StatusReport = {
      campaign: {
        ...{ id: text, name: 'requests-all-systems', status: 'completed' },
        ...{ suite: 'repocraft', dataset: text, revises: null, revised_by: [] },
      },
      trials: { planned: 60, done: 60, passed: count, failed: count, errored: 0, not_run: 0 },
      spend: {
        usd: count,
        tokens: count,
        calls: count,
        repeated_calls: 0,
        recovered_calls: 0,
        // A step that a busy machine had tried twice.
        replayed_calls: count,
        reused_calls: 0,
        saved_usd: 0,
        implausible_usage: 0,
        unanswered_requests: 0,
      },
      judge: { abstentions: 0, errored: 0 },
      systems: SYSTEMS.map(system),
      report: { path: text },
      temporal_ui: text,
      temporal_queries: (['failed', 'dearest'] as const).map((name) => ({ name, title: text, url: text })),
    };
    expect(status).toStrictEqual({ version: 2, ...contract });
    expect(await project.json(['report', status.campaign.id])).toStrictEqual(status);
  });

  test('totals are the sums of the rows', () => {
    const sum = (rows: readonly number[]): number => rows.reduce((total, each) => total + each, 0);
    for (const key of ['passed', 'failed', 'errored', 'not_run'] as const)
      expect(sum(status.systems.map((row) => row[key])), key).toBe(status.trials[key]);
    expect(status.trials.passed + status.trials.failed).toBe(60);
    const outcomes = report.trial_rows.map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'passed')).toHaveLength(status.trials.passed);
  });

  test('the spend is what the endpoint counted, at the price of the file, each call once', () => {
    const paid = model.requests.filter((request) => request.status === 200);
    const tokens = paid.map((request) => [request.promptTokens ?? 0, request.outputTokens ?? 0] as const);
    const microUsd = tokens.map(([input, output]) => Math.ceil(input * PRICE.input + output * PRICE.output - 1e-9));
    expect(status.spend.calls).toBe(paid.length);
    expect(new Set(paid.map(({ call }) => call)).size).toBe(paid.length);
    expect(status.spend.tokens).toBe(tokens.reduce((sum, [input, output]) => sum + input + output, 0));
    expect(status.spend.usd * 1_000_000).toBeCloseTo(
      microUsd.reduce((sum, each) => sum + each, 0),
      3,
    );
    expect(paid.filter(({ purpose }) => purpose === 'generate')).toHaveLength(1);
  });
});

describe('the full report', () => {
  test('tells where tokens and time went, and the sums are the totals', () => {
    const { calls, stages } = report.usage;
    expect(calls.reduce((sum, row) => sum + row.tokens, 0)).toBe(status.spend.tokens);
    expect(calls.reduce((sum, row) => sum + row.calls, 0)).toBe(status.spend.calls);
    expect(new Set(calls.map(({ purpose }) => purpose))).toEqual(new Set(['generate', 'vote']));
    expect(new Set([...calls, ...stages].map(({ group }) => group))).toEqual(new Set(['requests']));
    const harvested = stages.filter(({ stage }) => stage === 'harvest');
    const each = [...SYSTEMS].sort().map((system) => [system, true]);
    expect(harvested.map(({ system, attempts }) => [system, attempts >= 15])).toEqual(each);
  });

  test('has the metrics of the suite: every candidate counted', async () => {
    const metrics = Object.values(report.suite_metrics as unknown as Record<string, SystemMetrics>);
    const files = Object.fromEntries(metrics.map(({ system, projects }) => [system, projects[0]?.code?.files]));
    expect(files).toMatchObject({ gold: 18, null: 1, own: 3 });
    const empty = metrics.find(({ system }) => system === 'null')?.overall.failures;
    expect(empty).toMatchObject({ failed: 15, classes: { planning: 15, generation: 0 }, untold: 0 });
    const markdown = await readFile(status.report.path ?? '', 'utf8');
    for (const title of [
      'Rates by project',
      'Failure classes',
      'Candidates',
      'Beside the paper',
      'Tokens and cost by stage',
    ])
      expect(markdown).toContain(title);
  });
});

describe('the engine', () => {
  const ofType = (type: string): HistoryFacts[] => histories.filter((history) => history.type === type);

  test('has one campaign, four batches, four generations and sixty trials', () => {
    const counts = ['campaign', 'batch', 'generation', 'trial'].map((type) => ofType(type).length);
    expect(counts).toEqual([1, 4, 4, 60]);
    expect(histories.every((history) => history.status === 'COMPLETED')).toBe(true);
  });

  test('writes no event above 8 KiB and at most 80 events a trial', () => {
    for (const { workflowId, biggest } of histories)
      expect(biggest.bytes, `${biggest.type} of ${workflowId}`).toBeLessThanOrEqual(8 * 1024);
    expect(Math.max(...ofType('trial').map(({ events }) => events))).toBeLessThanOrEqual(80);
  });

  test('runs the six stages as activities of their own on the queues of the manifest', () => {
    const { stages } = repocraftManifest;
    const queues = (stage: keyof typeof stages): (string | undefined)[] => [
      ...Object.values(stages[stage]?.steps ?? {}).map((step) => step?.queue),
      stages[stage]?.queue,
    ];
    const allowed = (Object.keys(stages) as (keyof typeof stages)[]).flatMap((stage) =>
      queues(stage).map((queue) => `${stage} ${queue}`),
    );
    const routes = new Set(ofType('trial').flatMap((trial) => trial.routes));
    expect([...routes].filter((route) => !allowed.includes(route))).toEqual([]);
    expect(new Set([...routes].map((route) => route.split(' ')[0]))).toEqual(new Set(Object.keys(stages)));
    // To adapt is to check in containers, too: a worker of the model role may have no Docker.
    expect(routes).not.toContain('execute model');
    expect(routes).toContain('execute sandbox');
    expect(new Set(ofType('generation').flatMap((each) => each.routes))).toEqual(
      new Set(['generate model', 'prepare sandbox']),
    );
  });

  test('keeps prompts, completions, what tests printed and the text of tasks out of every history', async () => {
    const everything = histories.map(({ text }) => text).join('\n');
    // Printed by the candidate; returned by it, and so part of what a failed assertion says.
    const printed = ['SENTINEL-CANDIDATE-OUTPUT', 'SENTINEL-WRONG-ANSWER'];
    const forbidden = [...(await taskLines()), ...(await modelLines()), ...printed];
    expect(forbidden.length).toBeGreaterThan(400);
    expect(forbidden.filter((line) => everything.includes(asInJson(line)))).toEqual([]);
  });
});

/** Lines long enough to be told from a name: of the tests, their fixtures and descriptions. */
async function taskLines(): Promise<string[]> {
  const blobs = createFileBlobs({ folder: join(project.stateDir, 'blobs') });
  const { tasks } = JSON.parse(
    await readFile(join(PACKAGE_ROOT, 'tasks', 'repocraft', 'dataset', 'requests.lock.json'), 'utf8'),
  ) as { tasks: { id: string; sha256: string }[] };
  const own = tasks.filter(({ id }) => TASKS.includes(id));
  const texts = own.map(async ({ sha256 }) => {
    const task = JSON.parse((await blobs.get(sha256)).toString('utf8')) as { test_code: string; description: string };
    return [...task.test_code.split('\n'), ...task.description.split('. ')];
  });
  return longLines((await Promise.all(texts)).flat());
}

/** Lines of every prompt and of every completion. */
async function modelLines(): Promise<string[]> {
  const prompts = join(PACKAGE_ROOT, 'tasks', 'repocraft', 'prompts');
  const answers = join(PACKAGE_ROOT, 'examples', 'quickstart');
  const files = [
    ...['single-prompt.v1.md', 'vote.v1.md', 'vote-again.v1.md'].map((name) => join(prompts, name)),
    join(answers, 'answers', 'http-library.md'),
  ];
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const reasons = ['The helper does this.', 'It does something else.'];
  return [...longLines(texts.flatMap((text) => text.split('\n'))), ...reasons];
}

const longLines = (lines: readonly string[]): string[] => [
  ...new Set(lines.map((line) => line.trim()).filter((line) => line.length >= 25 && !line.includes('{{'))),
];

const isHash = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

const asInJson = (line: string): string => JSON.stringify(line).slice(1, -1);

describe('what is left', () => {
  test('every blob that a row names is there, and a trial has its test report and its output', async () => {
    const blobs = createFileBlobs({ folder: join(project.stateDir, 'blobs') });
    const named = await records.referencedBlobs();
    expect(named.length).toBeGreaterThan(60);
    const missing = (await Promise.all(named.map((sha256) => blobs.has(sha256)))).filter((has) => !has);
    expect(missing).toEqual([]);
    const { prepared } = await records.ownerContext({ kind: 'trial', id: trialsOf('own')[0]?.id ?? '' }, 1);
    expect(named).toEqual(expect.arrayContaining(Object.values(prepared as object).filter(isHash)));
    const own = trialsOf('own').find(({ task }) => task === 'requests-utils-guess_filename-001');
    const { steps, votes } = await records.trial(own?.id ?? '');
    const evidence = steps.flatMap((step) => step.evidence);
    expect(evidence.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['adapted-test.json', 'report.json', 'output.txt']),
    );
    const textOf = async (name: string): Promise<string> =>
      (await blobs.get(evidence.find((ref) => ref.name === name)?.sha256 ?? '')).toString('utf8');
    expect(await textOf('output.txt')).toContain('SENTINEL-CANDIDATE-OUTPUT');
    expect(await textOf('report.json')).toContain('SENTINEL-WRONG-ANSWER');
    const shown = await project.durabench('show', own?.id ?? '');
    expect(shown.stdout).toMatch(/^because {6}.*SENTINEL-WRONG-ANSWER/m);
    expect(votes.length).toBeGreaterThanOrEqual(3);
  });

  test('a candidate is written out as a folder, by its generation or by a trial that graded it', async () => {
    const campaign = report.campaign.id;
    const whole = { recursive: true, encoding: 'utf8' } as const;
    const out = join(project.folder, 'candidate');
    const generation = `${campaign}/own/requests/1`;
    const exported = await project.json<{ files: number }>(['export', generation, '--format', 'files', '--out', out]);
    const fixture = join(PACKAGE_ROOT, 'tests', 'fixtures', 'repocraft', 'snapshot-library');
    expect((await readdir(out, whole)).sort()).toEqual((await readdir(fixture, whole)).sort());
    const init = join('webkit', '__init__.py');
    expect(await readFile(join(out, init), 'utf8')).toBe(await readFile(join(fixture, init), 'utf8'));
    const again = ['export', trialsOf('own')[0]?.id ?? '', '--format', 'files', '--out'];
    const { stdout } = await project.durabench(...again, join(project.folder, 'once-more'));
    expect(stdout).toBe(`${join(project.folder, 'once-more')}  ${exported.files} files of ${generation}\n`);
    const taken = await project.durabench(...again, out);
    expect(taken.stderr).toMatch(/^error: --out: .* is there and holds files$/m);
    expect(taken.code).toBe(1);
  });

  test('a git checkout is graded in one command, and its result card printed', async () => {
    const library = join(project.folder, 'snapshot-library');
    await cp(join(PACKAGE_ROOT, 'tests', 'fixtures', 'repocraft', 'snapshot-library'), library, { recursive: true });
    await promisify(execFile)('git', ['init', '-q', library]);
    const card = await project.durabench('grade', library, '--project', 'requests', '--limit', '4');
    expect(card.code, card.stderr).toBe(0);
    expect(card.stdout).toMatch(/snapshot-library +requests +4 +4/);
    for (const title of ['Rates by project', 'Candidates', 'Beside the paper']) expect(card.stdout).toContain(title);
  });

  test('the same file run again is a campaign of its own that asks the same question', async () => {
    const again = await project.durabench('run', 'campaign.yaml', '--detach', '--json');
    const { campaign_id: id } = JSON.parse(again.stdout.split('\n')[0] ?? '') as { campaign_id: string };
    expect(id).not.toBe(status.campaign.id);
    const [first, second] = [await records.campaign(status.campaign.id), await records.campaign(id)];
    expect(second.lock).toEqual(first.lock);
    await project.durabench('cancel', id);
    expect(await project.json(['status', status.campaign.id])).toStrictEqual(status);
  });
});
