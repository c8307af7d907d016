import { sha256Hex } from '../../src/domain/text/content-hash.js';
import { waitUntil } from '../fixtures/wait-until.js';
import type { SendRecord, StepRecord, TrialRecord } from './campaign-record.js';
import type { ChaosStack } from './chaos-stack.js';
import { LOADS } from './loads.js';
import type { Victim } from './victims.js';

/** A crash happens when so many trials are in flight at least: in the opening, the middle or the closing of a campaign. */
const LEAST_IN_FLIGHT = 40;
/** So many are kept in flight until then. */
const LEAST_HELD = LEAST_IN_FLIGHT + 1;
/** So many are finished at least: without any, that none is lost would say nothing. */
const LEAST_DONE = 5;
/** So many are not, a handful of them answered and on their way. */
const LEAST_TO_COME = LEAST_HELD + 5;

/**
 * The moment of a crash: a drawn number of trials is done and {@link LEAST_IN_FLIGHT} are running; for Docker, also a
 * test is being run, else it could die unnoticed. Answers of the load's model have to be held when the campaign begins:
 * they are given for so many trials at a time that the others stay in flight, on any machine.
 * @returns the campaign's id
 */
export async function untilMoment(
  stack: ChaosStack,
  { name, victim, random }: { name: string; victim: Victim; random: () => number },
): Promise<string> {
  const { trials: planned, atOnce } = LOADS[victim.load];
  const done = LEAST_DONE + Math.floor(random() * (planned - LEAST_TO_COME - LEAST_DONE + 1));
  const id = await campaignInFlight(stack, name, atOnce);
  const answered = new Set<string>();
  const isThere = async (): Promise<boolean> => {
    const trials = await stack.record.trials(id);
    const running = new Set(trials.filter(({ state }) => state === 'running').map((trial) => trial.id));
    const sends = await stack.record.sends(id);
    answerSome(answered, { running, sends });
    stack.answers(victim.load).allow(sends.filter(({ owner }) => answered.has(owner)).map(labelOf));
    if (countOf(trials, 'done') < done || running.size < LEAST_IN_FLIGHT) return false;
    return !victim.killsDocker || areBeingRun(running, await stack.record.steps(id));
  };
  if (!(await waitUntil(isThere, { intervalMs: 100 })))
    throw new Error(`${id}: never ${done} trials done and ${LEAST_IN_FLIGHT} in flight`);
  return id;
}

/** How many of these trials are in that state. */
export const countOf = (trials: readonly TrialRecord[], state: TrialRecord['state']): number =>
  trials.filter((trial) => trial.state === state).length;

/** The campaign, once as many trials are in flight as may be. */
async function campaignInFlight(stack: ChaosStack, name: string, atOnce: number): Promise<string> {
  const id = await waitUntil(async () => (await stack.record.campaignNamed(name)) ?? undefined);
  const areInFlight = async (): Promise<boolean> => countOf(await stack.record.trials(id ?? ''), 'running') === atOnce;
  if (id === undefined || !(await waitUntil(areInFlight, { intervalMs: 50 })))
    throw new Error(`${name}: ${atOnce} trials were never in flight at once`);
  return id;
}

/** Adds trials that have asked longest, as far as enough others stay in flight even if all that were answered end at once. */
function answerSome(
  answered: Set<string>,
  { running, sends }: { running: ReadonlySet<string>; sends: readonly SendRecord[] },
): void {
  const onTheirWay = [...answered].filter((owner) => running.has(owner)).length;
  const asking = sends.map(({ owner }) => owner).filter((owner) => running.has(owner) && !answered.has(owner));
  const room = Math.max(0, running.size - LEAST_HELD - onTheirWay);
  for (const owner of [...new Set(asking)].slice(0, room)) answered.add(owner);
}

/** As what the provider sees a call. */
const labelOf = ({ key }: SendRecord): string => sha256Hex(key).slice(0, 32);

/** Whether one of these trials has its test bound and not run yet. */
function areBeingRun(trials: ReadonlySet<string>, steps: readonly StepRecord[]): boolean {
  const ownersOf = (name: string): string[] => steps.filter(({ step }) => step === name).map(({ owner }) => owner);
  const haveRun = new Set(ownersOf('run'));
  return ownersOf('adapt').some((owner) => trials.has(owner) && !haveRun.has(owner));
}
