import { execFile, spawn } from 'node:child_process';
import { appendFile, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StatusReport } from '../../src/contract/status.js';
import type { FullReport } from '../../src/report/full-report.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import type { Suite } from '../../src/suite/suite.js';
import { readStackState } from '../../src/stack/stack-state.js';
import { installPackage, type InstalledPackage } from '../fixtures/cli/installed-package.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { killService } from '../fixtures/cli/kill-service.js';
import { waitUntil } from '../fixtures/wait-until.js';

// examples/suite-package as somebody else would have it: built, tested and packed against the packed Durabench, installed
// beside it in a folder that is no clone, and named in that folder's package.json.

const run = promisify(execFile);
const NAME = 'durabench-suite-regex';

let installed: InstalledPackage;
let author: string;
let suiteFolder: string;

beforeAll(async () => {
  installed = await installPackage();
  author = join(dirname(installed.folder), 'author');
  await cp(join(PACKAGE_ROOT, 'examples', 'suite-package'), author, {
    recursive: true,
  });
  await installForAuthor();
});

afterAll(async () => {
  await installed?.close();
});

/** What `npm install` brings in the author's folder, from what is here. */
async function installForAuthor(): Promise<void> {
  const packages = (from: string, name: string): string => join(from, 'node_modules', name);
  const modules = join(author, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  for (const name of ['durabench', 'zod']) await symlink(packages(installed.folder, name), join(modules, name));
  for (const name of ['typescript', '@types']) await symlink(packages(PACKAGE_ROOT, name), join(modules, name));
  await symlink(join(modules, 'typescript', 'bin', 'tsc'), join(modules, '.bin', 'tsc'));
}

test('compiles against the packed contract, and its own tests pass', async () => {
  const { stdout } = await run('npm', ['test'], { cwd: author });
  expect(stdout).toMatch(/^(#|ℹ) fail 0$/m);
  expect(stdout).toMatch(/^(#|ℹ) pass [1-9]/m);
});

test('is installed beside Durabench, and found by the list in package.json', async () => {
  await installed.install(await installed.pack(author));
  suiteFolder = join(installed.folder, 'node_modules', NAME);
  const manifest = join(installed.folder, 'package.json');
  const project = JSON.parse(await readFile(manifest, 'utf8')) as object;
  await writeFile(manifest, JSON.stringify({ ...project, durabench: { suites: [NAME] } }, null, 2));
  const { stdout } = await installed.npx('suites');
  expect(stdout).toMatch(/^regex \(version 1\): .*\n {2}package: durabench-suite-regex 1\.0\.0 \(/m);
  expect((await installed.npx('explain', 'overmatched')).stdout).toContain('(reason, regex)');
  // Whatever else this machine lacks.
  const doctor = await installed.npx('doctor', '--json').catch((error: unknown) => error as { stdout: string });
  const { findings } = JSON.parse(doctor.stdout) as { findings: { name: string; state: string; detail: string }[] };
  expect(findings).toContainEqual(
    expect.objectContaining({ name: 'suite regex', state: 'ok', detail: `${NAME} 1.0.0` }),
  );
  await cp(join(author, 'campaign.yaml'), join(installed.folder, 'campaign.yaml'));
  await installed.npx('validate', 'campaign.yaml');
});

test('a campaign runs against its own player, from the command line alone', async () => {
  const model = spawn('npx', ['--no-install', 'durabench', 'mock-model', join(suiteFolder, 'rules.yaml'), '--json'], {
    cwd: installed.folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  try {
    await installed.npx('images', 'build', 'base');
    await installed.npx('up');
    const [line] = (await once(createInterface(model.stdout), 'line')) as [string];
    await pointAt((JSON.parse(line) as { url: string }).url);
    await installed.npx('run', 'campaign.yaml', '--id', 'packed', '--yes');
  } finally {
    process.kill(-model.pid!, 'SIGTERM');
  }
  const status = await statusOf('packed');
  expect(status).toMatchObject({
    campaign: { status: 'completed', suite: 'regex' },
    trials: { planned: 20, done: 20, errored: 0 },
    systems: [
      {
        id: 'reference',
        passed: 10,
        failed: 0,
        rates: { matched: 1, rejected: 1 },
      },
      { id: 'scripted', passed: 6, failed: 4 },
    ],
  });
  const { stdout } = await installed.npx('report', 'packed', '--format', 'json');
  const { failures } = JSON.parse(stdout) as FullReport;
  expect(failures.map(({ reason, examples }) => `${reason} ${examples.join(' ')}`).sort()).toEqual([
    'invalid packed/double-letter/scripted/1',
    'no-pattern packed/no-vowels/scripted/1',
    'overmatched packed/hex-colour/scripted/1',
    'timed-out packed/slug/scripted/1',
  ]);
});

test('a worker that is killed in the middle: the campaign ends, and no answered call is asked again', async () => {
  const held: (() => void)[] = [];
  let free = 3;
  const { suite } = (await import(pathToFileURL(join(suiteFolder, 'dist/src/suite.js')).href)) as { suite: Suite };
  const model: ScriptedModelServer = await startScriptedModelServer({
    rules: { suite: 'regex', default: { plays: 'competent' } },
    suites: async () => [suite],
    onRequest: async () => {
      if ((free -= 1) < 0) await new Promise<void>((answer) => held.push(answer));
    },
  });
  try {
    await pointAt(model.url);
    await installed.npx('run', 'campaign.yaml', '--id', 'killed', '--yes', '--detach');
    const graded = async (): Promise<number> => (await statusOf('killed')).systems[1]?.passed ?? 0;
    expect(await waitUntil(async () => held.length > 0 && (await graded()) === 3)).toBe(true);
    const answered = model.requests.slice(0, 3).map(({ call }) => call);
    await killService(join(installed.folder, '.durabench'), 'worker');
    free = Infinity;
    for (const answer of held.splice(0)) answer();
    const ended = async (): Promise<boolean> => (await statusOf('killed')).campaign.status === 'completed';
    expect(await waitUntil(ended)).toBe(true);
    expect(await statusOf('killed')).toMatchObject({
      trials: { done: 20, passed: 20 },
    });
    for (const call of answered) expect(model.requests.filter((request) => request.call === call)).toHaveLength(1);
  } finally {
    await model.close();
  }
});

test('another version of the package is another worker and another grader', async () => {
  const before = await installed.npx('run', 'campaign.yaml', '--id', 'killed', '--yes');
  expect(before.stderr).not.toContain('DURABENCH_SUITES');
  await appendFile(join(suiteFolder, 'prompts', 'write-pattern.v1.md'), '\nThink first.\n');
  const worker = workerPid();
  const { stderr } = await installed.npx('up');
  expect(stderr).toMatch(
    /restarting: DURABENCH_SUITES durabench-suite-regex@1\.0\.0 \(\w{8}\) → durabench-suite-regex/,
  );
  expect(workerPid()).not.toBe(worker);
  const refused = await installed
    .npx('run', 'campaign.yaml', '--id', 'killed', '--yes')
    .catch((error: unknown) => error);
  expect((refused as { stderr: string }).stderr).toContain('grader');
});

async function pointAt(url: string): Promise<void> {
  const file = join(installed.folder, 'campaign.yaml');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/base_url: '[^']*'/, `base_url: '${url}'`));
}

async function statusOf(id: string): Promise<StatusReport> {
  return JSON.parse((await installed.npx('status', id, '--json')).stdout) as StatusReport;
}

const workerPid = (): number | undefined =>
  readStackState(join(installed.folder, '.durabench'))?.services.worker.process?.pid;
