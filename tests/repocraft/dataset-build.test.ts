import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { LABEL } from '../../src/adapters/docker/engine/labels.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import { stackStatus } from '../../src/stack/stack-status.js';
import type { ServiceName } from '../../src/stack/stack-state.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { lockText, tasksDigest, type DatasetLock } from '../../tasks/repocraft/dataset/lock/dataset-lock.js';
import { createCliProject, type CliProject, type CommandEnd } from '../fixtures/cli/cli-project.js';
import { killService } from '../fixtures/cli/kill-service.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';

/**
 * The library of ours, built as a maintainer builds it: the built command line, a stack of its own, Docker. In a copy
 * of the package, since a build writes into its checkout.
 */
const PARTS = ['bin', 'deploy', 'dist', 'package.json', 'tasks'];
const BUILD = ['dataset', 'build', 'repocraft', '--project', 'textkit'];
const LOCK = join('tasks', 'repocraft', 'dataset', 'textkit.lock.json');
/** Of the version that author-1 describes. */
const ACCOUNT = 'repocraft@4-author-1';

/** One account of `dataset costs --json`. */
interface Costs {
  account: string;
  spend: { usd: number; calls: number; repeated_calls: number };
  usage: { project: string; purpose: string; calls: number; usd: number }[];
  events: { action: string }[];
  temporal_ui: string | null;
}

let checkout: string;
let project: CliProject;
let committed: string;

beforeAll(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'durabench-checkout-'));
  for (const part of PARTS) await cp(join(PACKAGE_ROOT, part), join(checkout, part), { recursive: true });
  await symlink(join(PACKAGE_ROOT, 'node_modules'), join(checkout, 'node_modules'));
  committed = await readFile(join(PACKAGE_ROOT, LOCK), 'utf8');
  project = await createCliProject({}, checkout);
  await Promise.all([project.json(['up']), project.json(['images', 'build', 'repocraft-requests'])]);
});

afterAll(async () => {
  await project?.close();
  await rm(checkout, { recursive: true, force: true });
});

