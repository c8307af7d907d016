import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import {
  connect,
  openMachine,
  UserError,
  type ClientEvent,
  type Durabench,
  type StatusReport,
} from '../../src/client/index.js';
import type { DocumentBody } from '../../src/report/documents/documents.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { pageBlocks } from '../fixtures/cli/page-blocks.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { waitUntil } from '../fixtures/wait-until.js';

// What `import { connect } from 'durabench'` gives: campaigns without a command line.

const CAMPAIGN = `
name: library
suite: echo
dataset: { tasks: 6 }
systems:
  - { id: perfect, generator: echo }
  - { id: noise, generator: noise }
`;

let project: CliProject;
let durabench: Durabench;
const events: ClientEvent[] = [];

beforeAll(async () => {
  project = await createCliProject();
  await writeFile(join(project.folder, 'campaign.yaml'), CAMPAIGN);
  const variables = { ...process.env, DURABENCH_HOME: project.stateDir };
  durabench = await connect({ folder: project.folder, variables, onEvent: (event) => events.push(event) });
});

afterAll(async () => {
  await durabench?.close();
  await project?.close();
});

test('opens an engine, and tells what it starts', () => {
  expect(events).toContainEqual({ type: 'step', step: 'worker', message: expect.stringMatching(/^up/) as string });
});

test('starts a campaign, follows it to its end, and reads its results', async () => {
  const started = await durabench.start('campaign.yaml', { id: 'library-1' });
  expect(started).toMatchObject({ id: 'library-1', state: 'started', trials: 12 });
  const states: StatusReport[] = [];
  for await (const state of durabench.follow('library-1')) states.push(state);
  expect(states.at(-1)).toMatchObject({ campaign: { id: 'library-1', status: 'completed' }, trials: { done: 12 } });
  const report = await durabench.report('library');
  expect(report.systems[0]).toMatchObject({ id: 'perfect', passed: 6, pass_rate: 1, rates: { voted: 1 } });
  // More of them at once than the connection has sessions.
  const reports = await Promise.all(Array.from({ length: 6 }, () => durabench.writeReport('library-1')));
  expect(reports.map(({ isCurrent }) => isCurrent)).toEqual(Array(6).fill(true));
  const rows = await durabench.trials('latest');
  expect(rows.map(({ outcome }) => outcome)).not.toContain(null);
  expect(rows).toHaveLength(12);
  const [first] = rows;
  expect((await durabench.trial(first!.id)).steps.length).toBeGreaterThan(0);
  const { trial } = await durabench.trial(`latest/${first!.taskId}/per`);
  expect(trial.id).toBe(first!.id);
  await expect(durabench.trial('library-1/')).rejects.toMatchObject({ kind: 'usage' });
  expect((await durabench.campaigns()).map(({ id }) => id)).toEqual(['library-1']);
  // The same question under the same id is the same campaign.
  expect(await durabench.start('campaign.yaml', { id: 'library-1' })).toMatchObject({ state: 'ended' });
});

test('an experiment is planned with what it can find, run on the same tasks, and decided', async () => {
  const file = `${CAMPAIGN.replace('tasks: 6', 'tasks: 50')}experiment: { baseline: noise, smallest_effect: 0.1 }\n`;
  await writeFile(join(project.folder, 'experiment.yaml'), file);
  const planned = await project.durabench('experiment', 'experiment.yaml', '--dry-run', '--json');
  const plan = (JSON.parse(planned.stdout) as DocumentBody<'planned-campaign'>).experiment;
  expect(plan).toMatchObject({ baseline: 'noise', variants: 1, tasks: 50, smallest_effect: 0.1, detectable: 0.23 });
  const { code, stdout, stderr } = await project.durabench('experiment', 'experiment.yaml', '--id', 'experiment-1');
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('found in four of five such experiments: a gain of 23.0 %'),
  ]);
  expect(stdout).toMatch(/experiment-1\/noise +experiment-1\/perfect +ADOPT/);
  // Under --json the answer is the comparison alone.
  const { pairs } = await project.json<DocumentBody<'comparison'>>([
    ...['experiment', 'experiment.yaml', '--id', 'experiment-1'],
  ]);
  expect(pairs).toMatchObject([{ decision: 'adopt' }]);
  const none = await project.durabench('experiment', 'campaign.yaml');
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('there is no `experiment`')]);
});

