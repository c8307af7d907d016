/**
 * Model calls in flight at once on one worker, and its memory: a campaign file that asks for CALLS, against a scripted
 * server that answers after a while. Real engine, real Postgres, real HTTP.
 *
 *   npx tsx bench/engine/slots.ts [CALLS] [SECONDS]        (default 400 calls, 90 s an answer; some five minutes)
 *
 * Prints one JSON line: the most requests the provider had open at once, when they were all there, and the worker's
 * resident memory (MiB) before the campaign, at the most, and per call.
 */
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCampaign } from '../../src/adapters/temporal/campaign-workflow.js';
import { startScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import { waitUntil } from '../../src/stack/wait-until.js';
import { echoPlan } from '../../tests/fixtures/engine/echo-campaign.js';
import { startEngine } from '../../tests/fixtures/engine/engine.js';
import { startStandalonePostgres } from '../../tests/fixtures/postgres/standalone-postgres.js';
import { scriptedSpec } from '../../tests/fixtures/engine/throttled-run.js';
import { BUILT_BUNDLE } from '../../tests/fixtures/engine/workflow-bundle.js';

/** Tasks that share no candidate come in batches of so many. */
const TRIALS_A_BATCH = 200;
const calls = Number(process.argv[2] ?? 400);
const seconds = Number(process.argv[3] ?? 90);

const postgres = await startStandalonePostgres();
const engine = await startEngine(postgres.databaseUrl);
let inFlight = 0;
const server = await startScriptedModelServer({
  rules: { rules: [{ match: { regex: '.*:\\n(.*)' }, template: 'Answer: {{1}}' }] },
  onRequest: async () => {
    inFlight += 1;
    await sleep(seconds * 1000);
    inFlight -= 1;
  },
});
try {
  const worker = await engine.startWorker({ bundle: BUILT_BUNDLE });
  const before = await residentMiB(worker.pid);
  const model = { ...scriptedSpec(server.url), timeoutSeconds: 10 * seconds };
  const concurrency = { batches: Math.ceil(calls / TRIALS_A_BATCH), trials: calls, model: calls };
  const plan = await echoPlan({ name: 'slots', generators: ['model'], dataset: { tasks: calls }, model, concurrency });
  await engine.records.createCampaign(plan);
  const startedAt = performance.now();
  await startCampaign(engine, plan.id);
  let most = { inFlight: 0, atSeconds: 0, residentMiB: before };
  const isOver = async (): Promise<boolean> => {
    if (worker.child.exitCode !== null || worker.child.signalCode !== null)
      throw new Error(`the worker is gone:\n${(await readFile(worker.logFile, 'utf8')).slice(-4000)}`);
    const residentMiBNow = await residentMiB(worker.pid);
    if (inFlight > most.inFlight) most = { ...most, inFlight, atSeconds: (performance.now() - startedAt) / 1000 };
    most.residentMiB = Math.max(most.residentMiB, residentMiBNow);
    // By the record: a busy server lets a call that waits for the workflow's end run into its deadline.
    return (await engine.records.campaign(plan.id)).endedAt !== null;
  };
  await waitUntil(isOver, { timeoutMs: 3_600_000, intervalMs: 1_000 });
  const { trials, spend } = await engine.records.campaign(plan.id);
  const perCallMiB = (most.residentMiB - before) / most.inFlight;
  const line = { ...{ calls, seconds, cores: availableParallelism() }, ...{ most, before, perCallMiB, trials, spend } };
  process.stdout.write(`${JSON.stringify(line)}\n`);
} finally {
  await server.close();
  await engine.close();
  await postgres.close();
}

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}
