import { expect, it } from 'vitest';
import { messageLines } from './message-lines.js';

it('gives a problem its three lines, each cut and without control sequences', () => {
  const message = `it said \u001b[2J${'x'.repeat(900)}`;
  const [what, ...more] = messageLines({ message, expected: 'a key', fix: 'set it' });
  expect(what).toMatch(/^it said x+…$/);
  expect(what).toHaveLength(400);
  expect(more).toEqual(['expected: a key', 'fix: set it']);
});

it('gives a message alone one line', () => {
  expect(messageLines({ message: 'one\ntwo' }, 100)).toEqual(['one two']);
  expect(messageLines({ message: '0123456789' }, 5)).toEqual(['0123…']);
});
