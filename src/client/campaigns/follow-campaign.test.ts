import { expect, it } from 'vitest';
import { pollPauseMs } from './follow-campaign.js';

it.each([
  ['quick', 5, 500],
  ['slow', 100, 5_000],
  ['stuck', 25_000, 15_000],
])('a %s answer (%i ms) is followed by a pause of %i ms', (_, tookMs, pauseMs) => {
  expect(pollPauseMs(tookMs)).toBe(pauseMs);
});
