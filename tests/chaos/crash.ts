import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StatusReport } from '../../src/contract/status.js';
import { sha256Hex } from '../../src/domain/content-hash.js';
import { isAlive, signalProcess } from '../../src/stack/process-identity.js';
import type { ServiceName } from '../../src/stack/stack-state.js';
import { waitUntil } from '../../src/stack/wait-until.js';
import type { SendRecord, StepRecord, TrialRecord } from './campaign-books.js';
import type { ChaosStack } from './chaos-stack.js';
import {
  changedVerdicts,
  lostTrials,
  moneyFacts,
  repeatedCalls,
  secondsUntilProgress,
  verdictsOf,
  type CrashFacts,
  type CrashTimes,
  type Undisturbed,
} from './crash-facts.js';
import { LOADS, type LoadName } from './loads.js';
import { killAll, type Scene, type Victim } from './victims.js';
import { trialsOfWorkers } from './worker-trials.js';

/** A crash happens when so many trials are in flight at least: in the opening, the middle or the closing of a campaign. */
const LEAST_IN_FLIGHT = 40;
/** Until then so many have not been answered yet: with one more than needed, none of them is missed when a look is late. */
const LEAST_HELD = LEAST_IN_FLIGHT + 1;
/** And so many are finished at least: without any, that none is lost would say nothing. */
const LEAST_DONE = 5;
/** But so many are not, a handful of them answered and on their way. */
const LEAST_TO_COME = LEAST_HELD + 5;
/** Far beyond what a loaded machine needs to get there. */
const MOMENT_MS = 400_000;
/** Far beyond what a loaded machine needs for a whole campaign; one that hangs must end the test. */
const END_MS = 600_000;

/** Runs a load without any disturbance. */
export async function undisturbed(stack: ChaosStack, load: LoadName): Promise<Undisturbed> {
  await stack.ensureTwoWorkers();
  const name = `undisturbed-${load}`;
  const end = await exitOf(stack.project.start('run', await stack.campaignFile(load, name), '--json'));
  if (end !== 0) throw new Error(`the undisturbed run of ${load} ended with ${end}`);
  const id = (await stack.books.campaignNamed(name)) ?? '';
  return { verdicts: verdictsOf(await stack.books.trials(id)), money: await stack.books.money(id) };
}

/** Launches a campaign, kills the victim at a random moment, keeps its hands off until the campaign is done, and looks. */
export async function crash(
  stack: ChaosStack,
  request: { victim: Victim; name: string; expected: Undisturbed; random: () => number },
): Promise<CrashFacts> {
  const { victim, name, random } = request;
  await stack.ensureTwoWorkers();
  const { length: seenBefore } = stack.requests(victim.load);
  const answers = stack.answers(victim.load);
  answers.hold();
  const cli = stack.project.start('run', await stack.campaignFile(victim.load, name), '--json');
  const cliExit = exitOf(cli);
  const { trials, atOnce } = LOADS[victim.load];
  const done = LEAST_DONE + Math.floor(random() * (trials - LEAST_TO_COME - LEAST_DONE + 1));
  const begun = campaignInFlight(stack, name, atOnce);
  const id = await begun.then((id) => momentOf(stack, { id, victim, done })).finally(() => answers.open());

  const { before, orphans, ...times } = await strike({ stack, cli, random }, victim, id);
  const watchExit = await (victim.killsCli ? reattached(stack, id) : cliExit);
  const endSeconds = (Date.now() - times.crashedAt) / 1000;
  const status = await stack.books.status(id);
  if (status !== 'completed') throw new Error(`${name}: ${status}, watched until ${watchExit}`);
  await stack.project.json(['clean']);

  const after = await stack.books.trials(id);
  const { spend } = await stack.project.json<StatusReport>(['status', id]);
  const isProgress = ({ owner, step }: StepRecord): boolean =>
    (orphans?.includes(owner) ?? true) && (victim.step ?? step) === step;
  const from = victim.until ? readyAt(stack, victim.until, times.killedAt) : times.killedAt;
  return {
    victim: victim.name,
    load: victim.load,
    trials: after.length,
    inFlight: countOf(before, 'running'),
    doneBefore: countOf(before, 'done'),
    lost: lostTrials(before, after),
    changed: changedVerdicts(verdictsOf(after), request.expected.verdicts),
    ...repeatedCalls(await stack.books.sends(id), stack.requests(victim.load).slice(seenBefore), times),
    callsMarked: spend.repeated_calls,
    ...moneyFacts(await stack.books.money(id), request.expected.money),
    sandboxFailures: (await stack.books.sandboxFailures(id)).map(({ type, message }) => `${type}: ${message}`),
    left: await stack.leftovers(),
    progressSeconds: secondsUntilProgress(await stack.books.steps(id), from, isProgress),
    endSeconds,
    watchExit,
  };
}

