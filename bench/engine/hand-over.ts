/**
 * How a worker of other workflow code takes a campaign over in the middle: how long until its trials go on, and what is
 * done again. Real engine, real Postgres, real processes; a model that answers after two seconds.
 *
 *   npx tsx bench/engine/hand-over.ts [TASKS] [IN_FLIGHT]        (default 200 tasks, 20 calls in flight; some five minutes)
 *
 * The first worker is ended in order (SIGTERM) and, with a second campaign, killed (SIGKILL: its lease of 30 s has to run
 * out first). Prints one JSON line for each: seconds from the end of the old worker to its successor being ready, from
 * there to its first call and to its first finished trial; calls that were in flight at the end, calls that were sent
 * again, and trials that were run again.
 */
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCampaign } from '../../src/adapters/temporal/campaign-workflow.js';
import { startScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import { waitUntil } from '../../src/stack/wait-until.js';
import { echoPlan } from '../../tests/fixtures/engine/echo-campaign.js';
import { startEngine } from '../../tests/fixtures/engine/engine.js';
import { startStandalonePostgres } from '../../tests/fixtures/postgres/standalone-postgres.js';
import { scriptedSpec } from '../../tests/fixtures/engine/throttled-run.js';
import { alteredPackage, BUILT_BUNDLE, IMPORTED_SLEEP } from '../../tests/fixtures/engine/workflow-bundle.js';
import { untilInterrupted } from '../until-interrupted.js';

const ANSWER_MS = 2_000;
const PATIENCE = { timeoutMs: 1_800_000, intervalMs: 50 };
const tasks = Number(process.argv[2] ?? 200);
const width = Number(process.argv[3] ?? 20);

const postgres = await startStandalonePostgres();
const engine = await startEngine(postgres.databaseUrl);
const asked: number[] = [];
let inFlight = 0;
const model = await startScriptedModelServer({
  rules: { rules: [{ match: { regex: '.*:\\n(.*)' }, template: 'Answer: {{1}}' }] },
  onRequest: async () => {
    asked.push(performance.now());
    inFlight += 1;
    await sleep(ANSWER_MS);
    inFlight -= 1;
  },
});

try {
  await untilInterrupted(handOvers());
} finally {
  await model.close();
  await engine.close();
  await postgres.close();
}

async function handOvers(): Promise<void> {
  const bundle = BUILT_BUNDLE;
  // One command more before each claim: a history of the one replays with the other as TMPRL1100.
  const claim = '    const claim = await records.claimTrial(';
  const next = await alteredPackage(join(engine.folder, 'next'), [
    IMPORTED_SLEEP,
    { file: 'workflows/trial.ts', from: claim, to: `    await sleep(1);\n${claim}` },
  ]);
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const line = await handOver(signal, bundle, { ...next, cwd: next.root });
    process.stdout.write(
      `${JSON.stringify({ ...line, cores: availableParallelism(), load: rounded(loadavg()[0]!) })}\n`,
    );
  }
}

async function handOver(
  signal: NodeJS.Signals,
  bundle: string,
  next: { bundle: string; command: string[]; cwd: string },
) {
  const old = await engine.startWorker({ bundle });
  const id = await begin(`hand-over-${signal.toLowerCase()}`);
  await until(async () => (await finished(id)) >= width && inFlight >= width / 2);
  const cut = inFlight;
  await old.stop(signal);
  const endedAt = performance.now();
  const worker = await engine.startWorker(next);
  const readyAt = performance.now();
  const had = { asked: asked.length, finished: await finished(id) };
  await until(async () => asked.length > had.asked);
  const callAt = asked[had.asked]!;
  await until(async () => (await finished(id)) > had.finished);
  const trialAt = performance.now();
  await until(async () => (await engine.records.campaign(id)).endedAt !== null);
  const { status, trials, spend } = await engine.records.campaign(id);
  const runAgain = (await engine.records.trials(id)).filter(({ runs }) => runs > 1).length;
  await worker.stop();
  return {
    ...{ signal, tasks, inFlight: cut, status, passed: trials.passed },
    readySeconds: seconds(readyAt - endedAt),
    firstCallSeconds: seconds(callAt - readyAt),
    firstTrialSeconds: seconds(trialAt - readyAt),
    ...{ repeatedCalls: spend.repeatedCalls, runAgain },
  };
}

async function begin(name: string): Promise<string> {
  const plan = await echoPlan({
    ...{ name, generators: ['model'], dataset: { tasks }, model: { ...scriptedSpec(model.url), timeoutSeconds: 250 } },
    concurrency: { batches: 1, trials: width, model: width },
  });
  await engine.records.createCampaign(plan);
  await startCampaign(engine, plan.id);
  return plan.id;
}

async function finished(id: string): Promise<number> {
  return (await engine.records.campaign(id)).trials.done;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  if (!(await waitUntil(condition, PATIENCE))) throw new Error('nothing went on for half an hour');
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function seconds(milliseconds: number): number {
  return rounded(milliseconds / 1000);
}
