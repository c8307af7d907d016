import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { toApplicationFailure, type FailureCounts } from '../../activities/failures.js';
import { readRate, retryAfterMs } from '../../src/adapters/openai/rate-headers.js';
import { DomainFailure } from '../../src/domain/failure/domain-failure.js';
import { FAILURE_TABLE } from '../../src/domain/failure/failure-table.js';
import { createMemoryPacing } from '../../src/fakes/memory-pacing.js';
import { rulesSchema } from '../../src/fakes/model-rules.js';
import { createProviderLimits } from '../../src/fakes/provider-limits.js';
import { createLimiter } from '../../src/limiter/limiter.js';
import { delay } from '../../src/limiter/delay.js';
import { seededRandom } from '../fixtures/chaos/seeded-random.js';
import { scriptedSpec } from '../fixtures/engine/throttled-run.js';

// What pacing makes of a throttled provider, by a clock of its own: bench/engine/limiter.ts measures it on real processes.

/** Requests and tokens a minute, with a minute's burst; errors, outage and calls as in the bench. */
const LIMITS = { requestsPerMinute: 60, tokensPerMinute: 30_000, burstSeconds: 60 };
const CALLS = 180;
const WINDOW = 50;
const TROUBLE = { errors: { share: 0.05, seed: 50 }, outages: [{ afterMs: 30_000, forMs: 60_000 }] };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  ['Retry-After with every refusal', 'always', false],
  ['nothing', 'never', false],
  ['rate headers with every reply', 'never', true],
] as const)('two workers are nearly as fast as %s lets them be', async (_, retryAfter, headers) => {
  vi.spyOn(Math, 'random').mockImplementation(seededRandom(1));
  const rules = rulesSchema.parse({ limits: { ...LIMITS, retryAfter, headers }, ...TROUBLE });
  const provider = createProviderLimits(rules, () => performance.now());
  const pacing = createMemoryPacing();
  const workers = ['a', 'b'].map((worker) => createLimiter({ pacing, worker, report: () => undefined }));
  let sent = 0;
  let refused = 0;
  let admitted = 0;
  /** How each call's attempts failed, as heartbeats carry it from one to the next. */
  const failures = Array.from({ length: CALLS }, (): FailureCounts => ({}));

  /** As Temporal is told: when to make the next attempt. */
  function again(n: number, failure: DomainFailure): number {
    const counts = failures[n]!;
    const waitMs = Number(toApplicationFailure(failure, counts).nextRetryDelay);
    counts[failure.type] = (counts[failure.type] ?? 0) + 1;
    return waitMs;
  }

  /** One attempt, as an activity makes it; how long to wait for the next, or null when it is answered. */
  async function attempt(n: number, tries: number): Promise<number | null> {
    // Temporal gives an attempt to whichever worker has a slot.
    const asked = workers[(n + tries) % 2]!.permit(scriptedSpec('http://provider'), {
      call: `${n}`,
      ...{ campaign: 'c', ceiling: 8 },
      signal: new AbortController().signal,
    });
    const permit = await asked.catch((error: unknown) => error as DomainFailure);
    if (permit instanceof DomainFailure) return again(n, permit);
    sent += 1;
    const tokens = n % 4 === 0 ? 900 : 350;
    const admission = provider.admit({ n: sent, tokens });
    const said = new Headers(admission.headers);
    await delay(100);
    const isRefused = !admission.admitted && admission.by === 'limits';
    if (!admission.admitted && admission.by !== 'outage' && !isRefused) admitted += 1;
    if (!admission.admitted && !isRefused) {
      const failure = new DomainFailure('model.server-error', '5xx');
      return again(n, failure.with({ retryAfterMs: await permit.failed(failure) }));
    }
    if (isRefused) {
      refused += 1;
      const waitMs = retryAfterMs(said);
      const failure = new DomainFailure('model.rate-limited', '429', waitMs === null ? {} : { retryAfterMs: waitMs });
      return again(n, failure.with({ retryAfterMs: await permit.failed(failure) }));
    }
    admitted += 1;
    const rate = readRate(said);
    const usage = { inputTokens: tokens - 50, cachedInputTokens: 0, outputTokens: 50 };
    await permit.answered({ text: '', finishReason: 'stop', usage, providerRequestId: null, ...(rate && { rate }) });
    return null;
  }

  let next = 0;
  async function slot(): Promise<void> {
    for (let n = next++; n < CALLS; n = next++)
      for (let tries = 0; ; tries += 1) {
        const waitMs = await attempt(n, tries);
        if (waitMs === null) break;
        await delay(waitMs);
      }
  }
  const started = performance.now();
  let end: number | undefined;
  const all = Promise.all(Array.from({ length: WINDOW }, slot)).finally(() => (end = performance.now()));
  const clock = async (): Promise<void> => {
    while (end === undefined) await vi.advanceTimersByTimeAsync(1_000);
  };
  await Promise.all([all, clock()]);
  const seconds = ((end ?? started) - started) / 1000;
  // The full bucket holds what the outage kept from being used.
  const ideal = admitted - LIMITS.burstSeconds;
  console.log(`pace: ${admitted} requests in ${seconds.toFixed(1)} s of its clock, ideal ${ideal}; ${refused} refused`);
  expect(seconds).toBeLessThanOrEqual(1.15 * ideal);
  // Nobody is given up for an outage of a minute, whichever worker makes its attempts.
  const most = Math.max(...failures.map((counts) => counts['model.server-error'] ?? 0));
  expect(most).toBeLessThan(FAILURE_TABLE['model.server-error'].maxAttempts);
  // A refusal is no answer lost, but nobody may be asked on and on.
  expect(refused).toBeLessThan(2 * CALLS);
});
