/**
 * How long a trial takes while others run: its own steps, and what all trials pass through one after another.
 *
 * What is not steps (Temporal, the worker, Postgres and the cores they run on) serves one trial after another; how long it serves
 * one is measured. Slots are such a place as well: a step that holds one of so many is served for that share of its time, and
 * the rest is its own (Seidmann 1987). At each place a trial waits for those ahead of it: as many as run beside it, for the
 * share of their time that they spend there (mean value analysis of a closed network, as Schweitzer 1979 approximates it). Alone
 * it waits for nobody; of many, no more end in a second than the slowest place serves.
 */

/** What a trial does by itself. */
export interface TrialWork {
  /** Seconds of its steps together. */
  own: number;
  /** Of these, what steps hold slots of queues for. */
  held: readonly HeldSlots[];
}

/** Seconds for which a trial holds one of the slots of a queue. */
interface HeldSlots {
  seconds: number;
  slots: number;
}

/** Bisection halves so often: to a millionth of a millionth. */
const HALVINGS = 40;

/** Seconds that a trial takes among so many at once. @param service seconds for which what is not slots serves it */
export function secondsAmong({ own, held }: TrialWork, service: number, atOnce: number): number {
  const others = Math.max(0, atOnce - 1);
  const services = [...atSlots(held), service];
  const alone = ownAlone(own, held);
  let [low, high] = [alone + sumOf(services), alone + (others + 1) * sumOf(services)];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    const needed = services.reduce((sum, each) => sum + withWait(each, others, middle), alone);
    if (needed > middle) low = middle;
    else high = middle;
  }
  return high;
}

/** The service that {@link secondsAmong} makes these seconds of, which trials took among so many. Never below 0. */
export function serviceOf({ own, held }: TrialWork, seconds: number, atOnce: number): number {
  const others = Math.max(0, atOnce - 1);
  const forSlots = atSlots(held).reduce((sum, each) => sum + withWait(each, others, seconds), 0);
  const left = seconds - ownAlone(own, held) - forSlots;
  return left > 0 ? left / (1 + (others * left) / seconds) : 0;
}

/** A service with the wait for it, in a trial of so many seconds; endless where so many services do not fit. */
function withWait(service: number, others: number, seconds: number): number {
  const free = 1 - (others * service) / seconds;
  return free > 0 ? service / free : Infinity;
}

const atSlots = (held: readonly HeldSlots[]): number[] => held.map(({ seconds, slots }) => seconds / slots);

const ownAlone = (own: number, held: readonly HeldSlots[]): number => Math.max(0, own - sumOf(atSlots(held)));

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
