import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../config/package-root.js';
import { suitePackages } from '../config/suite-packages.js';
import type { Problem } from '../contract/problem.js';
import { UserError } from '../domain/failure/user-error.js';
import { packageDigest, workflowCodeWith } from '../stack/code-digest.js';
import { allSuites, ownSuites, readSuites, suiteNamed } from './registry.js';

let project: string;
let named: string | undefined;

beforeEach(async () => {
  project = await realpath(await mkdtemp(join(tmpdir(), 'durabench-suites-')));
  named = undefined;
  await mkdir(join(project, 'node_modules'));
  await symlink(packageRoot(import.meta.url), join(project, 'node_modules', 'durabench'));
});

afterEach(() => rm(project, { recursive: true, force: true }));

const place = () => ({
  projectRoot: project,
  variable: (name: string) => (name === 'DURABENCH_SUITES' ? named : undefined),
});

async function write(path: string, content: string | object): Promise<void> {
  const file = join(project, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
}

interface Parts {
  version?: string;
  suite?: object | null;
  files?: Record<string, string>;
  more?: object;
}

const MANIFEST = { contract: 1, module: 'suite.js', plans: 'plans.js' };
const PARTS =
  "folder: '.', schemas: {}, generators: {}, campaignProblems() {}, images() {}, dataset: {}, trialSettings() {}, resultColumns: []";
const moduleOf = (what: string, id: string, stages = '{ score() {} }'): string =>
  `export const ${what} = { manifest: { id: '${id}', stages: { vote: null, score: {} } }, ${PARTS}, stages: ${stages} };`;

/** A package in node_modules, and its name in the project's list. */
async function install(name: string, { version = '1.0.0', suite = MANIFEST, files = {}, more = {} }: Parts = {}) {
  const id = name.replace(/^.*\//, '');
  const durabench = suite === null ? undefined : { suite };
  const modules = { 'suite.js': moduleOf('suite', id), 'plans.js': moduleOf('plans', id), ...files };
  await write(`node_modules/${name}/package.json`, { name, version, type: 'module', durabench, ...more });
  for (const [path, text] of Object.entries(modules)) await write(`node_modules/${name}/${path}`, text);
  named = named === undefined ? name : `${named},${name}`;
}

async function problemOf(): Promise<Problem> {
  const error = await allSuites(place()).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  const { kind, problems } = error as UserError;
  expect(kind).toBe('environment');
  expect(problems).toHaveLength(1);
  return problems[0]!;
}

describe('suites from packages', () => {
  it('stand behind those of the tree, and say where they come from', async () => {
    await install('@me/parrot', { version: '1.2.3' });
    const own = await ownSuites();
    const all = await allSuites(place());
    expect(all.map(({ manifest }) => manifest.id)).toEqual([...own.map(({ manifest }) => manifest.id), 'parrot']);
    const folder = join(project, 'node_modules/@me/parrot');
    expect(all.at(-1)).toMatchObject({ folder, from: { name: '@me/parrot', version: '1.2.3', folder } });
    expect(await suiteNamed('parrot', place())).toMatchObject({ folder });
    expect((await suiteNamed('echo', place())).from).toBeNull();
  });

  it('are named by package.json, or by DURABENCH_SUITES in its place', async () => {
    await install('parrot');
    await install('magpie');
    named = undefined;
    await write('package.json', { name: 'project', durabench: { suites: ['parrot', 'parrot'] } });
    expect(suitePackages(place()).map(({ name }) => name)).toEqual(['parrot']);
    named = ' magpie , ';
    expect(suitePackages(place()).map(({ name }) => name)).toEqual(['magpie']);
  });

  it('may be the project itself', async () => {
    await write('package.json', {
      ...{ name: 'parrot', version: '0.0.1', type: 'module' },
      durabench: { suite: MANIFEST, suites: ['parrot'] },
    });
    await write('suite.js', moduleOf('suite', 'parrot'));
    await write('plans.js', moduleOf('plans', 'parrot'));
    expect((await suiteNamed('parrot', place())).from).toMatchObject({ folder: project });
  });

  it('are loaded only where the tree has no such suite', async () => {
    named = 'parrot';
    expect((await suiteNamed('echo', place())).from).toBeNull();
    await expect(suiteNamed('parrot', place())).rejects.toThrow('the suite package parrot is not installed');
  });

  it('that can be used are there beside one that cannot', async () => {
    await install('parrot');
    named += ',magpie';
    const { suites, problems } = await readSuites(place());
    expect(suites.map(({ manifest }) => manifest.id)).toContain('parrot');
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('magpie')]);
    expect((await suiteNamed('parrot', place())).from?.name).toBe('parrot');
  });
});

