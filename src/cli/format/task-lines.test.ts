import { expect, it } from 'vitest';
import { taskLines } from './task-lines.js';

const lines = (count: number): string => Array.from({ length: count }, (_, n) => `line ${n + 1}`).join('\n');

it('shows a test of the usual length whole, and of a long one the end too, where what is checked stands', () => {
  const whole = taskLines('c/t/s/1', { asked: 'a', test: { name: 'n', text: lines(40) } });
  expect(whole).toEqual([
    'asked        a',
    'test         n',
    ...lines(40)
      .split('\n')
      .map((line) => `  | ${line}`),
  ]);
  const long = taskLines('c/t/s/1', { asked: 'a', test: { name: 'n', text: lines(100) } });
  expect(long.slice(9, 12)).toEqual([
    '  | line 8',
    '  | … 60 more lines: durabench show c/t/s/1 --json',
    '  | line 69',
  ]);
  expect(long.at(-1)).toBe('  | line 100');
});

it('shows five lines of a long question', () => {
  expect(taskLines('c/t/s/1', { asked: lines(9), test: null })).toEqual([
    ...['asked        line 1', ...[2, 3, 4, 5].map((n) => `             line ${n}`)],
    '             … 4 more lines: durabench show c/t/s/1 --json',
  ]);
});

it('lets no control sequence through', () => {
  expect(taskLines('c', { asked: 'a\u001b[2J', test: { name: 'n\u0007', text: '\u001b[31mx' } }).join('')).not.toMatch(
    /[\u001b\u0007]/,
  );
});
