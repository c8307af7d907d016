/**
 * What a large plan costs when its units do nothing: ZeroRepo on a made-up library, with the scripted player over HTTP, a
 * real Temporal server and a real Postgres, and a fake sandbox in which a fifth of the units need a repair.
 *
 *   npx tsx bench/zerorepo-plan.ts [FEATURES] [MODULES]        (default 1100 8)
 *
 * Prints one JSON line: the longest history of each workflow type (none may exceed 8,000 events), wall and CPU a unit, and
 * the peak memory, both of this process: worker and scripted model.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { createActivities } from '../activities/index.js';
import { createFileBlobs } from '../src/adapters/blobs/file-blobs.js';
import { currentInstance } from '../src/adapters/docker/instance.js';
import { createOpenAiModel } from '../src/adapters/openai/openai-model.js';
import { createLedger } from '../src/adapters/postgres/ledger.js';
import { createPacing } from '../src/adapters/postgres/ledger-pacing.js';
import { openDatabase } from '../src/adapters/postgres/database.js';
import { startCampaign } from '../src/adapters/temporal/campaign-workflow.js';
import type { CampaignPlan } from '../src/contract/plan.js';
import { expandPlan } from '../src/domain/expand-plan.js';
import { campaignId } from '../src/domain/ids.js';
import { campaignLock } from '../src/domain/lock.js';
import { createFakeSandbox, type FakeCall, type FakeEnd } from '../src/fakes/fake-sandbox.js';
import { startScriptedModelServer } from '../src/fakes/scripted-model-server.js';
import { createLimiter } from '../src/ledger/limiter.js';
import { createMeteredModel } from '../src/ledger/metered-model.js';
import type { Embedder } from '../src/ports/embedder.js';
import { connectTemporalWorker } from '../src/stack/connect.js';
import { namespaceId } from '../src/stack/namespace.js';
import { waitUntil } from '../src/stack/wait-until.js';
import { createWorkers } from '../src/worker/create-workers.js';
import { holdLease } from '../src/worker/lease.js';
import { ROLES } from '../src/worker/settings.js';
import { repocraft } from '../tasks/repocraft/repocraft.js';
import { PACKAGE_ROOT, startEngine, type Engine } from '../tests/fixtures/engine.js';
import { campaignSpec } from '../tests/fixtures/run-trial.js';
import { systemSpec } from '../tests/fixtures/system-spec.js';
import { startStandalonePostgres } from '../tests/fixtures/standalone-postgres.js';
import { buildTestBundle } from '../tests/fixtures/workflow-bundle.js';

Runtime.install({ logger: new DefaultLogger('ERROR') });
const [features = 1100, modules = 8] = process.argv.slice(2).map(Number);
const folder = await mkdtemp(join(tmpdir(), 'durabench-plan-'));
const suiteFolder = join(PACKAGE_ROOT, 'tasks', 'repocraft');
const rules = { library: await writeLibrary(folder), default: { plays: 'competent' as const } };
const model = await startScriptedModelServer({ rules });
const postgres = await startStandalonePostgres();
const engine = await startEngine(postgres.databaseUrl);
const database = openDatabase({ connectionString: postgres.databaseUrl, maxConnections: 24 });
try {
  const stop = await startOwnWorker(engine);
  const plan = await planOf(model.url);
  await engine.records.createCampaign(plan);
  const peak = watchMemory();
  const before = process.cpuUsage();
  const startedAt = Date.now();
  await startCampaign(engine.client, plan.id);
  const generation = plan.batches[0]?.generation?.id ?? '';
  await ended(`zerorepo/${generation}`);
  const wallSeconds = (Date.now() - startedAt) / 1000;
  const cpu = process.cpuUsage(before);
  const histories = await historiesOf(generation);
  const units = histories.filter(({ type }) => type === 'zerorepoUnit').length;
  const longest = (type: string): number =>
    Math.max(...histories.filter((one) => one.type === type).map(({ events }) => events));
  process.stdout.write(
    `${JSON.stringify({
      ...{ features, modules, units, calls: model.requests.length, wallSeconds: Math.round(wallSeconds) },
      longestHistory: Object.fromEntries(
        [...new Set(histories.map(({ type }) => type))].map((type) => [type, longest(type)]),
      ),
      moduleHistories: histories.filter(({ type }) => type === 'zerorepoModule').length,
      wallMsPerUnit: Math.round((1000 * wallSeconds) / units),
      cpuMsPerUnit: Math.round((cpu.user + cpu.system) / 1000 / units),
      peakMebibytes: peak(),
    })}\n`,
  );
  await stop();
} finally {
  await model.close();
  await database.close();
  await engine.close();
  await postgres.close();
  await rm(folder, { recursive: true, force: true });
}

/** Functions in files of ten; each calls the one before it, and the first of a file one of the module before. */
async function writeLibrary(parent: string): Promise<string> {
  const source = join(parent, 'library', 'src', 'large');
  await mkdir(source, { recursive: true });
  await writeFile(join(source, '__init__.py'), '');
  const each = Math.ceil(features / modules);
  for (let module = 0, left = features; module < modules; module += 1, left -= each) {
    const parts = Array.from({ length: Math.min(each, left) }, (_, index) => functionText(module, index));
    const imports = module === 0 ? '' : `from large.part_${module - 1} import ${nameOf(module - 1, 0)}\n\n`;
    await writeFile(join(source, `part_${module}.py`), `"""Part ${module}."""\n\n${imports}${parts.join('')}`);
  }
  return join(parent, 'library');
}

function nameOf(module: number, index: number): string {
  return `step_${module}_${index}`;
}

