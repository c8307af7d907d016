import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StatusReport } from '../../src/contract/status.js';
import { isAlive, signalProcess } from '../../src/stack/supervisor/process-identity.js';
import type { ServiceName } from '../../src/stack/stack-state.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { scaled } from '../vitest/yardstick.js';
import type { StepRecord, TrialRecord } from './campaign-record.js';
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
import type { LoadName } from './loads.js';
import { countOf, untilMoment } from './moment.js';
import { killAll, type Scene, type Victim } from './victims.js';
import { trialsOfWorkers } from './worker-trials.js';

/** Far beyond what a loaded machine needs for a whole campaign; one that hangs must end the test. */
const END_MS = 600_000;

/** Runs a load without any disturbance. */
export async function undisturbed(stack: ChaosStack, load: LoadName): Promise<Undisturbed> {
  await stack.ensureTwoWorkers();
  const name = `undisturbed-${load}`;
  const end = await exitOf(stack.project.start('run', await stack.campaignFile(load, name), '--json'));
  if (end !== 0) throw new Error(`the undisturbed run of ${load} ended with ${end}`);
  const id = (await stack.record.campaignNamed(name)) ?? '';
  return { verdicts: verdictsOf(await stack.record.trials(id)), money: await stack.record.money(id) };
}

/** Launches a campaign, kills the victim at a random moment, keeps its hands off until the campaign is done, and looks. */
export async function crash(
  stack: ChaosStack,
  request: { victim: Victim; name: string; expected: Undisturbed; random: () => number },
): Promise<CrashFacts> {
  const { victim, name } = request;
  await stack.ensureTwoWorkers();
  const { length: seenBefore } = stack.requests(victim.load);
  const { id, cliExit, before, orphans, ...times } = await launchAndStrike(stack, request);
  const watchExit = await (victim.killsCli ? reattached(stack, id) : cliExit);
  const endSeconds = (Date.now() - times.crashedAt) / 1000;
  const status = await stack.record.status(id);
  if (status !== 'completed') throw new Error(`${name}: ${status}, watched until ${watchExit}`);
  await stack.project.json(['clean', '--yes']);

  const after = await stack.record.trials(id);
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
    ...repeatedCalls(await stack.record.sends(id), stack.requests(victim.load).slice(seenBefore), times),
    callsMarked: spend.repeated_calls,
    ...moneyFacts(await stack.record.money(id), request.expected.money),
    sandboxFailures: (await stack.record.sandboxFailures(id)).map(({ type, message }) => `${type}: ${message}`),
    left: await stack.leftovers(),
    progressSeconds: secondsUntilProgress(await stack.record.steps(id), from, isProgress),
    endSeconds,
    watchExit,
  };
}

/** Launches the campaign, gets it to the moment and strikes. */
async function launchAndStrike(
  stack: ChaosStack,
  { victim, name, random }: { victim: Victim; name: string; random: () => number },
): Promise<Hit & { id: string; cliExit: Promise<number | null> }> {
  const answers = stack.answers(victim.load);
  answers.hold();
  try {
    const cli = stack.project.start('run', await stack.campaignFile(victim.load, name), '--json');
    const cliExit = exitOf(cli);
    const id = await untilMoment(stack, { victim, name, random });
    return { id, cliExit, ...(await strike({ stack, cli, random }, victim, id)) };
  } finally {
    answers.open();
  }
}

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
  const before = await stack.record.trials(id);
  stack.answers(victim.load).open();
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
  const instances = (await stack.record.liveWorkers()).filter(({ pid }) => pids.has(pid)).map((one) => one.instance);
  const running = trials.filter(({ state }) => state === 'running').map((trial) => trial.id);
  return trialsOfWorkers(stack.state().addresses.temporalPort ?? NaN, {
    names: await stack.record.names(),
    trials: running,
    instances,
  });
}

/** `status --watch`, as somebody would type it who finds the launching command gone. */
async function reattached(stack: ChaosStack, id: string): Promise<number | null> {
  const areBack = (): boolean =>
    Object.values(stack.state().services).every(
      ({ status, process }) => status === 'up' && process && isAlive(process),
    );
  await waitUntil(areBack);
  return exitOf(stack.project.start('status', id, '--watch'));
}

/** Null when it was killed: by the crash, or by us because it watched for ever. */
async function exitOf(child: ChildProcess): Promise<number | null> {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const patience = setTimeout(() => child.kill('SIGKILL'), scaled(END_MS));
  const [code] = (await once(child, 'close').finally(() => clearTimeout(patience))) as [number | null];
  if (code !== 0 && child.signalCode !== 'SIGKILL') process.stderr.write(`${said.slice(-2000)}\n`);
  return code;
}

function readyAt(stack: ChaosStack, service: ServiceName, killedAt: number): number {
  const at = Date.parse(stack.state().services[service].readyAt ?? '');
  if (!(at > killedAt)) throw new Error(`${service} did not come back`);
  return at;
}
