import { describe, expect, it } from 'vitest';
import { DomainFailure } from '../domain/failure/domain-failure.js';
import { FAILURE_TABLE } from '../domain/failure/failure-table.js';
import { askThroughOutages } from './ask-through-outages.js';

const never = new AbortController().signal;

describe('asking through outages', () => {
  it('waits between two tries, not within one: whoever waits holds nothing of the model’s', async () => {
    let [tries, asking] = [0, 0];
    const seen: number[] = [];
    const timer = setInterval(() => seen.push(asking), 1);
    const answer = await askThroughOutages(async () => {
      asking += 1;
      try {
        await Promise.resolve();
        if ((tries += 1) < 3) throw new DomainFailure('model.waiting', 'others come first', { retryAfterMs: 60 });
        return 'answered';
      } finally {
        asking -= 1;
      }
    }, never);
    clearInterval(timer);
    expect([answer, tries]).toEqual(['answered', 3]);
    expect(seen.length).toBeGreaterThan(5);
    expect(new Set(seen)).toEqual(new Set([0]));
  });

  it('gives up as often as the table of failures says, each type for itself', async () => {
    let tries = 0;
    const failing = askThroughOutages(() => {
      tries += 1;
      const type = tries % 2 === 0 ? 'model.server-error' : 'model.waiting';
      return Promise.reject(new DomainFailure(type, 'down', { retryAfterMs: 0 }));
    }, never);
    await expect(failing).rejects.toMatchObject({ type: 'model.server-error' });
    expect(tries).toBe(2 * FAILURE_TABLE['model.server-error'].maxAttempts);
  });

  it('leaves at once what does not pass by itself, and whoever stops', async () => {
    const spent = new DomainFailure('system.limit-reached', 'enough');
    await expect(askThroughOutages(() => Promise.reject(spent), never)).rejects.toBe(spent);
    const stop = new AbortController();
    const waiting = askThroughOutages(
      () => Promise.reject(new DomainFailure('model.waiting', 'later', { retryAfterMs: 3_600_000 })),
      stop.signal,
    );
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow();
  });
});
