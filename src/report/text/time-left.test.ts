import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPlaceClock, leftFrom } from './time-left.js';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

it('says what has ended of how many, and how long the others take once the pace is known', () => {
  const placeText = createPlaceClock();
  vi.advanceTimersByTime(300_000);
  expect(placeText({ ended: 1, of: 28 })).toBe('; [#...................] 1 of 28');
  // 60 s each: 23 of them are 23 min, nine times in ten 12 to 58.
  expect(placeText({ ended: 5, of: 28 })).toBe('; [####................] 5 of 28, about 12 to 58 min left');
  expect(placeText({ ended: 28, of: 28 })).toBe('; [####################] 28 of 28');
  expect(placeText({ ended: 1, of: 1 })).toBe('');
});

it('goes by the pace of the part alone: what was before it took longer', () => {
  const placeText = createPlaceClock();
  vi.advanceTimersByTime(3_600_000);
  expect(placeText({ ended: 0, of: 28 })).toBe('; [....................] 0 of 28');
  vi.advanceTimersByTime(300_000);
  expect(placeText({ ended: 5, of: 28 })).toBe('; [####................] 5 of 28, about 12 to 58 min left');
});

it('keeps seconds beside minutes, where they would be none of them', () => {
  expect(leftFrom({ low: 25, high: 150 })).toBe('about 25 s to 3 min left');
  // Of a range this wide only its end says something.
  expect(leftFrom({ low: 40, high: 40_000 })).toBe('at most 11.1 h left');
  expect(leftFrom({ low: 1_800, high: 7_200 })).toBe('about 0.5 to 2.0 h left');
  expect(leftFrom({ low: 0.2, high: 3 })).toBe('about 0 to 3 s left');
});
