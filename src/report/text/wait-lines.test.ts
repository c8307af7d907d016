import { expect, it } from 'vitest';
import type { Wait } from '../../ports/records.js';
import { createWaitNotes, waitLines } from './wait-lines.js';

const START = Date.parse('2026-03-04T10:00:00Z');
const at = (seconds: number): number => START + seconds * 1000;

const wait = (type: Wait['type'], owners: number, generations = 0): Wait => ({
  ...{ type, owners, generations, message: `${owners} of it`, since: new Date(START).toISOString() },
  lastTriedAt: new Date(at(owners)).toISOString(),
});

it('a wait that lasts is noted once, with its end, however its counts change', () => {
  const notes = createWaitNotes();
  expect(notes([wait('sandbox.unavailable', 1)], at(5))).toEqual([]);
  expect(notes([wait('sandbox.unavailable', 2)], at(11))).toEqual([
    'waiting for Docker since 2026-03-04 10:00:00 UTC (2 trials, last tried 2026-03-04 10:00:02): 2 of it',
  ]);
  expect(notes([wait('sandbox.unavailable', 9), wait('budget.contended', 1)], at(30))).toEqual([
    expect.stringMatching(/^waiting for budget that calls under way have reserved since /),
  ]);
  expect(notes([wait('budget.contended', 3)], at(40))).toEqual([
    'no longer waiting for Docker (it began at 2026-03-04 10:00:00 UTC)',
  ]);
  expect(notes([wait('budget.contended', 3)], at(50))).toEqual([]);
  expect(notes([wait('budget.contended', 3), wait('sandbox.unavailable', 1)], at(60))).toHaveLength(1);
});

it('what comes and goes within seconds is not noted', () => {
  const notes = createWaitNotes();
  expect(notes([wait('model.rate-limited', 1)], at(9))).toEqual([]);
  expect(notes([], at(10))).toEqual([]);
});

it('shared candidates that wait are not called trials', () => {
  const whoOf = (owners: number, generations: number): string =>
    /\(([^,]*), last tried/.exec(waitLines([wait('sandbox.unavailable', owners, generations)]).join())?.[1] ?? '';
  expect(whoOf(1, 1)).toBe('1 shared candidate');
  expect(whoOf(4, 2)).toBe('2 shared candidates and 2 trials');
  expect(whoOf(1, 0)).toBe('1 trial');
});