describe('refuses, with the place and the way out', () => {
  it('a list that is none', async () => {
    await write('package.json', { durabench: { suites: 'parrot' } });
    expect(await problemOf()).toMatchObject({
      message: `${join(project, 'package.json')}: durabench.suites is not a list of package names`,
      expected: expect.stringContaining('"suites": ["package"]') as string,
    });
  });

  it('a path for a name', async () => {
    named = './parrot';
    expect((await problemOf()).message).toBe('"./parrot" is not the name of a suite package');
  });

  it('a package that is not installed', async () => {
    named = 'parrot';
    expect(await problemOf()).toEqual({
      message: `the suite package parrot is not installed in ${project}`,
      fix: 'npm install parrot, or remove it from DURABENCH_SUITES or durabench.suites in package.json',
    });
  });

  it('a package without a manifest, or with an incomplete one', async () => {
    await install('parrot', { suite: null });
    expect((await problemOf()).message).toContain(
      'the package parrot has no usable durabench.suite in its package.json',
    );
    await install('parrot', { suite: { contract: 1, module: 'suite.js' } });
    expect((await problemOf()).message).toContain('durabench.suite.plans');
  });

  it.each([
    [2, 'npm install durabench@latest'],
    [0, 'npm install parrot@latest'],
  ])('suite contract %d', async (contract, fix) => {
    await install('parrot', { suite: { contract, entry: 'of another time' } });
    expect(await problemOf()).toEqual({
      message: `the suite package parrot 1.0.0 is written for suite contract ${contract}`,
      expected: 'suite contract 1, the one of this version of Durabench',
      fix,
    });
  });

  it('a package that was not built', async () => {
    await install('parrot', { suite: { ...MANIFEST, plans: 'dist/plans.js' } });
    expect((await problemOf()).message).toContain('has no file dist/plans.js');
  });

  it('an id that exists, in the tree or in another package', async () => {
    await install('echo');
    expect(await problemOf()).toEqual({
      message:
        'the suite package echo 1.0.0 cannot be used: the id "echo" of its suite is taken by a suite of Durabench',
      fix: 'remove echo from the list of suites, or give its suite another id',
    });
    named = undefined;
    await install('@me/parrot');
    await install('@you/parrot');
    expect((await problemOf()).message).toContain('taken by @me/parrot');
  });

  it('a module that throws, with the line', async () => {
    await install('parrot', { files: { 'suite.js': "\nthrow new Error('no licence');" } });
    expect((await problemOf()).message).toMatch(/cannot be imported: no licence \(at .*parrot\/suite\.js:2:7\)/);
  });

  it('a module that cannot be parsed, with its path', async () => {
    await install('parrot', { files: { 'plans.js': 'export const plans = {}}' } });
    expect((await problemOf()).message).toMatch(
      /cannot be imported: Unexpected token '}' \(.*parrot\/plans\.js, or what it imports\)/,
    );
  });

  it('a module that throws something else than an error', async () => {
    await install('parrot', { files: { 'suite.js': "throw 'nothing';" } });
    expect((await problemOf()).message).toContain('cannot be imported: nothing');
  });

  it('imports of the inside of Durabench', async () => {
    const inside = "import { allSuites } from 'durabench/dist/src/suite/registry.js';\n";
    await install('parrot', { files: { 'suite.js': `${inside}${moduleOf('suite', 'parrot')}` } });
    const problem = await problemOf();
    expect(problem.message).toContain('it imports the inside of Durabench');
    expect(problem.message).toContain('./dist/src/suite/registry.js');
    expect(problem.expected).toContain('durabench/suite');
  });

  it('a copy of Durabench of its own', async () => {
    await install('parrot');
    const copy = 'node_modules/parrot/node_modules/durabench';
    await write(`${copy}/package.json`, {
      name: 'durabench',
      version: '0.1.0',
      exports: { './package.json': './package.json' },
    });
    const problem = await problemOf();
    expect(problem.message).toContain(`uses another copy of Durabench (${join(project, copy)})`);
    expect(problem.fix).toContain('remove durabench from the dependencies of parrot');
  });

  it('a package that is linked from where there is no Durabench', async () => {
    const elsewhere = await realpath(await mkdtemp(join(tmpdir(), 'durabench-linked-')));
    await install('parrot', {
      files: { 'suite.js': `import { sha256Hex } from 'durabench/suite';\n${moduleOf('suite', 'parrot')}` },
    });
    await rename(join(project, 'node_modules', 'parrot'), join(elsewhere, 'parrot'));
    await symlink(join(elsewhere, 'parrot'), join(project, 'node_modules', 'parrot'));
    expect(await problemOf()).toMatchObject({
      message: expect.stringContaining(`it finds no Durabench from ${join(elsewhere, 'parrot')}`) as string,
      fix: `npm install --install-links ${join(elsewhere, 'parrot')}`,
    });
    await rm(elsewhere, { recursive: true });
  });

  it.each(['suite', 'plans'])('a module that exports no %s', async (what) => {
    await install('parrot', { files: { [`${what}.js`]: 'export const other = 1;' } });
    expect((await problemOf()).message).toContain(`${what}.js exports no ${what}`);
  });

  it('a suite that lacks parts, or the function of a stage', async () => {
    await install('parrot', {
      files: { 'suite.js': "export const suite = { manifest: { id: 'parrot' }, folder: '.' };" },
    });
    expect((await problemOf()).message).toMatch(/its suite lacks schemas, generators, .*, stages, resultColumns$/);
    await rm(join(project, 'node_modules', 'parrot'), { recursive: true });
    named = undefined;
    await install('crow', { files: { 'suite.js': moduleOf('suite', 'crow', '{}') } });
    expect((await problemOf()).message).toContain('its suite lacks stages.score');
  });

  it('plans of another manifest than that of the suite', async () => {
    await install('parrot', { files: { 'plans.js': moduleOf('plans', 'magpie') } });
    expect((await problemOf()).message).toContain('exports no plans with the manifest of the suite');
  });

  it('workflow names that are taken, by the engine or another package', async () => {
    const suite = { ...MANIFEST, workflows: 'workflows.js' };
    await install('parrot', { suite, files: { 'workflows.js': 'export async function trial() {}' } });
    expect((await problemOf()).message).toContain('its workflow "trial" has the name of a workflow of Durabench');
    named = undefined;
    const files = { 'workflows.js': 'export async function flock() {}' };
    await install('magpie', { suite, files });
    await install('crow', { suite, files });
    expect((await problemOf()).message).toContain('the suite package crow 1.0.0 cannot be used: its workflow "flock"');
  });
});

