import { describe, expect, it } from 'vitest';
import { createConcurrencyLimit, type InFlight, type LimitChange } from './concurrency-limit.js';

const EIGHT = { campaign: 'c', ceiling: 8 };

describe('how many requests may be in flight', () => {
  it('is what each campaign asks for, until a request is refused', () => {
    const limit = createConcurrencyLimit(() => undefined);
    expect(take(limit, 60, 'one')).toHaveLength(60);
    expect(take(limit, 3, 'other')).toHaveLength(3);
    expect(limit.take({ campaign: 'third', ceiling: 8, most: 63 })).toBeUndefined();
  });

  it('grows by one for twenty successes while it holds somebody back, up to what is asked for', () => {
    const changes: LimitChange[] = [];
    const limit = createConcurrencyLimit((change) => changes.push(change));
    const first = take(limit, 10);
    first.pop()?.refused();
    first.forEach((place) => place.left());
    expect(changes).toEqual([{ from: 10, to: 7, reason: 'refused with 429' }]);
    changes.length = 0;
    for (let n = 0; n < 100; n += 1) limit.take({ campaign: 'c', ceiling: 10 })?.succeeded();
    expect(changes).toEqual([]); // one at a time is held back by nothing
    for (let n = 0; n < 100; n += 1) {
      const places = take(limit, 10);
      places.pop()?.succeeded();
      places.forEach((place) => place.left());
    }
    expect(changes.map(({ to }) => to).slice(0, 3)).toEqual([8, 9, 10]);
    expect(changes[0]?.reason).toContain('20 answers');
  });

  it('shrinks to 0.7 of itself with a refusal, and never below one', () => {
    const changes: LimitChange[] = [];
    const limit = createConcurrencyLimit((change) => changes.push(change));
    for (let n = 0; n < 12; n += 1) expect(limit.take(EIGHT)?.refused()).toBe(true);
    expect(changes.map(({ to }) => to)).toEqual([5, 3, 2, 1]);
    expect(limit.take(EIGHT)).toBeDefined();
    expect(limit.take(EIGHT)).toBeUndefined();
  });

  it('counts the refusals of one burst once', () => {
    const changes: LimitChange[] = [];
    const limit = createConcurrencyLimit((change) => changes.push(change));
    const burst = take(limit, 8);
    expect(burst.map((place) => place.refused())).toEqual([true, ...Array.from({ length: 7 }, () => false)]);
    expect(changes.map(({ to }) => to)).toEqual([5]);
  });

  it('shrinks from the ceiling, where that is what held it', () => {
    const changes: LimitChange[] = [];
    const limit = createConcurrencyLimit((change) => changes.push(change));
    limit.take({ campaign: 'c', ceiling: 4 })?.refused();
    expect(changes.map(({ to }) => to)).toEqual([2]);
  });

  it('frees a place once', () => {
    const limit = createConcurrencyLimit(() => undefined);
    const [first] = take(limit, 8);
    expect(limit.take(EIGHT)).toBeUndefined();
    first?.left();
    first?.succeeded();
    expect(take(limit, 8)).toHaveLength(1);
  });
});

function take(limit: ReturnType<typeof createConcurrencyLimit>, ceiling: number, campaign = 'c'): InFlight[] {
  const taken: InFlight[] = [];
  const asker = { campaign, ceiling };
  for (let place = limit.take(asker); place; place = limit.take(asker)) taken.push(place);
  return taken;
}
