import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { awaitCampaign, startCampaign } from '../../src/adapters/temporal/campaign-workflow.js';
import type { Suite } from '../../src/suite/suite.js';
import { echoPlan } from '../fixtures/engine/echo-campaign.js';
import { startEngine, type Engine } from '../fixtures/engine/engine.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { freshDatabase, type FreshDatabase } from '../fixtures/postgres/postgres.js';

/** What a build needs of the tree. */
const PARTS = [
  ...['src', 'workflows', 'activities', 'tasks', 'packaging'],
  // So that the compiler goes on from what it knows of the rest.
  'dist',
  ...['package.json', 'tsconfig.json', 'tsconfig.build.json'],
];

let tree: string;
let database: FreshDatabase;
let engine: Engine;

beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), 'durabench-parrot-'));
  for (const part of PARTS) await cp(join(PACKAGE_ROOT, part), join(tree, part), { recursive: true });
  await symlink(join(PACKAGE_ROOT, 'node_modules'), join(tree, 'node_modules'));
  database = await freshDatabase();
  engine = await startEngine(database.databaseUrl);
});

afterAll(async () => {
  await engine?.close();
  await database?.drop();
  await rm(tree, { recursive: true, force: true });
});

test('docs/adding-a-suite.md: a copy of echo and one entry in each of two lists is a suite that runs', async () => {
  await copyEcho('parrot');
  await change('plans.ts', [/^/, "import { parrotPlans } from './parrot/plan.js';\n"], [/(?=\];)/, ', parrotPlans']);
  await change('suites.ts', [/(?=\n};)/, "\n  parrot: async () => (await import('./parrot/parrot.js')).parrotSuite,"]);
  await build();
  const { suites } = JSON.parse(await readFile(join(tree, 'dist', 'digests.json'), 'utf8')) as { suites: object };
  expect(suites).toHaveProperty('parrot');

  await engine.startWorker({ command: [process.execPath, join(tree, 'dist', 'src', 'worker', 'main.js')], cwd: tree });
  const compiled = pathToFileURL(join(tree, 'dist', 'tasks', 'parrot', 'parrot.js')).href;
  const { parrotSuite } = (await import(compiled)) as { parrotSuite: Suite };
  const plan = await echoPlan({ name: 'parrots', generators: ['parrot'], dataset: { tasks: 5 }, suite: parrotSuite });
  await engine.records.createCampaign(plan);
  await startCampaign(engine, plan.id);
  await awaitCampaign(engine, plan.id);
  const row = await engine.records.campaign(plan.id);
  expect(row).toMatchObject({ suite: 'parrot', status: 'completed', trials: { planned: 5, passed: 5 } });
});

/** Step 1 of the page: copy the folder, and its name in file names and texts. */
async function copyEcho(name: string): Promise<void> {
  const folder = join(tree, 'tasks', name);
  await cp(join(tree, 'tasks', 'echo'), folder, { recursive: true });
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const text = await readFile(path, 'utf8');
    const capital = name.charAt(0).toUpperCase() + name.slice(1);
    await writeFile(path, text.replaceAll('echo', name).replaceAll('Echo', capital));
    await rename(path, join(entry.parentPath, entry.name.replace('echo', name)));
  }
}

/** Step 2: one more entry in a list. */
async function change(list: string, ...insertions: [where: RegExp, what: string][]): Promise<void> {
  const path = join(tree, 'tasks', list);
  let text = await readFile(path, 'utf8');
  for (const [where, what] of insertions) {
    expect(text).toMatch(where);
    text = text.replace(where, what);
  }
  await writeFile(path, text);
}

async function build(): Promise<void> {
  const run = promisify(execFile);
  // Under the names that the compiler's record of its last build has: it would check everything anew under those that links lead to.
  const named = ['--preserve-symlinks', '--preserve-symlinks-main'];
  const compiler = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--preserveSymlinks'];
  await run(process.execPath, [...named, ...compiler], { cwd: tree });
  for (const library of ['docker-client', 'query-builder'])
    await run(process.execPath, [`packaging/${library}.js`], { cwd: tree });
  await run(process.execPath, ['dist/src/worker/build-bundle.js'], { cwd: tree });
}
