import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDocker } from '../src/adapters/docker/connect-docker.js';
import { LABEL } from '../src/adapters/docker/labels.js';
import { stackStatus } from '../src/stack/stack-status.js';
import type { ServiceName } from '../src/stack/stack-state.js';
import { waitUntil } from '../src/stack/wait-until.js';
import { createCliProject, type CliProject, type CommandEnd } from './fixtures/cli-project.js';
import { PACKAGE_ROOT } from './fixtures/engine.js';

/**
 * The library of ours, built as a maintainer builds it: the built command line, a stack of its own, Docker. In a copy
 * of the package, since a build writes into its checkout.
 */
const PARTS = ['bin', 'deploy', 'dist', 'package.json', 'tasks'];
const BUILD = ['dataset', 'build', 'repocraft', '--project', 'textkit'];
const LOCK = join('tasks', 'repocraft', 'dataset', 'textkit.lock.json');

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
  const worker = pidOf('worker');
  await until(async () => (await containersOf(worker)).length > 0);
  watching.kill('SIGKILL');
  process.kill(worker, 'SIGKILL');

  // Another project cannot join it, and its own can be watched again.
  const other = await project.durabench('dataset', 'build', 'repocraft', '--project', 'requests');
  expect(other.code).toBe(1);
  expect(threeLines(other)).toEqual([
    expect.stringMatching(/^error: a build of repocraft runs since .*, without requests$/),
    '  allowed: one build of a suite at a time',
    expect.stringMatching(/^ {2}to mend: wait for it \(.*--project textkit\) or end it \(durabench dataset cancel/),
  ]);
  const end = await project.durabench(...BUILD);
  expect(end.stderr).toContain('watching the build of textkit');
  expect(end).toMatchObject({ code: 0 });
  expect(await readFile(join(checkout, LOCK), 'utf8')).toBe(committed);
  await until(async () => (await containersOf(worker)).length === 0);
}, 600_000);

test('a second build, from nothing and while Temporal is killed, makes the same bytes', async () => {
  await rm(join(checkout, LOCK));
  await rm(join(project.stateDir, 'blobs'), { recursive: true });
  const watching = project.start(...BUILD);
  const ended = once(watching, 'close');
  await saysGold(watching);
  process.kill(pidOf('temporal'), 'SIGKILL');
  const [code] = (await ended) as [number | null];
  expect(code).toBe(0);
  expect(await readFile(join(checkout, LOCK), 'utf8')).toBe(committed);
}, 600_000);

test('built again it finds every part, and says why tasks were left out', async () => {
  const before = await foundParts();
  const built = await project.json<{ tasks: number; lock_path: string }>(BUILD);
  expect(built).toMatchObject({ tasks: 40, lock_path: join(checkout, LOCK) });
  expect(await foundParts()).toEqual(before);
  expect(before.length).toBeGreaterThan(40);
  const reasons = join(project.stateDir, 'datasets', 'repocraft', 'textkit-left-out.txt');
  expect(await readFile(reasons, 'utf8')).toBe('');
});

test('a changed release ends with three lines, and the lock stays', async () => {
  const source = join(checkout, 'tasks', 'repocraft', 'projects', 'textkit', 'src', 'textkit', '__init__.py');
  await writeFile(source, `${await readFile(source, 'utf8')}\n# changed\n`);
  const end = await project.durabench(...BUILD);
  expect(end.code).toBe(1);
  expect(threeLines(end)).toEqual([
    expect.stringMatching(/^error: textkit: .*the hash of its Python files is .*not the pinned textkit/),
    expect.stringMatching(/^ {2}allowed: the files as committed/),
    expect.stringMatching(/^ {2}to mend: git checkout/),
  ]);
  expect(await readFile(join(checkout, LOCK), 'utf8')).toBe(committed);
});

test('cancelling without a build says how to start one', async () => {
  const end = await project.durabench('dataset', 'cancel', 'repocraft');
  expect(end.code).toBe(1);
  expect(threeLines(end)[0]).toBe('error: no build of the dataset of repocraft is running');
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
  if (!(await waitUntil(condition, { timeoutMs: 120_000 })))
    throw new Error(`waited for two minutes in vain: ${why()}`);
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
function threeLines({ stderr }: CommandEnd): string[] {
  return stderr.trim().split('\n').slice(-3);
}
