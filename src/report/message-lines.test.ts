import { expect, it } from 'vitest';
import { messageLines } from './message-lines.js';

it('gives a problem its three lines, each cut and without control sequences', () => {
  const message = `it said \u001b[2J${'x'.repeat(900)}\nallowed: a key\nto mend: set it`;
  const [what, ...more] = messageLines(message);
  expect(what).toMatch(/^it said x+…$/);
  expect(what).toHaveLength(400);
  expect(more).toEqual(['allowed: a key', 'to mend: set it']);
});

it('gives other words one line', () => {
  expect(messageLines('one\ntwo', 100)).toEqual(['one two']);
  expect(messageLines('0123456789', 5)).toEqual(['0123…']);
});
