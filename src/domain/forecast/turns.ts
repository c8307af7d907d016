/**
 * How long a trial takes while others run: its own steps, and its turns at what all of them share.
 *
 * Of a step that holds one of so many slots, one share is a turn at the slots and the rest its own (Seidmann 1987). What is left
 * of a trial's time (Temporal, the worker, Postgres and the cores they run on) is a turn as well, and its length is measured. A
 * turn waits for those of the trials that are ahead: as many as there are at once, for the share of their time that they spend
 * there (mean value analysis of a closed network, as Schweitzer 1979 approximates it). Alone a trial waits for nobody; of
 * many no more end in a second than the longest turn allows.
 */
export interface TrialWork {
  /** Seconds of its steps together. */
  own: number;
  /** Of these, what steps hold slots of queues for. */
  held: readonly HeldSlots[];
}

/** Seconds for which a trial holds one of the slots of a queue. */
export interface HeldSlots {
  seconds: number;
  slots: number;
}

/** Bisection halves so often: to a millionth of a millionth. */
const HALVINGS = 40;

/** Seconds that a trial takes among so many at once. @param turn seconds of its turn at what is not slots */
export function secondsAmong({ own, held }: TrialWork, turn: number, atOnce: number): number {
  const others = Math.max(0, atOnce - 1);
  const turns = [...turnsAtSlots(held), turn];
  const alone = ownAlone(own, held);
  let [low, high] = [alone + sumOf(turns), alone + (others + 1) * sumOf(turns)];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    const needed = turns.reduce((sum, each) => sum + waited(each, others, middle), alone);
    if (needed > middle) low = middle;
    else high = middle;
  }
  return high;
}

/** The turn of trials that took so many seconds among so many: what {@link secondsAmong} makes those seconds of. Never below 0. */
export function turnOf({ own, held }: TrialWork, seconds: number, atOnce: number): number {
  const others = Math.max(0, atOnce - 1);
  const atSlots = turnsAtSlots(held).reduce((sum, each) => sum + waited(each, others, seconds), 0);
  const left = seconds - ownAlone(own, held) - atSlots;
  return left > 0 ? left / (1 + (others * left) / seconds) : 0;
}

/** A turn with the wait for it, in a trial of so many seconds; endless where so many turns do not fit. */
function waited(turn: number, others: number, seconds: number): number {
  const free = 1 - (others * turn) / seconds;
  return free > 0 ? turn / free : Infinity;
}

const turnsAtSlots = (held: readonly HeldSlots[]): number[] => held.map(({ seconds, slots }) => seconds / slots);

const ownAlone = (own: number, held: readonly HeldSlots[]): number => Math.max(0, own - sumOf(turnsAtSlots(held)));

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