/** The campaign, once as many trials are in flight as may be. */
async function campaignInFlight(stack: ChaosStack, name: string, atOnce: number): Promise<string> {
  const id = await waitUntil(async () => (await stack.books.campaignNamed(name)) ?? undefined, { timeoutMs: 60_000 });
  const areInFlight = async (): Promise<boolean> => countOf(await stack.books.trials(id ?? ''), 'running') === atOnce;
  if (id === undefined || !(await waitUntil(areInFlight, { timeoutMs: MOMENT_MS, intervalMs: 50 })))
    throw new Error(`${name}: ${atOnce} trials were never in flight at once`);
  return id;
}

/**
 * The moment when so many trials are done and {@link LEAST_IN_FLIGHT} are running; for Docker, also when a
 * test is being run: else it could die unnoticed. The model answers only for so many trials at a time that the others stay in flight.
 */
async function momentOf(
  stack: ChaosStack,
  { id, victim, done }: { id: string; victim: Victim; done: number },
): Promise<string> {
  const answered = new Set<string>();
  const isThere = async (): Promise<boolean> => {
    const trials = await stack.books.trials(id);
    const sends = await stack.books.sends(id);
    const running = new Set(trials.filter(({ state }) => state === 'running').map((trial) => trial.id));
    const asking = sends.map(({ owner }) => owner).filter((owner) => running.has(owner) && !answered.has(owner));
    const onTheirWay = [...answered].filter((owner) => running.has(owner)).length;
    const room = Math.max(0, running.size - LEAST_HELD - onTheirWay);
    for (const owner of [...new Set(asking)].slice(0, room)) answered.add(owner);
    stack.answers(victim.load).allow(sends.filter(({ owner }) => answered.has(owner)).map(labelOf));
    if (countOf(trials, 'done') < done || running.size < LEAST_IN_FLIGHT) return false;
    return !victim.killsDocker || areRunning(await stack.books.steps(id), running);
  };
  if (!(await waitUntil(isThere, { timeoutMs: MOMENT_MS, intervalMs: 100 })))
    throw new Error(`${id}: never ${done} trials done and ${LEAST_IN_FLIGHT} in flight`);
  return id;
}

/** Whether one of these trials has its test bound and not run yet. */
function areRunning(steps: readonly StepRecord[], trials: ReadonlySet<string>): boolean {
  const ownersOf = (name: string): string[] => steps.filter(({ step }) => step === name).map(({ owner }) => owner);
  const haveRun = new Set(ownersOf('run'));
  return ownersOf('adapt').some((owner) => trials.has(owner) && !haveRun.has(owner));
}

/** As what the provider sees a call. */
const labelOf = ({ key }: SendRecord): string => sha256Hex(key).slice(0, 32);

const countOf = (trials: readonly TrialRecord[], state: TrialRecord['state']): number =>
  trials.filter((trial) => trial.state === state).length;

/** What a strike hit: the trials as they stood just before, and those that a killed worker had, where others live on. */
interface Hit extends CrashTimes {
  before: TrialRecord[];
  orphans?: string[];
}

/** Kills the victim and keeps it down for as long as it says. */
async function strike(scene: Scene, victim: Victim, id: string): Promise<Hit> {
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
  const hit = { before, crashedAt, killedAt };
  if (!victim.leavesWorkers) return hit;
  return { ...hit, orphans: await orphansOf(stack, before, new Set(processes.map(({ pid }) => pid))) };
}

/** Running trials with a step under way in the workers of these processes. */
async function orphansOf(stack: ChaosStack, trials: readonly TrialRecord[], pids: ReadonlySet<number>) {
  // Their leases have not run out yet.
  const instances = (await stack.books.liveWorkers()).filter(({ pid }) => pids.has(pid)).map((one) => one.instance);
  const running = trials.filter(({ state }) => state === 'running').map((trial) => trial.id);
  return trialsOfWorkers(stack.state().addresses.temporalPort ?? NaN, { trials: running, instances });
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