describe('the digest of a suite package', () => {
  const digest = (): string => packageDigest(suitePackages(place())[0]!);

  it('covers name, version, files, and the versions of the libraries it names', async () => {
    const seen = new Set<string>();
    const more = { dependencies: { words: '^1.0.0' } };
    await install('parrot', { more });
    seen.add(digest());
    await write('node_modules/words/package.json', { name: 'words', version: '1.0.0' });
    seen.add(digest());
    await write('node_modules/words/package.json', { name: 'words', version: '1.0.1' });
    seen.add(digest());
    await write('node_modules/parrot/prompts/ask.md', 'Say it.');
    seen.add(digest());
    await install('parrot', { more, version: '1.0.1' });
    seen.add(digest());
    expect(seen.size).toBe(5);
  });

  it('leaves out what is not of the package, and of a folder that is worked in what would not be packed', async () => {
    await install('parrot', { more: { files: ['suite.js', 'plans.js'] } });
    const before = digest();
    for (const path of ['node_modules/words/index.js', '.durabench/stack.json', 'campaign.yaml'])
      await write(`node_modules/parrot/${path}`, 'anything');
    expect(digest()).toBe(before);
    await write('node_modules/parrot/plans.js', `${moduleOf('plans', 'parrot')}\n// changed`);
    expect(digest()).not.toBe(before);
  });

  it('makes other workflow code of the same bundle', async () => {
    await write('bundle.js', 'the bundle');
    const bundle = join(project, 'bundle.js');
    await install('parrot');
    expect(workflowCodeWith(bundle, suitePackages(place()))).not.toBe(workflowCodeWith(bundle, []));
  });
});
