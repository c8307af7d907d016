import { describe, expect, it } from 'vitest';
import { createInFlightLimit, type InFlight, type LimitChange } from './in-flight-limit.js';

describe('how many requests may be in flight', () => {
  it('is eight at the start, or the ceiling', () => {
    expect(filled(100)).toHaveLength(8);
    expect(filled(3)).toHaveLength(3);
  });

  it('grows by one for twenty successes, up to the ceiling', () => {
    const changes: LimitChange[] = [];
    const limit = createInFlightLimit((change) => changes.push(change));
    for (let n = 0; n < 19; n += 1) limit.take(10)?.succeeded();
    expect(changes).toEqual([]);
    limit.take(10)?.succeeded();
    expect(changes).toEqual([{ from: 8, to: 9, reason: expect.stringContaining('20 answers') as string }]);
    for (let n = 0; n < 100; n += 1) limit.take(10)?.succeeded();
    expect(changes.map(({ to }) => to)).toEqual([9, 10]);
  });

  it('shrinks to 0.7 of itself with a refusal, and never below one', () => {
    const changes: LimitChange[] = [];
    const limit = createInFlightLimit((change) => changes.push(change));
    for (let n = 0; n < 12; n += 1) expect(limit.take(8)?.refused()).toBe(true);
    expect(changes.map(({ to }) => to)).toEqual([5, 3, 2, 1]);
    expect(limit.take(8)).toBeDefined();
    expect(limit.take(8)).toBeUndefined();
  });

  it('counts the refusals of one burst once', () => {
    const changes: LimitChange[] = [];
    const limit = createInFlightLimit((change) => changes.push(change));
    const burst = take(limit, 8);
    expect(burst.map((place) => place.refused())).toEqual([true, ...Array.from({ length: 7 }, () => false)]);
    expect(changes.map(({ to }) => to)).toEqual([5]);
  });

  it('shrinks from the ceiling, where that is what held it', () => {
    const changes: LimitChange[] = [];
    const limit = createInFlightLimit((change) => changes.push(change));
    limit.take(4)?.refused();
    expect(changes.map(({ to }) => to)).toEqual([2]);
  });

  it('frees a place once', () => {
    const limit = createInFlightLimit(() => undefined);
    const [first] = take(limit, 8);
    expect(limit.take(8)).toBeUndefined();
    first?.left();
    first?.succeeded();
    expect(take(limit, 8)).toHaveLength(1);
  });
});

function filled(ceiling: number): InFlight[] {
  return take(
    createInFlightLimit(() => undefined),
    ceiling,
  );
}

function take(limit: ReturnType<typeof createInFlightLimit>, ceiling: number): InFlight[] {
  const taken: InFlight[] = [];
  for (let place = limit.take(ceiling); place; place = limit.take(ceiling)) taken.push(place);
  return taken;
}
