/**
 * Records the histories that `tests/engine/replay.test.ts` replays, into workflows/histories/. Run it, before 1.0, in the
 * commit that changes a workflow on purpose: npx tsx tests/engine/record-histories.ts [PART…]
 */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { awaitCampaign, cancelCampaign, startCampaign } from '../../src/adapters/temporal/campaign-workflow.js';
import { describeBuild, endOfBuild, startBuild } from '../../src/adapters/temporal/dataset-workflow.js';
import type { CampaignPlan } from '../../src/contract/plan.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { echoPlan, type EchoCampaign } from '../fixtures/engine/echo-campaign.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { startEngine, type Engine } from '../fixtures/engine/engine.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { writeMadeUpLibrary } from '../fixtures/zerorepo/made-up-library.js';
import { startStandalonePostgres } from '../fixtures/postgres/standalone-postgres.js';
import { NEVER, STUMBLING } from '../fixtures/chaos/killed-generations.js';
import { openTextkitProject, zerorepoSystem, type TextkitProject } from '../fixtures/zerorepo/textkit-project.js';
import builtCode from '../vitest/built-code.js';
import { openZeroRepoRig } from '../fixtures/zerorepo/zerorepo-rig.js';

const FOLDER = join(PACKAGE_ROOT, 'workflows', 'histories');

builtCode();
const postgres = await startStandalonePostgres();
const engine = await startEngine(postgres.databaseUrl);
try {
  await mkdir(FOLDER, { recursive: true });
  await engine.startWorker();
  const parts = {
    whole: recordWhole,
    watched: recordWatched,
    shared: recordShared,
    stopped: recordPausedAndCancelled,
    zerorepo: recordZeroRepo,
    continued: recordContinued,
    dataset: recordDataset,
    notification: recordNotification,
  };
  const wanted = process.argv.slice(2);
  for (const [name, record] of Object.entries(parts)) if (wanted.length === 0 || wanted.includes(name)) await record();
} finally {
  await engine.close();
  await postgres.close();
}

/** Trials that pass, skip stages, and lose a sandbox once. */
async function recordWhole(): Promise<void> {
  const plan = await begin({ name: 'whole', generators: ['echo', 'noise'], dataset: { tasks: 6, failEvery: 3 } });
  await awaitCampaign(engine, plan.id);
  await save('campaign', engine.names.campaign(plan.id));
  await save('batch', engine.names.batch(plan.batches[0]?.id ?? ''));
  const trials = await engine.records.trials(plan.id);
  const wanted = {
    'trial-passed': trials.find(({ outcome, taskId }) => outcome === 'passed' && taskId.endsWith('plain')),
    'trial-not-localized': trials.find(({ reason }) => reason === 'not-localized'),
    'trial-retried': trials.find(({ taskId }) => taskId.endsWith('quotes')),
  };
  for (const [name, trial] of Object.entries(wanted)) await save(name, engine.names.trial(trial?.id ?? ''));
}

/** Long enough for its totals to be told on the way. */
async function recordWatched(): Promise<void> {
  const plan = await begin({ name: 'watched', generators: ['echo'], dataset: { tasks: 1, sleepMs: 60_000 } });
  await awaitCampaign(engine, plan.id);
  await save('campaign-watched', engine.names.campaign(plan.id));
}

