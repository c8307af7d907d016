import type { ConcurrencySpec } from '../../contract/campaign.js';
import type { BatchPhase } from '../../contract/plan.js';
import { normalQuantile } from '../statistics/distributions.js';

/** A batch of a plan, as far as it takes time. */
export interface PlayedBatch {
  phase: BatchPhase;
  system: string;
  /** Trials that are not begun. */
  trials: number;
  /** Whether its candidate is made first. */
  isShared: boolean;
  /** For how many seconds each of its trials has run, or the making of its candidate has; none where it is not begun. */
  running?: readonly number[];
}

/** How long its parts take. */
export interface PlayedTimes {
  /** Seconds of a trial of the system among so many at once. */
  trial(system: string, atOnce: number): number;
  /** How much trials of a system differ: standard deviation as a share of the mean. */
  variation(system: string): number;
  /** Seconds in which a shared candidate is made. */
  candidate(system: string): number;
  /** Which share of such trials as run already have ended when these are played to end: a half in the middle. */
  late: number;
}

interface OpenBatch extends PlayedBatch {
  /** What it has done, in candidates while one is made, then in trials: as many as ended one after another. */
  done: number;
  /** What it will have done when each of its running trials, or its candidate, ends. */
  ends: number[];
}

/** Nothing runs so regularly that what is late is not expected to take a while longer. */
const LEAST_VARIATION = 0.25;

/**
 * Seconds to the end of the last batch, played through as the campaign's workflow runs them: batches in order in two windows, and
 * in each its trials, so many at once. How long a trial takes changes whenever more or fewer run beside it.
 */
export function playThrough(
  batches: readonly PlayedBatch[],
  { batches: window, trials: inBatch }: Pick<ConcurrencySpec, 'batches' | 'trials'>,
  times: PlayedTimes,
): number {
  const waiting = { generate: ofPhase(batches, 'generate'), grade: ofPhase(batches, 'grade') };
  const running = batches.reduce((sum, batch) => sum + trialsIn(batch, batch.running ?? []), 0);
  const open: OpenBatch[] = [];
  let seconds = 0;
  for (;;) {
    for (const queue of Object.values(waiting))
      while (queue.length > 0 && open.filter(({ phase }) => phase === queue.at(-1)!.phase).length < window)
        open.push(begun(queue.pop()!, { inBatch, atOnce: running, times }));
    if (open.length === 0) return seconds;
    const atOnce = open.reduce((sum, batch) => sum + trialsIn(batch, batch.ends), 0);
    const units = open.map((batch) => unitSeconds(batch, atOnce, times));
    const next = open.map(({ ends, done }) => Math.min(...ends) - done);
    const step = Math.min(...next.map((share, index) => share * units[index]!));
    seconds += step;
    for (const [index, batch] of open.entries()) batch.done += units[index]! > 0 ? step / units[index]! : next[index]!;
    for (const batch of [...open]) if (!goesOn(batch, inBatch, times)) open.splice(open.indexOf(batch), 1);
  }
}

/** Last first: they are taken from the end. */
const ofPhase = (batches: readonly PlayedBatch[], phase: BatchPhase): PlayedBatch[] =>
  batches.filter((batch) => batch.phase === phase && batch.trials + (batch.running?.length ?? 0) > 0).reverse();

const trialsIn = ({ isShared }: PlayedBatch, running: readonly number[]): number => (isShared ? 0 : running.length);

/** Seconds of what its `done` counts. */
const unitSeconds = ({ isShared, system }: PlayedBatch, atOnce: number, times: PlayedTimes): number =>
  isShared ? times.candidate(system) : times.trial(system, atOnce);

function begun(
  batch: PlayedBatch,
  { inBatch, atOnce, times }: { inBatch: number; atOnce: number; times: PlayedTimes },
): OpenBatch {
  const { isShared, running = [], system } = batch;
  const unit = unitSeconds(batch, atOnce, times);
  const variation = times.variation(system);
  const ends = running.map((age) => restAfter(unit > 0 ? age / unit : 0, { variation, late: times.late }));
  const open = { ...batch, done: 0, ends: isShared && ends.length === 0 ? [1] : ends };
  if (!isShared) beginTrials(open, inBatch, times);
  return open;
}

/** Takes out what has ended and begins what follows; false where nothing is left. */
function goesOn(batch: OpenBatch, inBatch: number, times: PlayedTimes): boolean {
  const running = batch.ends.filter((end) => end - batch.done > 1e-9);
  if (running.length === batch.ends.length) return true;
  // Of a candidate that is made, its trials.
  Object.assign(batch, { ends: running, isShared: false });
  if (batch.trials > 0) beginTrials(batch, inBatch, times);
  return batch.ends.length > 0;
}

/** As many as there are places for. The last ones end with the slowest. */
function beginTrials(batch: OpenBatch, inBatch: number, times: PlayedTimes): void {
  const count = Math.max(0, Math.min(batch.trials, inBatch - batch.ends.length));
  batch.trials -= count;
  batch.ends.push(...Array<number>(count).fill(batch.done + 1));
  if (batch.trials === 0) endWithSlowest(batch, times.variation(batch.system));
}

/** The last end is when the slowest of those is expected that, but for how they differ, end with it or after them. */
function endWithSlowest(batch: OpenBatch, variation: number): void {
  const ends = batch.ends.toSorted((a, b) => a - b);
  ends.push(Math.max(...ends.map((end, index) => end + variation * slowestOf(ends.length - index))));
  batch.ends = ends.toSpliced(-2, 1);
}

/**
 * What is left of a trial, in trials, when it has run for so much of one, by a log-logistic distribution: what is long overdue
 * takes the longer still, the longer it has run. @param late the share of such trials that have ended by then
 */
function restAfter(share: number, { variation, late }: { variation: number; late: number }): number {
  const shape = Math.PI / Math.sqrt(3) / Math.max(LEAST_VARIATION, variation);
  return ((1 + share ** shape) / (1 - late) - 1) ** (1 / shape) - share;
}

/** By how many standard deviations the slowest of so many exceeds their mean (Blom 1958). */
const slowestOf = (count: number): number => normalQuantile((count - 0.375) / (count + 0.25));
