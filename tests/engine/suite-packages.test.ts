import { mkdtemp, readdir, readFile, realpath, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startCampaign } from '../../src/adapters/temporal/campaign-workflow.js';
import { suitePackages, type SuitePackage } from '../../src/config/suite-packages.js';
import type { CampaignPlan } from '../../src/contract/plan.js';
import { UserError } from '../../src/domain/failure/user-error.js';
import { waitLines } from '../../src/report/text/wait-lines.js';
import type { Suite } from '../../src/suite/suite.js';
import { bundleWith } from '../../src/worker/package-bundle.js';
import { echoPlan, type EchoCampaign } from '../fixtures/engine/echo-campaign.js';
import { startEngine, type Engine, type TestWorker } from '../fixtures/engine/engine.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { parrotProject } from '../fixtures/engine/parrot-package.js';
import { freshDatabase, type FreshDatabase } from '../fixtures/postgres/postgres.js';
import { waitUntil } from '../fixtures/wait-until.js';

/** Workers of one installation of which some have the suite of a package, and some do not. */

let folder: string;
let project: string;
let database: FreshDatabase;
let engine: Engine;
let parrot: Suite;
let workers: TestWorker[] = [];

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'durabench-parrot-')));
  project = join(folder, 'project');
  [parrot, database] = await Promise.all([parrotProject(project), freshDatabase()]);
  engine = await startEngine(database.databaseUrl);
});

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop('SIGKILL')));
  workers = [];
});

afterAll(async () => {
  await engine?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** In the project that names the package, or in one that names none. */
async function worker(where: 'with' | 'without', ...roles: string[]): Promise<TestWorker> {
  const started = await engine.startWorker({
    cwd: where === 'with' ? project : PACKAGE_ROOT,
    arguments: roles.length === 0 ? [] : ['--roles', roles.join(',')],
  });
  workers.push(started);
  return started;
}

async function begin(shape: EchoCampaign): Promise<CampaignPlan> {
  const plan = await echoPlan(shape);
  await engine.records.createCampaign(plan);
  await startCampaign(engine, plan.id);
  return plan;
}

const parrots = (name: string): EchoCampaign => ({ name, generators: ['parrot'], suite: parrot });
const packages = (root: string): SuitePackage[] => suitePackages({ projectRoot: root, variable: () => undefined });

/** By the record: the workflow of a campaign that is taken over ends, and another one goes on. */
async function expectAllPassed({ id }: CampaignPlan): Promise<void> {
  await waitUntil(async () => (await engine.records.campaign(id)).endedAt !== null);
  expect(await engine.records.campaign(id)).toMatchObject({ status: 'completed', trials: { planned: 8, passed: 8 } });
}

test('a suite of a package runs, with a workflow of its own', async () => {
  await worker('with');
  const plan = await begin(parrots('flock'));
  await expectAllPassed(plan);
  const flight = engine.client.workflow.getHandle(engine.names.workflow('parrotFlight', `${plan.id}/parrot/words/1`));
  expect(await flight.describe()).toMatchObject({ type: 'parrotFlight', status: { name: 'COMPLETED' } });
});

test('a worker without the package gives its steps back; whoever comes with it does them', async () => {
  const lacking = await worker('without', 'light', 'model', 'sandbox');
  await worker('with', 'workflows');
  const plan = await begin(parrots('lacking'));
  const waits = await waitUntil(async () => {
    const found = (await engine.records.waits(plan.id)).filter(({ type }) => type === 'suite.missing');
    return found.length > 0 && found;
  });
  const [line, ...more] = waitLines(waits || []);
  expect(line).toMatch(
    /^waiting for a worker with the suite since .*: worker \S+: this worker does not have the suite parrot/,
  );
  expect(more.join('\n')).toContain('DURABENCH_SUITES');
  const isLogged = async (): Promise<boolean> =>
    (await readFile(lacking.logFile, 'utf8')).includes('this worker lacks what a step needs');
  expect(await waitUntil(isLogged)).toBe(true);
  expect(await engine.records.campaign(plan.id)).toMatchObject({ status: 'running', trials: { done: 0 } });
  await worker('with', 'light');
  await expectAllPassed(plan);
});

test('a worker without the package leaves its campaigns to those that have it, and takes over the others', async () => {
  const first = await worker('with', 'workflows');
  const [left, taken] = [
    await begin(parrots('left')),
    await begin({ name: 'taken', generators: ['echo'], dataset: { tasks: 8 } }),
  ];
  const isOpened = async ({ id }: CampaignPlan): Promise<boolean> =>
    (await engine.records.campaign(id)).server !== null;
  expect(await waitUntil(async () => (await isOpened(left)) && (await isOpened(taken)))).toBe(true);
  const { code } = await engine.records.campaign(left.id);
  await first.stop();
  const other = await worker('without');
  await expectAllPassed(taken);
  expect(await engine.records.campaign(left.id)).toMatchObject({ status: 'running', code, trials: { done: 0 } });
  await other.stop();
  await worker('with');
  await expectAllPassed(left);
});

test('the bundle is made once for each code, and goes when others have taken its place for a week', async () => {
  const bundles = join(folder, 'bundles');
  const make = (code: string): Promise<string> =>
    bundleWith(packages(project), { packageRoot: PACKAGE_ROOT, folder: bundles, code });
  const path = await make('one');
  expect(await readFile(path, 'utf8')).toContain('parrotFlight');
  const { mtimeMs } = await stat(path);
  expect(await make('one')).toBe(path);
  expect((await stat(path)).mtimeMs).toBe(mtimeMs);
  const longAgo = new Date('2020-01-01');
  await utimes(path, longAgo, longAgo);
  expect(await readdir(bundles)).toEqual([basename(path)]);
  const next = await make('two');
  expect(await readdir(bundles)).toEqual([basename(next)]);
});

test('workflow code that imports what is not for workflows is refused, with the module', async () => {
  const other = join(folder, 'other');
  const plans = "import { readFileSync } from 'node:fs';\nimport { manifest } from './manifest.js';\n";
  await parrotProject(other, {
    'plans.js': `${plans}export const plans = { manifest, trial: () => readFileSync('x') };`,
  });
  const parts = { packageRoot: PACKAGE_ROOT, folder: join(folder, 'bundles'), code: 'refused' };
  const error = await bundleWith(packages(other), parts).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).message).toMatch(/the workflow code of parrot 1\.0\.0 cannot be bundled: node:fs: /);
});