test('a golden set of what passed is checked by a campaign of its tasks alone', async () => {
  const set = await durabench.makeGolden('experiment-1/perfect', { out: 'golden.yaml', tasks: 4 });
  expect(set.tasks).toHaveLength(4);
  const { code, stdout, stderr } = await project.durabench(
    'golden',
    'check',
    'experiment.yaml',
    '--junit',
    'golden.xml',
  );
  expect([code, stderr]).toEqual([0, expect.stringContaining('4 trials')]);
  expect(stdout).toMatch(/\/perfect: 4 passed$/m);
  expect(await readFile(join(project.folder, 'golden.xml'), 'utf8')).toContain('tests="4" failures="0"');
  const golden = ['golden', 'check', 'experiment.yaml'];
  expect(await project.json(golden)).toMatchObject({ counts: { passed: 4, regressed: 0 } });
  const { tasks } = await durabench.checkGolden('experiment-1/noise', { set: 'golden.yaml' });
  expect(tasks.filter(({ outcome }) => outcome === 'regressed').length).toBeGreaterThan(0);
  const empty = await project.durabench('golden', 'check', 'library-1', '--json');
  expect(empty.code).toBe(2);
});

test('the steps of the CI recipe do what its page says', async () => {
  const block = pageBlocks('docs/guides/results.md').find(({ text }) => text.includes('jobs:'));
  const { jobs } = parse(block!.text) as { jobs: { golden: { steps: { run?: string; if?: string }[] } } };
  const runs = jobs.golden.steps.flatMap(({ run }) => run ?? []);
  expect(runs.shift()).toBe('npm ci');
  const file = await readFile(join(project.folder, 'experiment.yaml'), 'utf8');
  const worse = file.replace('{ id: perfect, generator: echo }', '{ id: perfect, generator: noise }');
  expect(worse).not.toBe(file);
  for (const [campaign, code] of [
    [file, 0],
    // The system of the set now answers by chance.
    [worse, 100],
  ] as const) {
    await writeFile(join(project.folder, 'campaign.yaml'), campaign);
    const ends: [number | null, string][] = [];
    for (const run of runs) {
      const [, words = ''] = /^npx durabench (.*?)(?: >> "\$GITHUB_STEP_SUMMARY")?$/.exec(run) ?? [];
      const end = await project.durabench(...words.split(' '));
      ends.push([end.code, end.stdout]);
    }
    expect(ends.map((end) => end[0])).toEqual([0, code, 0]);
    expect(ends[2]![1]).toContain('## Results');
    expect(await readFile(join(project.folder, 'golden.xml'), 'utf8')).toMatch(
      code === 0 ? /failures="0"/ : /<failure/,
    );
  }
  await writeFile(join(project.folder, 'campaign.yaml'), CAMPAIGN);
});

test('counts what nothing refers to, and removes none of what is used', async () => {
  const unused = await durabench.clean({ dryRun: true });
  expect(unused.blobs).toMatchObject({ removedBlobs: 0 });
  expect(unused.blobs.keptBlobs).toBeGreaterThan(0);
});

test('says what the machine has and lacks without any server, and which image there is none of', async () => {
  const machine = openMachine({
    folder: project.folder,
    variables: { ...process.env, DURABENCH_HOME: project.stateDir },
  });
  const found = await machine.findings();
  expect(found.map(({ name }) => name)).toEqual(expect.arrayContaining(['Node', 'Docker', 'Postgres', 'worker']));
  expect(found.find(({ name }) => name === 'Node')).toMatchObject({ state: 'ok', fix: null });
  await expect(machine.images(['bass'])).rejects.toMatchObject({ kind: 'usage' });
});

test('leaving the loop leaves the campaign running; another one can be cancelled', async () => {
  await writeFile(join(project.folder, 'long.yaml'), CAMPAIGN.replace('tasks: 6', 'tasks: 400'));
  const { id } = await durabench.start('long.yaml');
  for await (const { campaign } of durabench.follow(id)) if (campaign.status === 'running') break;
  expect((await durabench.status(id)).campaign.status).toBe('running');
  await durabench.cancel(id, { reason: 'enough' });
  let last: StatusReport | undefined;
  for await (const state of durabench.follow(id)) last = state;
  expect(last?.campaign.status).toBe('cancelled');
  // What there is nothing to do about is no failure, as on the command line.
  expect(await durabench.pause(id, { reason: 'too late' })).toMatchObject({ state: 'ended', status: 'cancelled' });
});

