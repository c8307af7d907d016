import { expect, it } from 'vitest';
import { lineDiff } from './line-diff.js';

it('shows every line, with what went and what came', () => {
  expect(lineDiff('a\nb\nc', 'a\nx\nc\nd')).toBe(' a\n-b\n+x\n c\n+d');
  expect(lineDiff('same', 'same')).toBe(' same');
});
