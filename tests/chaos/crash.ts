import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeenRequest } from '../../src/fakes/scripted-model-server.js';
import { isAlive, signalProcess } from '../../src/stack/process-identity.js';
import type { ServiceName } from '../../src/stack/stack-state.js';
import { waitUntil } from '../../src/stack/wait-until.js';
import type { StatusReport } from '../../src/contract/status.js';
import type { SendRecord, TrialRecord } from './campaign-books.js';
import type { ChaosStack } from './chaos-stack.js';
import { LOADS, type LoadName } from './loads.js';
import { killAll, type Scene, type Victim, type VictimName } from './victims.js';

/** How one campaign got over one crash. */
export interface CrashFacts {
  victim: VictimName;
  load: LoadName;
  trials: number;
  /** Trials running at the moment of the crash, and those done. */
  inFlight: number;
  doneBefore: number;
  /** Finished trials that were not exactly the same afterwards. */
  lost: string[];
  /** Trials with another verdict than in the undisturbed run. */
  changed: string[];
  /** Calls that were sent again although their answer was in the books. */
  answeredRepeated: number;
  /** Model calls in flight at the crash; those the provider saw again; those the books mark. */
  callsInFlight: number;
  callsRepeated: number;
  callsMarked: number;
  /** Sandbox failures, which only a crash of Docker may cause: nobody takes the containers of the living. */
  sandboxFailures: string[];
  /** What was left without a living owner after one pass of the reaper. */
  left: string[];
  /** From the crash (or the server's return) to the first step that began after it. */
  progressSeconds: number;
  /** From the crash to the end of the campaign. */
  endSeconds: number;
  /** Exit status of the command that watched to the end: the launching one, or `status --watch` after that was killed. */
  watchExit: number | null;
}

/** Verdicts by task and system. */
export type Verdicts = ReadonlyMap<string, string>;

/** How long after all trials are in flight a crash may happen: long enough for some to end, and at least 40 are still. */
const MOMENT_MS = 1_500;
/** Far beyond what a loaded machine needs; a campaign that hangs must end the test. */
const END_MS = 300_000;

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
  const scene: Scene = { stack, cli, random };
  const id = await campaignInFlight(stack, name, LOADS[victim.load].trials).finally(release);
  await sleep(random() * MOMENT_MS);

  const processes = await victim.processes(scene);
  const before = await stack.books.trials(id);
  const crashedAt = Date.now();
  const supervisor = stack.state().supervisor;
  // A supervisor that stands still is how something stays down; going on, it starts it again by itself.
  if (victim.downMs !== undefined) signalProcess(supervisor, 'SIGSTOP');
  await killAll(scene, victim, processes);
  const killedAt = Date.now();
  if (victim.downMs !== undefined) await sleep(victim.downMs).finally(() => signalProcess(supervisor, 'SIGCONT'));

  const watchExit = victim.killsCli
    ? await reattached(stack, id)
    : await Promise.race([cliExit, sleep(END_MS, undefined, { ref: false })]);
  const endedAt = Date.now();
  if ((await stack.books.status(id)) !== 'completed') throw new Error(`${name}: ${await stack.books.status(id)}`);
  await stack.project.json(['clean']);
  const [after, sends, steps] = [
    await stack.books.trials(id),
    await stack.books.sends(id),
    await stack.books.steps(id),
  ];
  const { spend } = await stack.project.json<StatusReport>(['status', id]);
  const from = victim.until ? readyAt(stack, victim.until, killedAt) : killedAt;
  const progress = steps
    .filter(({ step, startedAt }) => startedAt > from && (victim.step ?? step) === step)
    .map(({ endedAt: recordedAt }) => recordedAt);
  return {
    victim: victim.name,
    load: victim.load,
    trials: after.length,
    inFlight: before.filter(({ state }) => state === 'running').length,
    doneBefore: before.filter(({ state }) => state === 'done').length,
    lost: lostOf(before, after),
    changed: changedOf(verdictsOf(after), request.expected),
    ...callsOf({ sends, requests: stack.requests(victim.load).slice(seenBefore), crashedAt, killedAt }),
    callsMarked: spend.repeated_calls,
    sandboxFailures: (await stack.books.sandboxFailures(id)).map(({ type, message }) => `${type}: ${message}`),
    left: await stack.leftovers(),
    progressSeconds: (Math.min(...progress) - from) / 1000,
    endSeconds: (endedAt - crashedAt) / 1000,
    watchExit: watchExit ?? null,
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

/** `status --watch`, as somebody would type it who finds the launching command gone. */
async function reattached(stack: ChaosStack, id: string): Promise<number | null> {
  const areBack = (): boolean =>
    Object.values(stack.state().services).every(
      ({ status, process }) => status === 'up' && process && isAlive(process),
    );
  await waitUntil(areBack, { timeoutMs: 120_000 });
  return exitOf(stack.project.start('status', id, '--watch'));
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0 && child.signalCode !== 'SIGKILL') process.stderr.write(`${said.slice(-2000)}\n`);
  return code;
}

function readyAt(stack: ChaosStack, service: ServiceName, killedAt: number): number {
  const at = Date.parse(stack.state().services[service].readyAt ?? '');
  if (!(at > killedAt)) throw new Error(`${service} did not come back`);
  return at;
}

function lostOf(before: TrialRecord[], after: TrialRecord[]): string[] {
  const now = new Map(after.map((trial) => [trial.id, JSON.stringify(trial)]));
  const done = before.filter(({ state }) => state === 'done');
  return done.filter((trial) => now.get(trial.id) !== JSON.stringify(trial)).map(({ id }) => id);
}

function verdictsOf(trials: TrialRecord[]): Verdicts {
  return new Map(
    trials.map(({ task, system, outcome, reason }) => [`${task} ${system}`, `${outcome} ${reason ?? ''}`]),
  );
}

function changedOf(verdicts: Verdicts, expected: Verdicts): string[] {
  const keys = new Set([...verdicts.keys(), ...expected.keys()]);
  return [...keys]
    .filter((key) => verdicts.get(key) !== expected.get(key))
    .map((key) => `${key}: ${verdicts.get(key)} instead of ${expected.get(key)}`);
}

/** Of this campaign's calls: what was in flight, and what went out again, in the books and as the provider saw it. */
function callsOf(crashed: {
  sends: SendRecord[];
  requests: readonly SeenRequest[];
  crashedAt: number;
  killedAt: number;
}): Pick<CrashFacts, 'answeredRepeated' | 'callsInFlight' | 'callsRepeated'> {
  const { sends, requests, crashedAt, killedAt } = crashed;
  const wasOpen = ({ reservedAt, endedAt }: SendRecord): boolean =>
    reservedAt <= killedAt && (endedAt === null || endedAt >= crashedAt);
  const again = ({ sentAt, answeredAt }: SendRecord): boolean =>
    sentAt !== null && answeredAt !== null && sentAt > answeredAt;
  return {
    answeredRepeated: sends.filter(again).length,
    callsInFlight: sends.filter(wasOpen).length,
    callsRepeated: requests.filter(({ attempt }) => attempt > 1).length,
  };
}
