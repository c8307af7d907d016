import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StatusReport } from '../../src/contract/status.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import { workflowCode } from '../../src/stack/code-digest.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { alteredPackage, BUILT_BUNDLE, IMPORTED_SLEEP } from '../fixtures/engine/workflow-bundle.js';
import { waitUntil } from '../fixtures/wait-until.js';

// Two versions of Durabench, installed in two places, on the stack of one project: as when one shell has pulled and another
// has not. Whoever starts something uses its own code; neither breaks what the other began.

const TASKS = 8;
const WIDTH = 3;

const answers = { isHeld: true, waiting: [] as (() => void)[] };
let folder: string;
let older: CliProject;
let newer: CliProject;
let newerCode: string;
let model: ScriptedModelServer;

beforeAll(async () => {
  [folder, older, model] = await Promise.all([
    mkdtemp(join(tmpdir(), 'durabench-versions-')),
    createCliProject(),
    startScriptedModelServer({
      rules: { rules: [{ match: { regex: '.*:\\n(.*)' }, template: 'Answer: {{1}}' }] },
      onRequest: async () =>
        answers.isHeld ? new Promise<void>((resolve) => answers.waiting.push(resolve)) : undefined,
    }),
  ]);
  const claim = '    const claim = await records.claimTrial(';
  const { root, bundle } = await alteredPackage(folder, [
    IMPORTED_SLEEP,
    { file: 'workflows/trial.ts', from: claim, to: `    await sleep(1);\n${claim}` },
  ]);
  for (const part of ['bin', 'deploy']) await cp(join(PACKAGE_ROOT, part), join(root, part), { recursive: true });
  await cp(bundle, join(root, 'dist', 'workflow-bundle.js'));
  newerCode = workflowCode(bundle);
  newer = await createCliProject({ DURABENCH_HOME: older.stateDir }, root);
  await older.json(['up']);
});

afterAll(async () => {
  release();
  await newer?.close();
  await older?.close();
  await model?.close();
  await rm(folder, { recursive: true, force: true });
});

function release(): void {
  answers.isHeld = false;
  for (const answer of answers.waiting.splice(0)) answer();
}

async function campaignFile(name: string): Promise<string> {
  const file = join(older.folder, `${name}.yaml`);
  const models = `models:\n  m: { name: m, base_url: '${model.url}', price: { input: 1, output: 1 } }\n`;
  const systems = 'systems:\n  - { id: asked, generator: model, model: m }\n';
  const concurrency = `concurrency: { trials: ${WIDTH}, model: ${WIDTH} }\n`;
  await writeFile(
    file,
    `name: ${name}\nsuite: echo\ndataset: { tasks: ${TASKS} }\nbudget: { usd: 1 }\n${models}${systems}${concurrency}`,
  );
  return file;
}

test('the newer one takes a campaign over that the older one runs, and both tell the same about it', async () => {
  const file = await campaignFile('both');
  await older.json(['run', file, '--id', 'both', '--detach']);
  expect(await waitUntil(() => answers.waiting.length === WIDTH)).toBe(true);

  // The answers come while the old worker is stopped in order: they are stored, and not asked for again. Before that they
  // would let it go on, and it might end the campaign while the newer command is still starting.
  const workerLog = join(older.stateDir, 'logs', 'worker.log');
  const up = newer.durabench('up');
  expect(await waitUntil(async () => (await readFile(workerLog, 'utf8')).includes('stopping'))).toBe(true);
  release();
  expect(await up).toMatchObject({ code: 0 });
  const end = await newer.json<StatusReport>(['status', 'both', '--watch']);
  expect(end).toMatchObject({ campaign: { status: 'completed' }, trials: { planned: TASKS, passed: TASKS } });
  expect(end.spend).toMatchObject({ calls: TASKS, repeated_calls: 0 });
  expect(model.requests).toHaveLength(TASKS);

  const words = (await older.durabench('status', 'both')).stdout;
  expect(words).toMatch(
    new RegExp(`^taken over +.* by workflow code ${newerCode}, from ${workflowCode(BUILT_BUNDLE)}$`, 'm'),
  );
  expect(await older.json<StatusReport>(['status', 'both'])).toMatchObject({ campaign: { status: 'completed' } });
});

test('the older one goes on with its own code: it says that it restarts the worker, and asks for nothing again', async () => {
  const asked = model.requests.length;
  const end = await older.durabench('run', await campaignFile('back'), '--id', 'back');
  expect(end).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/worker.*(outdated|started again|restart)/i) as string,
  });
  expect(model.requests).toHaveLength(asked + TASKS);
  const again = await newer.durabench('run', await campaignFile('back'), '--id', 'back');
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('already') as string });
  expect(model.requests).toHaveLength(asked + TASKS);
});
