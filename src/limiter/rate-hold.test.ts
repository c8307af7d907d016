import { expect, it } from 'vitest';
import { rateHoldMs } from './rate-hold.js';

const full = { limit: 60, remaining: 60, resetMs: 0 };

it('waits for nothing while there is room, or where the provider said nothing', () => {
  expect(rateHoldMs({ requests: full, tokens: { limit: 30_000, remaining: 500, resetMs: 59_000 } }, 500)).toBe(0);
  expect(rateHoldMs({ requests: null, tokens: null }, 500)).toBe(0);
});

it('waits for one more request where none is left: a sixtieth of the minute', () => {
  expect(rateHoldMs({ requests: { limit: 60, remaining: 0, resetMs: 60_000 }, tokens: null }, 0)).toBe(1_000);
});

it('waits for as many tokens as the next call will need', () => {
  const tokens = { limit: 30_000, remaining: 100, resetMs: 59_800 };
  expect(rateHoldMs({ requests: full, tokens }, 600)).toBe(1_000);
  expect(rateHoldMs({ requests: full, tokens }, 1_000_000)).toBe(59_800);
});

it('does not bother with less than 50 ms', () => {
  expect(rateHoldMs({ requests: { limit: 6_000, remaining: 0, resetMs: 60_000 }, tokens: null }, 0)).toBe(0);
});
