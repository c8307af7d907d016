import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StatusReport } from '../../src/contract/status.js';
import { isAlive, signalProcess } from '../../src/stack/process-identity.js';
import type { ServiceName } from '../../src/stack/stack-state.js';
import { waitUntil } from '../../src/stack/wait-until.js';
import type { TrialRecord } from './campaign-books.js';
import type { ChaosStack } from './chaos-stack.js';
import {
  changedVerdicts,
  lostTrials,
  repeatedCalls,
  secondsUntilProgress,
  verdictsOf,
  type CrashFacts,
  type CrashTimes,
  type Verdicts,
} from './crash-facts.js';
import { LOADS, type LoadName } from './loads.js';
import { killAll, type Scene, type Victim } from './victims.js';

/** How long after all trials are in flight a crash may happen: long enough for some to end, and at least 40 are still. */
const MOMENT_MS = 1_500;
/** Docker is killed after so many runs at most: at least 40 of 44 are still to come. */
const MOST_RUNS_BEFORE = 3;
/** Far beyond what a loaded machine needs for a whole campaign; one that hangs must end the test. */
const END_MS = 600_000;

/** Runs a load without any disturbance. */
export async function undisturbed(stack: ChaosStack, load: LoadName): Promise<Verdicts> {
  await stack.ensureTwoWorkers();
  const name = `undisturbed-${load}`;
  const end = await exitOf(stack.project.start('run', await stack.campaignFile(load, name), '--json'));
  if (end !== 0) throw new Error(`the undisturbed run of ${load} ended with ${end}`);
  return verdictsOf(await stack.books.trials((await stack.books.campaignNamed(name)) ?? ''));
}

/** Launches a campaign, kills the victim at a random moment, keeps its hands off until the campaign is done, and looks. */
export async function crash(
  stack: ChaosStack,
  request: { victim: Victim; name: string; expected: Verdicts; random: () => number },
): Promise<CrashFacts> {
  const { victim, name, random } = request;
  await stack.ensureTwoWorkers();
  const { length: seenBefore } = stack.requests(victim.load);
  const release = stack.holdAnswers(victim.load);
  const cli = stack.project.start('run', await stack.campaignFile(victim.load, name), '--json');
  const cliExit = exitOf(cli);
  const id = await campaignInFlight(stack, name, LOADS[victim.load].trials).finally(release);
  if (victim.killsDocker) await runsDone(stack, id, Math.ceil(random() * MOST_RUNS_BEFORE));
  else await sleep(random() * MOMENT_MS);

  const { before, ...times } = await strike({ stack, cli, random }, victim, id);
  const watchExit = await (victim.killsCli ? reattached(stack, id) : cliExit);
  const endSeconds = (Date.now() - times.crashedAt) / 1000;
  const status = await stack.books.status(id);
  if (status !== 'completed') throw new Error(`${name}: ${status}, watched until ${watchExit}`);
  await stack.project.json(['clean']);

  const after = await stack.books.trials(id);
  const { spend } = await stack.project.json<StatusReport>(['status', id]);
  const from = victim.until ? readyAt(stack, victim.until, times.killedAt) : times.killedAt;
  return {
    victim: victim.name,
    load: victim.load,
    trials: after.length,
    inFlight: before.filter(({ state }) => state === 'running').length,
    doneBefore: before.filter(({ state }) => state === 'done').length,
    lost: lostTrials(before, after),
    changed: changedVerdicts(verdictsOf(after), request.expected),
    ...repeatedCalls(await stack.books.sends(id), stack.requests(victim.load).slice(seenBefore), times),
    callsMarked: spend.repeated_calls,
    sandboxFailures: (await stack.books.sandboxFailures(id)).map(({ type, message }) => `${type}: ${message}`),
    left: await stack.leftovers(),
    progressSeconds: secondsUntilProgress(await stack.books.steps(id), from, victim.step),
    endSeconds,
    watchExit,
  };
}

/** The campaign, once all its trials are in flight. */
async function campaignInFlight(stack: ChaosStack, name: string, trials: number): Promise<string> {
  const id = await waitUntil(async () => (await stack.books.campaignNamed(name)) ?? undefined, { timeoutMs: 60_000 });
  const areInFlight = async (): Promise<boolean> =>
    (await stack.books.trials(id ?? '')).filter(({ state }) => state === 'running').length === trials;
  if (id === undefined || !(await waitUntil(areInFlight, { timeoutMs: 180_000, intervalMs: 50 })))
    throw new Error(`${name}: its ${trials} trials were never in flight all at once`);
  return id;
}

/** Containers are there, and the next ones run: before that Docker could die without anybody noticing. */
async function runsDone(stack: ChaosStack, id: string, count: number): Promise<void> {
  const haveRun = async (): Promise<boolean> =>
    (await stack.books.steps(id)).filter(({ step }) => step === 'run').length >= count;
  if (!(await waitUntil(haveRun, { timeoutMs: 180_000, intervalMs: 50 }))) throw new Error(`${id}: nothing was run`);
}

/** Kills the victim and keeps it down for as long as it says. Gives the trials as they stood just before. */
async function strike(scene: Scene, victim: Victim, id: string): Promise<CrashTimes & { before: TrialRecord[] }> {
  const { stack } = scene;
  const processes = await victim.processes(scene);
  const { supervisor } = stack.state();
  const before = await stack.books.trials(id);
  const crashedAt = Date.now();
  // A supervisor that stands still is how something stays down; going on, it starts it again by itself.
  if (victim.downMs !== undefined) signalProcess(supervisor, 'SIGSTOP');
  await killAll(scene, victim, processes);
  const killedAt = Date.now();
  if (victim.downMs !== undefined) await sleep(victim.downMs).finally(() => signalProcess(supervisor, 'SIGCONT'));
  return { before, crashedAt, killedAt };
}

/** `status --watch`, as somebody would type it who finds the launching command gone. */
async function reattached(stack: ChaosStack, id: string): Promise<number | null> {
  const areBack = (): boolean =>
    Object.values(stack.state().services).every(
      ({ status, process }) => status === 'up' && process && isAlive(process),
    );
  await waitUntil(areBack, { timeoutMs: 120_000 });
  return exitOf(stack.project.start('status', id, '--watch'));
}

/** Null when it was killed: by the crash, or by us because it watched for ever. */
async function exitOf(child: ChildProcess): Promise<number | null> {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const patience = setTimeout(() => child.kill('SIGKILL'), END_MS);
  const [code] = (await once(child, 'close').finally(() => clearTimeout(patience))) as [number | null];
  if (code !== 0 && child.signalCode !== 'SIGKILL') process.stderr.write(`${said.slice(-2000)}\n`);
  return code;
}

function readyAt(stack: ChaosStack, service: ServiceName, killedAt: number): number {
  const at = Date.parse(stack.state().services[service].readyAt ?? '');
  if (!(at > killedAt)) throw new Error(`${service} did not come back`);
  return at;
}
