import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StatusReport } from '../../src/contract/status.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { restartService } from '../fixtures/cli/kill-service.js';
import { waitUntil } from '../fixtures/wait-until.js';

/** Campaigns over a Batch API, as a user sees them: the built command line on a stack of its own, whose worker is killed. */
let project: CliProject;
let model: ScriptedModelServer;

/** 25 tokens at 100 dollars a million, and half of it in a batch. */
const CALL_USD = 0.0025;
const TRIALS = 50;
/** Longer than the test: the end of a batch comes when it says so. */
const batches = { delayMs: 86_400_000 };
/** What the provider waits for before it says that a batch is there. */
let heard: Promise<void> = Promise.resolve();

beforeAll(async () => {
  [project, model] = await Promise.all([
    createCliProject(),
    startScriptedModelServer({
      rules: {
        rules: [{ match: { regex: '.*:\\n(.*)' }, template: 'Answer: {{1}}', usage: { input: 20, output: 5 } }],
        default: { answer: 'no', usage: { input: 20, output: 5 } },
        batches,
      },
      onBatch: () => heard,
    }),
  ]);
  await project.json(['up']);
});

afterAll(async () => {
  await project?.close();
  await model?.close();
});

/** Writes a campaign file of so many trials; two model slots in all. */
async function fileOf(name: string, trials: number, more = ''): Promise<string> {
  const text = [
    `name: ${name}\nsuite: echo\ndataset: { tasks: ${trials} }`,
    `models: { m: { name: m, base_url: "${model.url}", price: { input: 100, output: 100 }, max_output_tokens: 10${more} } }`,
    'systems: [{ id: asked, generator: model, model: m }]',
    `concurrency: { trials: ${TRIALS}, model: 2 }\n`,
  ].join('\n');
  await writeFile(join(project.folder, `${name}.yaml`), text);
  return `${name}.yaml`;
}

const inBatches = (seconds: number): string => `, batch_api: { price_factor: 0.5, collect_seconds: ${seconds} }`;

const workerLog = (): Promise<string> => readFile(join(project.stateDir, 'logs', 'worker.log'), 'utf8');

async function started(name: string, trials: number, seconds: number): Promise<string> {
  const file = await fileOf(name, trials, inBatches(seconds));
  const { code, stderr } = await project.durabench('run', file, '--yes', '--detach');
  expect(code, stderr).toBe(0);
  return (await project.json<StatusReport>(['status', 'latest'])).campaign.id;
}

test('fifty trials wait for their batch with two slots, none of them held; a worker killed in the middle loses nothing and pays nothing twice', async () => {
  let speak = (): void => undefined;
  heard = new Promise((resolve) => (speak = resolve));
  const id = await started('batched', TRIALS, 15);
  expect(await waitUntil(() => model.batches().length > 0)).toBe(true);
  // Only the provider knows of it.
  await restartService(project.stateDir, 'worker');
  speak();
  expect(await waitUntil(() => (model.batches()[0]?.looks ?? 0) > 0)).toBe(true);
  // Its successor has found it, and it is open.
  expect(await workerLog()).toMatch(/"providerId":"batch_scripted_1","msg":"provider batch found"/);
  await restartService(project.stateDir, 'worker');

  // On a busy machine the last trials may come too late for the first batch.
  const open = new RegExp(
    `waiting for the Batch API of the model provider since [\\d:]+ UTC \\(${TRIALS} trials, .*: 0 of ${TRIALS} requests in \\d open batch`,
  );
  const shown = await waitUntil(async () => open.test((await project.durabench('status', id)).stdout));
  expect(shown, (await project.durabench('status', id)).stdout).toBe(true);
  const waiting = await project.json<StatusReport>(['status', id]);
  expect(waiting.trials).toMatchObject({ done: 0, errored: 0 });

  // Another campaign finds both slots free.
  const plain = await project.durabench('run', await fileOf('plain', 4), '--yes');
  expect(plain.code, plain.stderr).toBe(0);
  for (const { status } of model.batches()) expect(status).toBe('in_progress');

  model.endBatches();
  const ended = await waitUntil(async () => {
    const status = await project.json<StatusReport>(['status', id]);
    return status.campaign.status === 'completed' && status;
  });
  if (!ended) throw new Error('it did not end');
  expect(ended.trials).toMatchObject({ done: TRIALS, passed: TRIALS, errored: 0, not_run: 0 });
  expect(ended.spend).toMatchObject({ calls: TRIALS, repeated_calls: 0, replayed_calls: 0, tokens: 25 * TRIALS });
  expect(ended.spend.usd).toBeCloseTo((TRIALS * CALL_USD) / 2, 9);
  expect(model.batches().reduce((sum, { requests }) => sum + requests, 0)).toBe(TRIALS);
  const inBatch = model.requests.filter(({ path }) => path === '/v1/batches');
  expect(new Set(inBatch.map(({ call }) => call)).size).toBe(TRIALS);
  expect(inBatch).toHaveLength(TRIALS);
});

test('a campaign that is cancelled has its open batch cancelled, and charges nothing', async () => {
  const before = model.batches().length;
  const id = await started('cancelled', 3, 1);
  expect(await waitUntil(() => model.batches().length > before)).toBe(true);
  const { code } = await project.durabench('cancel', id);
  expect(code).toBe(0);
  expect(await waitUntil(() => model.batches().at(-1)?.status === 'cancelled')).toBe(true);
  const { campaign, spend } = await project.json<StatusReport>(['status', id]);
  expect(campaign.status).toBe('cancelled');
  expect(spend).toMatchObject({ usd: 0, calls: 0 });
});