test('throws what is wrong with a file as data', async () => {
  await writeFile(join(project.folder, 'wrong.yaml'), CAMPAIGN.replace('suite: echo', 'suite: ecko'));
  const error = await durabench.start('wrong.yaml').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).problems[0]).toMatchObject({ fix: expect.stringContaining('echo') as string });
  await expect(durabench.status('nobody')).rejects.toMatchObject({ kind: 'usage' });
});

test('the example runs, by the name of the package', async () => {
  const script = join(PACKAGE_ROOT, 'examples', 'library', 'run-campaign.mjs');
  const env = { ...process.env, DURABENCH_HOME: project.stateDir };
  const { stdout } = await promisify(execFile)(process.execPath, [script, 'campaign.yaml'], {
    cwd: project.folder,
    env,
  });
  expect(JSON.parse(stdout)).toMatchObject({
    status: 'completed',
    systems: [{ id: 'perfect', passed: 6 }, { id: 'noise' }],
  });
});

describe('the page docs/guides/library.md is a program', () => {
  const page = { campaign: '', program: '' };
  let model: ScriptedModelServer;
  /** What is asked from the second question on waits until the page has paused its campaign. */
  const held: (() => void)[] = [];
  let [isHeld, asked] = [true, 0];

  beforeAll(async () => {
    model = await startScriptedModelServer({
      rules: {
        rules: [
          { match: { model: 'bad-1' }, answer: 'no', usage: { input: 20, output: 5 } },
          { match: { regex: '.*:\\n(.*)' }, template: 'Answer: {{1}}', usage: { input: 20, output: 5 } },
        ],
      },
      onRequest: async () => {
        asked += 1;
        if (asked > 1 && isHeld) await new Promise<void>((answer) => held.push(answer));
      },
    });
    const blocks = pageBlocks('docs/guides/library.md');
    const textOf = (wanted: string): string =>
      blocks
        .filter(({ language }) => language === wanted)
        .map(({ text }) => text)
        .join('\n');
    page.campaign = textOf('yaml').replaceAll(/http:[^']+/g, model.url);
    page.program = textOf('js');
    await mkdir(join(project.folder, 'page', 'node_modules'), { recursive: true });
    await symlink(PACKAGE_ROOT, join(project.folder, 'page', 'node_modules', 'durabench'));
    await writeFile(join(project.folder, 'page', 'campaign.yaml'), page.campaign);
    await writeFile(join(project.folder, 'page', 'page.mjs'), page.program);
  });

  afterAll(() => model?.close());

  function answerAll(): void {
    isHeld = false;
    for (const answer of held.splice(0)) answer();
  }

  test('whose types fit', async () => {
    const compiler = join(PACKAGE_ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const types = ['--types', 'node', '--typeRoots', join(PACKAGE_ROOT, 'node_modules', '@types')];
    const options = ['--noEmit', '--strict', '--allowJs', '--checkJs', '--skipLibCheck', ...types];
    const modern = ['--target', 'es2022', '--module', 'nodenext', 'page.mjs'];
    const compiled = await promisify(execFile)(process.execPath, [compiler, ...options, ...modern], {
      cwd: join(project.folder, 'page'),
    }).catch((error: unknown) => error as { stdout: string });
    expect(compiled.stdout).toBe('');
  });

  test('that opens, validates, starts, follows, pauses, resumes, raises the budget, retries and regrades', async () => {
    const program = promisify(execFile)(process.execPath, ['page.mjs'], {
      cwd: join(project.folder, 'page'),
      env: { ...process.env, DURABENCH_HOME: project.stateDir },
    });
    let isOver = false;
    const ended = program.finally(() => (isOver = true));
    ended.catch(() => undefined); // thrown below
    const isPaused = async (): Promise<boolean> => {
      const [newest] = await durabench.campaigns(1);
      return isOver || (newest?.name === 'library-page' && newest.desiredState === 'pause');
    };
    await waitUntil(isPaused);
    answerAll();
    const { stdout } = await ended;
    expect(stdout.trim().split('\n')).toEqual([
      'valid: good, bad 0',
      'would run: 12 priced 0.02',
      'started: started',
      expect.stringMatching(/^refused: the campaign file missing.yaml does not exist give the path of such a file$/),
      'paused: paused true',
      'resumed: continued',
      'ended: budget_exhausted',
      'budget: true 1',
      'would cost: true true',
      'ended: completed',
      'result: good 6 of 6 1',
      'result: bad 0 of 6 0',
      expect.stringMatching(/^failed: 6 \S+ true true$/),
      'retried: 1',
      'again: failed',
      'regraded: 12',
      'changed: 0',
    ]);
  });
});