/** Tells one that takes it, and one that refuses for good. */
async function recordNotification(): Promise<void> {
  const server = createServer(
    (request, response) => void response.writeHead(request.url === '/gone' ? 410 : 204).end(),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const plan = await echoPlan({ name: 'told', generators: ['echo'], dataset: { tasks: 1 } });
  const own = { on: ['end' as const], stallMinutes: 30 };
  plan.spec.notify = ['/', '/gone'].map((path) => ({ ...own, webhook: `http://127.0.0.1:${port}${path}` }));
  await engine.records.createCampaign(plan);
  await startCampaign(engine, plan.id);
  await awaitCampaign(engine, plan.id);
  const told = async (): Promise<string[]> => (await engine.records.events(plan.id)).map(({ action }) => action);
  await until(async () => (await told()).includes('notified') && (await told()).includes('notify-failed'));
  const workflow = engine.names.workflow('notification', `${plan.id}/end/1/0-1`);
  await engine.client.workflow.getHandle(workflow).result();
  await save('notification', workflow);
  server.close();
}

async function recordShared(): Promise<void> {
  const plan = await begin({ name: 'shared', generators: ['echo'], dataset: { tasks: 4, share: true } });
  await awaitCampaign(engine, plan.id);
  await save('generation', engine.names.generation(plan.batches[0]?.generation?.id ?? ''));
  await save('batch-shared', engine.names.batch(plan.batches[0]?.id ?? ''));
}

async function recordPausedAndCancelled(): Promise<void> {
  const dataset = { tasks: 8, sleepMs: 1000 };
  const plan = await begin({ name: 'stopped', generators: ['echo'], dataset, concurrency: { trials: 2 } });
  const { id } = plan;
  const states = async (): Promise<string[]> => (await engine.records.trials(id)).map(({ state }) => state);
  await until(async () => (await states()).includes('done'));
  await desire(id, 'pause');
  await until(async () => !(await states()).includes('running'));
  await desire(id, 'run');
  await engine.client.workflow.getHandle(engine.names.campaign(id)).signal('wakeUp');
  await until(async () => (await states()).filter((state) => state === 'running').length === 2);
  const cut = (await engine.records.trials(id)).find(({ state }) => state === 'running');
  await desire(id, 'cancel');
  await cancelCampaign(engine, id);
  await awaitCampaign(engine, id);
  await save('campaign-cancelled', engine.names.campaign(id));
  await save('batch-paused-cancelled', engine.names.batch(plan.batches[0]?.id ?? ''));
  await save('trial-cancelled', engine.names.trial(cut?.id ?? ''));
}

/** Needs `npm run build` and Docker. */
async function recordZeroRepo(): Promise<void> {
  const thinks = { match: { contains: '# Task: Write code' }, plays: 'competent' as const, delayMs: 6000 };
  const textkit = await openTextkitProject({ ...STUMBLING, thinking: [thinks] });
  try {
    const address = `127.0.0.1:${textkit.state().addresses.temporalPort}`;
    const names = await textkit.record.names();
    const from = { address, names, namespace: engine.namespace, temporalCli: engine.temporalCli };
    await recordUnits(textkit, from);
    await recordPaused(textkit, from);
  } finally {
    await textkit.close();
  }
}

type Server = Pick<Engine, 'address' | 'names' | 'namespace' | 'temporalCli'>;

/**
 * Five functions: one is never right, which blocks another; one is right after a repair. Alone, and in batches of which
 * those that fail go on alone.
 */
async function recordUnits(textkit: TextkitProject, from: Server): Promise<void> {
  const options = { features: 5, mutants: 1, window: 2 };
  const systems = [
    zerorepoSystem('stumbling', options),
    zerorepoSystem('batched', { ...options, batch: 3 }, 'stumbling'),
  ];
  const { campaign } = await textkit.run({ name: 'zerorepo', systems });
  const id = `${campaign.id}/stumbling/textkit/1`;
  await save('generation-zerorepo', from.names.generation(id), from);
  await save('zerorepo', from.names.workflow('zerorepo', id), from);
  for (const phase of ['design', 'implement'])
    await save(`zerorepo-${phase}`, from.names.workflow('zerorepo-module', `${id}/0-${phase}`), from);
  const steps = (await textkit.record.steps(campaign.id)).map(({ step }) => step);
  const unit = (name: string): string =>
    steps.find((step) => step.startsWith('unit/') && step.includes(`::${name}@`))?.slice('unit/'.length) ?? '';
  const units = { done: 'split_words', repaired: 'strip_accents', failed: NEVER, blocked: 'split_paragraphs' };
  for (const [end, name] of Object.entries(units))
    await save(`zerorepo-unit-${end}`, from.names.workflow('zerorepo-unit', `${id}/${unit(name)}`), from);
  const batched = `${campaign.id}/batched/textkit/1`;
  await save('zerorepo-implement-batched', from.names.workflow('zerorepo-module', `${batched}/0-implement`), from);
  // A batch has the name of its first unit; the second is strip_accents.
  await save('zerorepo-unit-batched', from.names.workflow('zerorepo-unit', `${batched}/${unit(NEVER)}`), from);
}

/** Paused while a unit is written: it ends, no other is begun, and the generation waits to be claimed again. */
async function recordPaused(textkit: TextkitProject, from: Server): Promise<void> {
  const system = zerorepoSystem('thinking', { features: 3, mutants: 0, window: 1 });
  const campaign = await textkit.begin({ name: 'paused', systems: [system] });
  await until(async () => textkit.model.requests.some(({ rule, model }) => model === 'thinking' && rule !== 'default'));
  await textkit.project.json(['pause', campaign]);
  const id = `${campaign}/thinking/textkit/1`;
  const connection = await Connection.connect({ address: from.address });
  const { namespace } = from;
  const end: unknown = await new Client({ connection, namespace }).workflow
    .getHandle(from.names.workflow('zerorepo', id))
    .result();
  await connection.close();
  if (JSON.stringify(end) !== '{"ended":"paused"}') throw new Error(`${id} was not paused: ${JSON.stringify(end)}`);
  await save('generation-paused', from.names.generation(id), from);
  await save('zerorepo-paused', from.names.workflow('zerorepo', id), from);
  await save('zerorepo-implement-paused', from.names.workflow('zerorepo-module', `${id}/0-implement`), from);
}

/** A module whose histories are so short that each has room for one file, or one unit: the first two of each phase. */
async function recordContinued(): Promise<void> {
  const library = await writeMadeUpLibrary(engine.folder, { features: 4, modules: 1, chain: 1, from: 'first' });
  const rules = { library, default: { plays: 'competent' as const } };
  const rig = await openZeroRepoRig(postgres.databaseUrl, { rules });
  try {
    const options = { features: 4, iterations: 1, mutants: 0, window: 2 };
    const { workflows } = await rig.generate({ options, settings: { mostEvents: 1 } });
    for (const phase of ['design', 'implement']) {
      const parts = workflows.filter(({ id }) => id.endsWith(`0-${phase}`)).sort((a, b) => a.startedAt - b.startedAt);
      for (const [index, part] of ['continued', 'further'].entries())
        await save(`zerorepo-${phase}-${part}`, parts[index]?.id ?? '', rig.engine, parts[index]?.runId);
    }
  } finally {
    await rig.close();
  }
}

/** The build of the library of ours, and of a project that there is not. Needs Docker. */
async function recordDataset(): Promise<void> {
  await ensureImages(join(engine.folder, 'cache'), 'repocraft-requests');
  const id = engine.names.dataset('repocraft', 1);
  await startBuild(engine, id, { suite: 'repocraft', projects: ['textkit', 'nothing'] });
  const runId = (await describeBuild(engine.client, id))?.runId ?? '';
  process.stdout.write(`${JSON.stringify(await endOfBuild(engine.client, id, runId))}\n`);
  await save('dataset', id);
}

async function begin(shape: EchoCampaign): Promise<CampaignPlan> {
  const plan = await echoPlan(shape);
  await engine.records.createCampaign(plan);
  await startCampaign(engine, plan.id);
  return plan;
}

function desire(campaignId: string, state: 'pause' | 'run' | 'cancel'): Promise<void> {
  return engine.records.setDesiredState({ campaignId, state, author: 'recording', reason: 'recording' });
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  if (!(await waitUntil(condition))) throw new Error('waited for a minute in vain');
}

/** Through the CLI: its JSON is what `runReplayHistory` reads. */
async function save(name: string, id: string, from: Server = engine, runId?: string): Promise<void> {
  const run = runId === undefined ? [] : ['--run-id', runId];
  const where = ['--address', from.address, '--namespace', from.namespace, ...run];
  const show = ['workflow', 'show', '--workflow-id', id, '--output', 'json', ...where];
  const { stdout } = await promisify(execFile)(from.temporalCli, show, { maxBuffer: 64 * 1024 * 1024 });
  await writeFile(join(FOLDER, `${name}.json`), `${JSON.stringify(anonymous(JSON.parse(stdout)))}\n`);
  process.stdout.write(`${name}: ${id}\n`);
}

/** Without what names the machine it was recorded on; replay does not look at it. */
function anonymous(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(anonymous);
  if (typeof value === 'string') return withoutFolder(value);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'stackTrace');
  const known: Record<string, unknown> = Object.fromEntries(entries.map(([key, inner]) => [key, anonymous(inner)]));
  if ('identity' in known) known['identity'] = 'recorded';
  if (known['kind'] === 'TASK_QUEUE_KIND_STICKY') known['name'] = 'sticky';
  // A payload.
  if ('metadata' in known && typeof known['data'] === 'string')
    known['data'] = Buffer.from(withoutFolder(Buffer.from(known['data'], 'base64').toString('utf8'))).toString(
      'base64',
    );
  return known;
}

/** A declaration: it is called before this line is reached. */
function withoutFolder(text: string): string {
  return text.replaceAll(PACKAGE_ROOT, '/durabench');
}
