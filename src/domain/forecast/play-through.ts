import type { ConcurrencySpec } from '../../contract/campaign.js';
import type { BatchPhase } from '../../contract/plan.js';
import { normalQuantile } from '../statistics/distributions.js';

/** A batch of a plan, as far as it takes time. */
export interface PlayedBatch {
  phase: BatchPhase;
  system: string;
  trials: number;
  /** Whether its candidate is made first. */
  isShared: boolean;
}

/** How long its parts take. */
export interface PlayedTimes {
  /** Seconds of a trial of the system among so many at once. */
  trial(system: string, atOnce: number): number;
  /** How much trials of a system differ: standard deviation as a share of the mean. */
  variation(system: string): number;
  /** Seconds in which a shared candidate is made. */
  candidate(system: string): number;
}

interface OpenBatch extends PlayedBatch {
  /** Trials that are not begun. */
  left: number;
  /** Trials that run; 0 while the candidate is made. */
  running: number;
  /** What is left of its candidate, as a share, or of alike waves, as many. */
  rest: number;
  /** How much longer than a trial takes in the mean: the last ones end with the slowest. */
  stretch: number;
}

/**
 * Seconds from the first batch to the end of the last, played through as the campaign's workflow runs them: batches in order in
 * two windows, and in each its trials, so many at once. Trials of a batch run in waves; how long a wave takes changes whenever
 * more or fewer run beside it.
 */
export function playThrough(
  batches: readonly PlayedBatch[],
  { batches: window, trials: inBatch }: Pick<ConcurrencySpec, 'batches' | 'trials'>,
  times: PlayedTimes,
): number {
  const waiting = { generate: ofPhase(batches, 'generate'), grade: ofPhase(batches, 'grade') };
  const open: OpenBatch[] = [];
  let seconds = 0;
  for (;;) {
    for (const queue of Object.values(waiting))
      while (queue.length > 0 && open.filter(({ phase }) => phase === queue.at(-1)!.phase).length < window)
        open.push(begun(queue.pop()!, inBatch, times));
    if (open.length === 0) return seconds;
    const atOnce = open.reduce((sum, { running }) => sum + running, 0);
    const needed = open.map((batch) => wholeSeconds(batch, atOnce, times));
    const step = Math.min(...open.map(({ rest }, index) => rest * needed[index]!));
    seconds += step;
    for (const [index, batch] of open.entries()) batch.rest -= needed[index]! > 0 ? step / needed[index]! : batch.rest;
    for (const batch of open.filter(({ rest }) => rest < 1e-9)) {
      if (batch.left === 0) open.splice(open.indexOf(batch), 1);
      else nextWaves(batch, inBatch, times);
    }
  }
}

/** Last first: they are taken from the end. */
const ofPhase = (batches: readonly PlayedBatch[], phase: BatchPhase): PlayedBatch[] =>
  batches.filter((batch) => batch.phase === phase && batch.trials > 0).reverse();

function begun(batch: PlayedBatch, inBatch: number, times: PlayedTimes): OpenBatch {
  const open = { ...batch, left: batch.trials, running: 0, rest: 1, stretch: 1 };
  if (!batch.isShared) nextWaves(open, inBatch, times);
  return open;
}

/** All waves but the last, which are alike, then the last. */
function nextWaves(batch: OpenBatch, inBatch: number, times: PlayedTimes): void {
  const full = Math.ceil(batch.left / inBatch) - 1;
  const [running, rest] = full > 0 ? [inBatch, full] : [batch.left, 1];
  const stretch = full > 0 ? 1 : 1 + times.variation(batch.system) * slowestOf(running);
  Object.assign(batch, { running, left: batch.left - running * rest, rest, stretch });
}

function wholeSeconds({ running, system, stretch }: OpenBatch, atOnce: number, times: PlayedTimes): number {
  return running === 0 ? times.candidate(system) : stretch * times.trial(system, atOnce);
}

/** By how many standard deviations the slowest of so many exceeds their mean (Blom 1958). */
const slowestOf = (count: number): number => normalQuantile((count - 0.375) / (count + 0.25));