function functionText(module: number, index: number): string {
  const before = index % 10 > 0 ? nameOf(module, index - 1) : module > 0 ? nameOf(module - 1, 0) : null;
  const section = index % 10 === 0 ? `\n# -- section${index / 10}\n` : '';
  const body = before === null ? 'value + 1' : `${before}(value) + 1`;
  return `${section}\n\ndef ${nameOf(module, index)}(value: int) -> int:\n    """Step ${index} of part ${module}."""\n    return ${body}\n`;
}

/** The worker in this process: every port but sandbox and embedder is the real one. */
async function startOwnWorker({ records, address, namespace, folder: home }: Engine): Promise<() => Promise<void>> {
  const instance = currentInstance();
  const blobs = createFileBlobs({ folder: join(home, 'blobs') });
  const limiter = createLimiter({ pacing: createPacing(database), worker: instance, report: () => undefined });
  const openAi = createOpenAiModel({ readKey: () => undefined });
  const metered = createMeteredModel({
    model: openAi,
    ledger: createLedger(database),
    blobs,
    worker: instance,
    limiter,
  });
  const server = { address, namespace, connectionOptions: { address }, uiUrl: undefined };
  const connection = await connectTemporalWorker(server);
  const serverId = await namespaceId(connection, namespace);
  const signal = new AbortController().signal;
  const lease = await holdLease({ records, instance, server: serverId, log: console, signal });
  const workers = await createWorkers({
    ...{ connection, namespace, instance, bundle: await buildTestBundle(home) },
    settings: { roles: ROLES, slots: { light: 16, model: 16, sandbox: 16 }, bundle: null },
    activities: createActivities({
      ...{ records, blobs, worker: instance, suites: [repocraft], suiteFolder: () => suiteFolder },
      packages: { download: () => Promise.reject(new Error('not needed')) },
      downloadsFolder: () => home,
      sandbox: createFakeSandbox({ programs: { python3: pretend }, images: ['repocraft-requests'] }),
      embedder: { id: 'none', dimensions: 1, embed: () => Promise.reject(new Error('not needed')) } satisfies Embedder,
      ask: (asker, question) => metered.ask(asker, question),
      server: () => Promise.resolve(serverId),
    }),
  });
  const running = Promise.all(workers.map((worker) => worker.run()));
  return async () => {
    workers.forEach((worker) => worker.shutdown());
    await running;
    await lease.release();
    await connection.close();
  };
}

interface UnitRequest {
  units: { id: string; code: { source: string; edits?: unknown[] } }[];
  tests: object[];
}

/** Programs of `python/zerorepo/` without running anything: a fifth of the units pass at their first repair only. */
function pretend({ command, files }: FakeCall): FakeEnd {
  const request = JSON.parse(files.get('request.json')?.toString('utf8') ?? '{}') as UnitRequest;
  const program = command.find((word) => word.endsWith('.py')) ?? '';
  if (program.endsWith('skeleton.py')) return { stdout: '{"interfaces": []}' };
  if (!program.endsWith('unit.py')) return { stdout: '{}' };
  const end = (id: string, passed: boolean, product: object | null) => ({
    ...{ id, product, passed, kind: passed ? null : 'code', message: passed ? '' : 'not yet', output: '' },
    ...{ tests: 1, files: {} },
  });
  const tried = request.units.map(({ id, code }) => {
    const isRight = Number(/_(\d+)$/.exec(id)?.[1]) % 5 > 0 || code.edits !== undefined;
    return end(id, isRight, { imports: [], helpers: '', source: code.source });
  });
  return { stdout: JSON.stringify([...tried, ...(request.tests.length > 0 ? [end('', true, null)] : [])]) };
}

async function planOf(url: string): Promise<CampaignPlan> {
  const options = { iterations: 200, features, mutants: 0 };
  const system = systemSpec({ id: 'large', generator: 'zerorepo', model: 'scripted', options });
  const scripted = {
    ...{ name: 'scripted', baseUrl: url, apiKeyEnv: null, price: 'free' as const, maxOutputTokens: 100_000 },
    ...{ temperature: null, timeoutSeconds: 60 },
  };
  const spec = campaignSpec({
    ...{ suite: 'repocraft', systems: [system], models: { scripted } },
    dataset: { projects: ['textkit'], limit: 1 },
    concurrency: { batches: 1, trials: 1, model: 16, sandbox: 16 },
  });
  const dataset = await repocraft.dataset.select(spec.dataset, spec.seed, suiteFolder);
  const { version: suiteVersion } = repocraft.manifest;
  const lock = campaignLock({
    ...{ spec, datasetDigest: dataset.digest, imageDigests: {}, suiteVersion, graderDigest: 'bench' },
  });
  return expandPlan({ id: campaignId('plan', randomBytes(10)), spec, lock, dataset, suite: repocraft });
}

async function ended(id: string): Promise<void> {
  const handle = engine.client.workflow.getHandle(id);
  const isThere = (): Promise<boolean> =>
    handle.describe().then(
      () => true,
      () => false,
    );
  if (!(await waitUntil(isThere, { timeoutMs: 60_000 }))) throw new Error(`${id} did not begin`);
  await handle.result();
}

/** Of the generation and everything it started; a workflow that went on in a new history has several. */
async function historiesOf(generation: string): Promise<{ type: string; events: number }[]> {
  const histories: { type: string; events: number }[] = [];
  for await (const { workflowId, type, historyLength } of engine.client.workflow.list())
    if (workflowId.startsWith('zerorepo') && workflowId.includes(generation))
      histories.push({ type, events: historyLength });
  return histories;
}

function watchMemory(): () => number {
  let peak = 0;
  const look = (): void => void (peak = Math.max(peak, Math.round(process.memoryUsage.rss() / 2 ** 20)));
  const timer = setInterval(look, 500);
  return () => {
    look();
    clearInterval(timer);
    return peak;
  };
}
