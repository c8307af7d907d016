import { DomainFailure } from '../domain/failure/domain-failure.js';
import type { ModelAnswer } from '../ports/model.js';
import type { Pacing } from '../ports/pacing.js';
import { createConcurrencyLimit, type InFlight } from './concurrency-limit.js';
import type { LimiterEvent, Permit, PermitRequest } from './permit.js';
import { delay } from './delay.js';
import { createCircuitBreaker } from './circuit-breaker.js';
import { rateHoldMs } from './rate-hold.js';
import { createBackoff } from './backoff.js';

/** A call that would wait longer gives its slot back and comes again. */
const PATIENCE_MS = 2_000;
/** After a refusal that does not say for how long; doubled by each further one, halved by each answer. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** Longest share of a deferral that only spreads the calls out. What wakes later than needed leaves the provider idle. */
const FAR_MS = 5_000;
const NEAR_MS = 1_000;
/** A provider may say "tomorrow"; it is asked again earlier, since what it said may change. */
const LONGEST_HOLD_MS = 15 * 60_000;

/** What a limiter of one provider is built from. */
export interface ProviderLimiterParts {
  provider: string;
  pacing: Pacing;
  worker: string;
  report: (event: LimiterEvent) => void;
}

/** All requests of this worker to one provider key. */
export interface ProviderLimiter {
  permit(request: PermitRequest): Promise<Permit>;
}

/** A limiter without history. */
export function createProviderLimiter({ provider, pacing, worker, report }: ProviderLimiterParts): ProviderLimiter {
  const limit = createConcurrencyLimit((change) => report({ provider, ...change }));
  const backoff = createBackoff(() => performance.now(), Math.random);
  const breaker = createCircuitBreaker();
  const waiting = new Set<() => void>();
  let pauseMs = FIRST_PAUSE_MS;
  let callTokens = 0;

  async function permit(request: PermitRequest): Promise<Permit> {
    const { call, signal } = request;
    backoff.arrived(call);
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      signal.throwIfAborted();
      const leftMs = until - performance.now();
      const held = await pacing.waitMs(provider);
      if (held.waitMs > leftMs) throw deferred(call, held.waitMs, held.reason);
      if (held.waitMs > 0) await delay(held.waitMs, signal);
      else {
        const epoch = breaker.epoch();
        const place = limit.take({ ...request, ...(breaker.isOpen() && { most: 1 }) });
        if (place) return permitOf(call, place, epoch);
        const expectedMs = (waiting.size + 1) * backoff.intervalMs();
        if (expectedMs > leftMs || !(await freed(leftMs, signal)))
          throw deferred(call, 0, 'as many requests as it takes are in flight');
      }
    }
  }

  /** Waits for a place; false when none came in time. */
  async function freed(leftMs: number, signal: AbortSignal): Promise<boolean> {
    const over = new AbortController();
    let wake = (): void => undefined;
    const woken = new Promise<true>((resolve) => (wake = () => resolve(true)));
    waiting.add(wake);
    const timeUp = delay(leftMs, AbortSignal.any([signal, over.signal])).then(() => false as const);
    timeUp.catch(() => undefined);
    try {
      return await Promise.race([woken, timeUp]);
    } finally {
      waiting.delete(wake);
      over.abort();
    }
  }

  function deferred(call: string, holdMs: number, reason: string): DomainFailure {
    // While it is unavailable nobody knows its pace; when it is back there is room for all.
    const retryAfterMs = backoff.deferred(call, { holdMs, furthestMs: breaker.isOpen() ? NEAR_MS : FAR_MS });
    const seconds = (retryAfterMs / 1000).toFixed(1);
    return new DomainFailure('model.waiting', `Calls of ${provider} wait (${reason}); again in ${seconds} s.`, {
      retryAfterMs,
    });
  }

  function wakeOne(): void {
    for (const wake of waiting) {
      waiting.delete(wake);
      return wake();
    }
  }

  async function hold(holdMs: number, reason: string): Promise<void> {
    if (holdMs <= 0) return;
    const bounded = Math.min(holdMs, LONGEST_HOLD_MS);
    if (bounded >= 1_000) report({ provider, holdMs: bounded, reason });
    // Not worth losing an answer for: who does not hear of it is refused and tells everybody again.
    await pacing.hold({ provider, holdMs: bounded, reason, worker }).catch(() => undefined);
  }

  async function answered(answer: ModelAnswer): Promise<void> {
    backoff.answered();
    breaker.answered();
    pauseMs = Math.max(FIRST_PAUSE_MS, pauseMs / 2);
    callTokens = answer.usage ? answer.usage.inputTokens + answer.usage.outputTokens : callTokens;
    if (answer.rate) await hold(rateHoldMs(answer.rate, callTokens), 'its rate headers say that a limit is used up');
  }

  async function refused(retryAfterMs: number | null, isNews: boolean): Promise<void> {
    breaker.answered();
    if (retryAfterMs !== null) return hold(retryAfterMs, 'it refused with 429 and said for how long');
    if (!isNews) return;
    const holdMs = pauseMs;
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    await hold(holdMs, 'it refused with 429');
  }

  async function failed(failure: DomainFailure, place: InFlight, epoch: number): Promise<void> {
    if (failure.type === 'model.rate-limited') return refused(failure.retryAfterMs, place.refused());
    place.left();
    // Every other reply, a 401 too, shows that the provider is there.
    const isOutage = ['model.server-error', 'model.unreachable', 'model.ambiguous'].includes(failure.type);
    if (!isOutage) return breaker.answered();
    const holdMs = breaker.failed(epoch);
    if (failure.retryAfterMs !== null || holdMs > 0)
      await hold(Math.max(holdMs, failure.retryAfterMs ?? 0), `it fails: ${failure.type}`);
  }

  function permitOf(call: string, place: InFlight, epoch: number): Permit {
    return {
      unused() {
        place.left();
        wakeOne();
      },
      async answered(answer) {
        place.succeeded();
        wakeOne();
        await answered(answer);
      },
      async failed(failure) {
        await failed(failure, place, epoch);
        wakeOne();
        const { waitMs } = await pacing.waitMs(provider).catch(() => ({ waitMs: 0 }));
        // It had its turn, so it is the next.
        return backoff.deferred(call, { holdMs: waitMs, furthestMs: 0 });
      },
    };
  }

  return { permit };
}
