import { expect, test } from 'vitest';
import { codeToStartOn } from './polled-code.js';

const living = (code: string) => ({ code, isLiving: true });
const dead = (code: string) => ({ code, isLiving: false });

test('a workflow is started on one’s own code where a living worker has it, else on what one has', () => {
  expect(codeToStartOn([living('b'), living('a')], 'a')).toBe('a');
  expect(codeToStartOn([living('c'), living('b'), dead('a')], 'a')).toBe('c');
});

test('for a worker that is to come where none lives', () => {
  expect(codeToStartOn([dead('b')], 'a')).toBe('a');
  expect(codeToStartOn([], 'a')).toBe('a');
  expect(codeToStartOn([dead('b')], '')).toBe('b');
});
