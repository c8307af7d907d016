import { Context } from '@temporalio/activity';
import { DomainFailure } from '../src/domain/failure/domain-failure.js';

/** How long a stage may take to remove its container or settle its call once its signal is aborted. */
const CLEAN_UP_MS = 30_000;
/**
 * Shares of an attempt's time after which it is told to end, and given up. Past the whole of it nothing it says would
 * be heard, and it would be retried for ever.
 */
const TIME_UP = 0.9;
const GIVE_UP = 0.97;

/** The time of one attempt. */
export interface TimeLimit {
  /** Aborted where nobody wants it any more, and when the time of the attempt is nearly over. */
  signal: AbortSignal;
  /** Rejects when the stage does not end on its signal. */
  exceeded: Promise<never>;
  clear(): void;
}

/**
 * The signal a stage gets: cancellation, worker shutdown, or the time of this attempt nearly over, whichever is first.
 * `exceeded` rejects when the stage does not end on its signal: it must not hold back the worker for ever.
 * @throws the reason of an abort that came before: nothing is begun then
 */
export function limitTime(wanted: AbortSignal): TimeLimit {
  wanted.throwIfAborted();
  const { startToCloseTimeoutMs } = Context.current().info;
  const timeUp = new AbortController();
  const signal = AbortSignal.any([wanted, timeUp.signal]);
  const timers: NodeJS.Timeout[] = [];
  const seconds = Math.round(startToCloseTimeoutMs / 1000);
  const failure = new DomainFailure('harness.bug', `no result within ${seconds} s; a stage limits its own work`);
  timers.push(setTimeout(() => timeUp.abort(failure), startToCloseTimeoutMs * TIME_UP));
  const exceeded = new Promise<never>((_, reject) => {
    const giveUp = (): void => reject(signal.reason as Error);
    timers.push(setTimeout(giveUp, startToCloseTimeoutMs * GIVE_UP));
    signal.addEventListener('abort', () => timers.push(setTimeout(giveUp, CLEAN_UP_MS)), { once: true });
  });
  exceeded.catch(() => undefined);
  return { signal, exceeded, clear: () => timers.forEach(clearTimeout) };
}
