import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { installPackage, type InstalledPackage } from '../fixtures/cli/installed-package.js';

// What `npm pack` makes, installed in a folder that is no clone, with no compiler at hand.

let installed: InstalledPackage;

beforeAll(async () => {
  installed = await installPackage();
});

afterAll(async () => {
  await installed?.close();
});

test('holds what runs, and no tests, sources or maps', () => {
  expect(installed.files).toEqual(
    expect.arrayContaining([
      ...['bin/durabench.js', 'dist/workflow-bundle.js', 'dist/digests.json'],
      ...[
        'dist/vendor/dockerode.cjs',
        'dist/vendor/kysely.cjs',
        'dist/vendor/workflow-parser.cjs',
        'dist/vendor/charts.js',
      ],
      ...['LICENSE', 'README.md', 'CHANGELOG.md', 'tasks/repocraft/dataset/requests.lock.json'],
      ...[
        'tasks/repocraft/prompts/vote.v1.md',
        'deploy/images/base/recipe.yaml',
        'deploy/onnxruntime/package-lock.json',
      ],
    ]),
  );
  // The library of ours that is a reference has tests of its own, and so have the projects that authored tasks are about.
  const data = /^tasks\/(repocraft\/projects|[^/]+\/dataset\/tasks)\//;
  const other = installed.files.filter((path) => !data.test(path));
  expect(other.filter((path) => /\.test\.|\.conformance\.|(^|\/)tests\/|\.map$|__pycache__/.test(path))).toEqual([]);
  expect(other.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))).toEqual([]);
  // Every one of them comes from a source of today.
  const compiled = other.filter((path) => /^dist\/(src|workflows|activities|tasks)\/.*\.js$/.test(path));
  const source = (path: string): string => join(PACKAGE_ROOT, path.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
  expect(compiled.filter((path) => !existsSync(source(path)))).toEqual([]);
});

test('brings a command, and nothing that a compiler is needed for or that downloads at install', async () => {
  const manifest = JSON.parse(
    await readFile(join(installed.folder, 'node_modules/durabench/package.json'), 'utf8'),
  ) as Record<string, unknown>;
  expect(manifest.bin).toEqual({ durabench: 'bin/durabench.js' });
  for (const part of ['private', 'scripts', 'devDependencies', 'overrides', 'allowScripts'])
    expect(manifest).not.toHaveProperty(part);
  for (const name of ['ssh2', 'cpu-features', 'nan', 'dockerode', 'onnxruntime-node', 'vega', 'd3-array'])
    expect(existsSync(join(installed.folder, 'node_modules', name)), name).toBe(false);
});

test('npm says nothing about settings of ours', async () => {
  expect(await readFile(join(PACKAGE_ROOT, '.npmrc'), 'utf8')).not.toMatch(/onnxruntime/);
  const { stderr } = await installed.npx('--version');
  expect(stderr).not.toMatch(/project config/);
});

test('npm does not ask about scripts of what is installed in a clone: package.json says of each whether it may run', async () => {
  const [lock, manifest] = await Promise.all(
    ['package-lock.json', 'package.json'].map((name) => readFile(join(PACKAGE_ROOT, name), 'utf8')),
  );
  const { packages } = JSON.parse(lock!) as { packages: Record<string, { hasInstallScript?: true }> };
  const { allowScripts } = JSON.parse(manifest!) as { allowScripts: Record<string, boolean> };
  const asked = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript ? [path.replace(/^(.*\/)?node_modules\//, '')] : [],
  );
  expect(asked).toContain('@swc/core');
  expect(asked.filter((name) => !(name in allowScripts))).toEqual([]);
});

test('the command knows its version, its suites and campaign files', async () => {
  expect((await installed.npx('--version')).stdout.trim()).toBe('0.1.0');
  expect((await installed.npx('suites')).stdout).toMatch(/^echo .*\n[^]*^repocraft /m);
  await writeFile(join(installed.folder, 'campaign.yaml'), CAMPAIGN);
  await installed.npx('validate', 'campaign.yaml');
});

test('a message names examples where they are', async () => {
  const { stderr } = await installed.npx('validate').catch((error: unknown) => error as { stderr: string });
  const [, told = 'none'] = /durabench (validate \S+campaign\.yaml)/.exec(stderr) ?? [];
  expect(told).toBe('validate node_modules/durabench/examples/quickstart/campaign.yaml');
  await installed.npx(...told.split(' '));
});

test('a campaign runs to its end', async () => {
  await installed.npx('up');
  await installed.npx('run', 'campaign.yaml', '--id', 'packed');
  const { stdout } = await installed.npx('status', 'packed', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ campaign: { status: 'completed' }, trials: { done: 5 } });
});

test('the library, the contract of suites and what tests them are there, with types', async () => {
  await writeFile(join(installed.folder, 'check.mts'), CHECK);
  const options = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--skipLibCheck', '--types', 'node'];
  const compiler = join(PACKAGE_ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const run = promisify(execFile);
  const compiled = await run(process.execPath, [compiler, ...options, 'check.mts'], { cwd: installed.folder }).catch(
    (error: unknown) => error as { stdout: string },
  );
  expect(compiled.stdout).toBe('');
  const { stdout } = await run(process.execPath, ['check.mjs'], { cwd: installed.folder });
  expect(JSON.parse(stdout)).toEqual({ read: 'hello', connect: 'function', contract: 1 });
});

test.each([
  ['the command', ['node_modules/.bin/durabench', 'suites'], 5],
  ['the library', ['--input-type=module', '--eval', "await import('durabench')"], 1],
  ['the contract of suites', ['--input-type=module', '--eval', "await import('durabench/suite')"], 1],
  ['what tests them', ['--input-type=module', '--eval', "await import('durabench/testing')"], 1],
])('under a Node that is too old %s says which it needs', async (_, argv, code) => {
  const older = join(installed.folder, 'older.cjs');
  await writeFile(
    older,
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } });",
  );
  const failed = await promisify(execFile)(process.execPath, ['--require', older, ...argv], {
    cwd: installed.folder,
  }).catch((error: unknown) => error as { code: number; stdout: string; stderr: string });
  expect(failed).toMatchObject({ code, stdout: '' });
  expect(failed.stderr).toContain('durabench needs Node 20.19 or newer, this is 18.20.8: https://nodejs.org');
});

const CAMPAIGN = `
name: packed
suite: echo
dataset: { tasks: 5 }
systems:
  - { id: perfect, generator: echo }
`;

const CHECK = `
import { connect, type StatusReport } from 'durabench';
import { SUITE_CONTRACT, readFiles, type StageFunction, type Suite } from 'durabench/suite';
import { createMemoryBlobs } from 'durabench/testing';

export const stage: StageFunction = async ({ blobs }) => ({ result: { found: (await blobs.get('0')).length } });
export const passed = (report: StatusReport): number => report.systems[0]?.passed ?? 0;
export const idOf = (suite: Suite): string => suite.manifest.id;
const blobs = createMemoryBlobs();
const { sha256 } = await blobs.put('hello', { name: 'a.txt', mediaType: 'text/plain' });
// @ts-expect-error: types are checked
export const wrong = (): unknown => readFiles(1);
console.log(
  JSON.stringify({ read: (await blobs.get(sha256)).toString(), connect: typeof connect, contract: SUITE_CONTRACT }),
);
`;