test('command and worker are killed in the middle of gold: the build goes on, ends with the lock of ever, and leaves nothing', async () => {
  await rm(join(checkout, LOCK));
  const watching = project.start(...BUILD);
  await saysGold(watching);
  await until(async () => (await containersOf(pidOf('worker'))).length > 0);
  watching.kill('SIGKILL');
  const { pid: worker } = await killService(project.stateDir, 'worker');

  // Another project cannot join it, and its own can be watched again.
  const other = await project.durabench('dataset', 'build', 'repocraft', '--project', 'requests');
  expect(other.code).toBe(1);
  expect(lastProblem(other)).toEqual([
    expect.stringMatching(/^error: a build of repocraft runs since .*, without requests$/),
    expect.stringMatching(/^ {2}fix: wait for it \(.*--project textkit\) or end it \(durabench dataset cancel/),
  ]);
  const fresh = await project.durabench(...BUILD, '--new-sample');
  expect(fresh.code).toBe(1);
  expect(lastProblem(fresh)[0]).toMatch(/^error: a build of repocraft runs since .*, without --new-sample$/);
  const end = await project.durabench(...BUILD);
  expect(end.stderr).toContain('watching the build of textkit');
  expect(end).toMatchObject({ code: 0 });
  expect(await readFile(join(checkout, LOCK), 'utf8')).toBe(committed);
  await until(async () => (await containersOf(worker)).length === 0);
});

test('a second build, from nothing and while Temporal is killed, makes the same bytes', async () => {
  await rm(join(checkout, LOCK));
  await rm(join(project.stateDir, 'blobs'), { recursive: true });
  const watching = project.start(...BUILD);
  const ended = once(watching, 'close');
  await saysGold(watching);
  await killService(project.stateDir, 'temporal');
  const [code] = (await ended) as [number | null];
  expect(code).toBe(0);
  expect(await readFile(join(checkout, LOCK), 'utf8')).toBe(committed);
});

test('built again it finds every part, and says why tasks were left out', async () => {
  // The one before began without a lock: with that there is a sample to keep.
  await project.json(BUILD);
  const before = await foundParts();
  const built = await project.json<{ tasks: number; lock_path: string }>(BUILD);
  expect(built).toMatchObject({ tasks: 40, lock_path: join(checkout, LOCK) });
  expect(await foundParts()).toEqual(before);
  expect(before.length).toBeGreaterThan(40);
  const reasons = join(project.stateDir, 'datasets', 'repocraft', 'textkit-left-out.txt');
  expect(await readFile(reasons, 'utf8')).toBe('');
});

test('what is locked keeps its place and its id; a new sample is one without any of them', async () => {
  const lock = JSON.parse(committed) as DatasetLock;
  const [first, second, ...others] = lock.tasks;
  // As if two tasks had been locked as one, under another name.
  const one = { ...first!, id: 'textkit-older-007', functions: [...first!.functions, ...second!.functions] };
  const tasks = [one, ...others];
  const counts = { ...lock.counts, tasks: tasks.length };
  await writeFile(join(checkout, LOCK), lockText({ ...lock, counts, tasks, digest: tasksDigest(tasks) }));
  expect(await project.durabench(...BUILD)).toMatchObject({ code: 0 });
  const kept = JSON.parse(await readFile(join(checkout, LOCK), 'utf8')) as DatasetLock;
  expect(kept.tasks.map(({ id, functions }) => [id, functions])).toEqual(
    tasks.map(({ id, functions }) => [id, functions]),
  );
  expect(await project.durabench(...BUILD, '--new-sample')).toMatchObject({ code: 0 });
  expect(await readFile(join(checkout, LOCK), 'utf8')).toBe(committed);
});

describe('a model describes the tasks', () => {
  const VERSION = join('tasks', 'repocraft', 'dataset', 'versions', '4-author-1', 'textkit.lock.json');
  const TEXT = 'It says how a text is made up, in figures. What is empty comes to nothing, and nothing is refused.';
  const answer = (text: string): string => JSON.stringify({ description: text });
  let model: ScriptedModelServer;

  const build = (usd: string): Promise<CommandEnd> =>
    project.durabench(...BUILD, '--descriptions', 'author-1', '--base-url', model.url, '--price', '1,2', '--usd', usd);

  /** What the account of the builds tells. */
  const costs = async (): Promise<Costs> => {
    const { accounts } = await project.json<{ accounts: Costs[] }>(['dataset', 'costs', 'repocraft']);
    return accounts[0]!;
  };

  beforeAll(async () => {
    const telling = answer(`${TEXT} As textkit does.`);
    const rules = [
      // The first task is described twice in words that may not be used.
      { match: { purpose: 'describe', contains: 'cannot be used' }, answer: telling },
      { match: { purpose: 'describe' }, times: 1, answer: telling },
    ];
    model = await startScriptedModelServer({ rules: { rules, default: { answer: answer(TEXT), delayMs: 2_000 } } });
  });
  afterAll(async () => model?.close());

  test('as far as the money goes; with more it goes on, and no answer is paid twice', async () => {
    const poor = await build('0.02');
    expect(poor.code).toBe(1);
    expect(lastProblem(poor)[0]).toMatch(/^error: textkit: .*budget/);
    expect(model.requests.length).toBeGreaterThan(0);
    expect(model.requests.length).toBeLessThan(41);
    // More of it is admitted by a limit of its account, whose other limits are a campaign's.
    const raised = await project.json<object>(['budget', ACCOUNT, '--tokens', '1000000', '--reason', 'more']);
    expect(raised).toMatchObject({
      account: ACCOUNT,
      changed: true,
      before: { usd: 0.02 },
      after: { tokens: 1_000_000 },
    });
    const hours = await project.durabench('budget', ACCOUNT, '--wall-hours', '1');
    expect(lastProblem(hours)[0]).toBe(`error: budget ${ACCOUNT} was given --wall-hours`);
    const going = build('5');
    const running = async () => (await costs()).spend.calls > 1;
    await until(running);
    // It is no campaign to be ended, held or gone on with, while it runs or later; a cancel of the build is.
    const refusals = ['cancel', 'pause', 'resume', 'status', 'report'].map((command) =>
      project.durabench(command, ACCOUNT),
    );
    for (const refused of await Promise.all(refusals)) {
      expect(refused.code, refused.stdout).toBe(1);
      expect(lastProblem(refused)).toEqual([
        `error: "${ACCOUNT}" is the cost account of a dataset build, not a campaign`,
        expect.stringMatching(/^ {2}expected: a campaign; a build is ended with `durabench dataset cancel`/),
        `  fix: its costs: durabench dataset costs repocraft; its limit: durabench budget ${ACCOUNT}`,
      ]);
    }
    const end = await going;
    expect(end, end.stderr).toMatchObject({ code: 0 });
    expect(model.requests.map(({ purpose, attempt }) => [purpose, attempt])).toEqual(Array(41).fill(['describe', 1]));
  });

  test('which makes another version of the dataset, beside the one by rule', async () => {
    const lock = JSON.parse(await readFile(join(checkout, VERSION), 'utf8')) as DatasetLock;
    const base = JSON.parse(committed) as DatasetLock;
    const prompt = expect.stringMatching(/^describe\.v1@[0-9a-f]{8}$/) as string;
    expect(lock).toMatchObject({
      version: '4-author-1',
      descriptions: { model: 'author-1', prompt, byModel: 39, byRule: 1 },
    });
    const changed = lock.tasks.filter(({ sha256 }, index) => sha256 !== base.tasks[index]?.sha256);
    expect(changed.map(({ description }) => description)).toEqual(Array(39).fill(TEXT));
    expect(lock.tasks.map(({ id }) => id)).toEqual(base.tasks.map(({ id }) => id));
    expect(await readFile(join(checkout, LOCK), 'utf8')).toBe(committed);
    const [byRule] = lock.tasks.filter(({ description }) => description === undefined);
    const reasons = join(project.stateDir, 'datasets', 'repocraft', '4-author-1', 'textkit-by-rule.txt');
    expect(await readFile(reasons, 'utf8')).toBe(`${byRule?.id}: it says "textkit", which gives the library away`);
  });

  test('whose calls are paid by an account of its own, with no campaign', async () => {
    const { campaigns, accounts } = await project.json<{ campaigns: unknown[]; accounts: Costs[] }>(['list']);
    expect(campaigns).toEqual([]);
    expect(accounts).toMatchObject([{ account: ACCOUNT, model: 'author-1', budget: { usd: 5, tokens: 1_000_000 } }]);
    const { spend, usage, events, temporal_ui: page } = await costs();
    expect(spend).toMatchObject({ calls: 41, repeated_calls: 0 });
    expect(usage).toMatchObject([{ project: 'textkit', purpose: 'describe', calls: 41, usd: spend.usd }]);
    expect(events.map(({ action }) => action)).toEqual(['budget', 'settings']);
    expect(decodeURIComponent(page ?? '')).toMatch(/workflows\/[0-9a-f]{12}\/dataset\/repocraft\/4-author-1/);
    const { stdout } = await project.durabench('dataset', 'costs', 'repocraft');
    expect(stdout).toMatch(
      /^account +repocraft@4-author-1: descriptions by author-1\nlimit +\$5.00 and 1,000,000 tokens;/,
    );
    expect(stdout).toMatch(/textkit +describe +41/);
    expect((await project.durabench('list')).stdout).toMatch(/repocraft@4-author-1 +author-1 +41 /);
  });

  test('which is fetched from its lock alone, and campaigns may ask for it', async () => {
    await rm(join(project.stateDir, 'blobs'), { recursive: true });
    const lock = JSON.parse(await readFile(join(checkout, VERSION), 'utf8')) as DatasetLock;
    const fetch = ['dataset', 'fetch', 'repocraft', '--project', 'textkit', '--dataset-version'];
    expect(await project.json([...fetch, '4-author-1'])).toMatchObject({ tasks: 40, digest: lock.digest });
    const { sha256 } = lock.tasks.find(({ description }) => description !== undefined)!;
    const blob = join(project.stateDir, 'blobs', 'sha256', sha256.slice(0, 2), sha256);
    expect(JSON.parse(await readFile(blob, 'utf8'))).toMatchObject({ description: TEXT });
    const dataset = '{ projects: [textkit], version: 4-author-1, limit: 2 }';
    const file = join(project.folder, 'campaign.yaml');
    await writeFile(
      file,
      `name: v\nsuite: repocraft\ndataset: ${dataset}\nsystems: [{ id: 'null', generator: 'null' }]\n`,
    );
    const plan = await project.json<{ campaign: { dataset: string } }>(['run', file, '--dry-run']);
    expect(plan.campaign.dataset).toBe('repocraft@4-author-1 textkit (2 of 40)');
    const unknown = await project.durabench(...fetch, '4-author-2');
    expect(unknown.code).not.toBe(0);
    expect(lastProblem(unknown)).toEqual([
      'error: there is no version "4-author-2" of the tasks of textkit',
      '  expected: the usual one (leave the version out), 4-author-1',
      expect.stringMatching(/^ {2}fix: .*--project textkit --descriptions MODEL$/),
    ]);
  });
});

test('a changed release ends with three lines, and the lock stays', async () => {
  const source = join(checkout, 'tasks', 'repocraft', 'projects', 'textkit', 'src', 'textkit', '__init__.py');
  await writeFile(source, `${await readFile(source, 'utf8')}\n# changed\n`);
  const end = await project.durabench(...BUILD);
  expect(end.code).toBe(1);
  expect(lastProblem(end)).toEqual([
    expect.stringMatching(/^error: textkit: .*the hash of its Python files is .*not the pinned textkit/),
    expect.stringMatching(/^ {2}expected: the files as committed/),
    expect.stringMatching(/^ {2}fix: git checkout/),
  ]);
  expect(await readFile(join(checkout, LOCK), 'utf8')).toBe(committed);
});

test('cancelling without a build says so, and changes nothing', async () => {
  const end = await project.durabench('dataset', 'cancel', 'repocraft');
  expect(end.code).toBe(0);
  expect(end.stderr).toContain('no build of the dataset of repocraft is running: nothing was changed');
});

/** Waits until a watching command says that gold runs. */
async function saysGold(watching: ChildProcess): Promise<void> {
  let said = '';
  watching.stderr?.on('data', (bytes: Buffer) => (said += bytes.toString()));
  await until(
    () => Promise.resolve(said.includes('gold, isolated')),
    () => said,
  );
}

async function until(condition: () => Promise<boolean>, why: () => string = () => ''): Promise<void> {
  if (!(await waitUntil(condition))) throw new Error(`waited for two minutes in vain: ${why()}`);
}

function pidOf(name: ServiceName): number {
  const pid = stackStatus(project.stateDir).services.find((service) => service.name === name)?.pid;
  if (pid === undefined || pid === null) throw new Error(`${name} does not run`);
  return pid;
}

/** Containers whose owner is the process of that id on this machine. */
async function containersOf(pid: number): Promise<string[]> {
  const found = await connectDocker().listContainers({ all: true, filters: { label: [LABEL.instance] } });
  return found
    .filter(({ Labels: labels }) => labels[LABEL.instance]?.startsWith(`${hostname()}/${pid}/`))
    .map(({ Id: id }) => id);
}

/** Everything that harvest and gold have found, each with the number of its file: found anew, it is another one. */
async function foundParts(): Promise<string[]> {
  const folder = join(project.stateDir, 'blobs', 'derived');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const parts = await Promise.all(
    files.map(async (file) => {
      const { key } = JSON.parse(await readFile(file, 'utf8')) as { key: string };
      return /^repocraft\/(plan|library|gold)\//.test(key) ? [`${key} ${(await stat(file)).ino}`] : [];
    }),
  );
  return parts.flat().sort();
}

/** The last problem a command told. */
/** The lines of the last problem that was printed. */
function lastProblem({ stderr }: CommandEnd): string[] {
  const lines = stderr.trim().split('\n');
  return lines.slice(lines.findLastIndex((line) => line.startsWith('error: ')));
}
