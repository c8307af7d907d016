import { expect, test } from 'vitest';
import { drawingKey } from './drawing-key.js';

test('a key follows from secret, task and purpose, and is another for any other', () => {
  const key = drawingKey('secret', 'task', 'purpose');
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(drawingKey('secret', 'task', 'purpose')).toBe(key);
  const others = [
    drawingKey('another', 'task', 'purpose'),
    drawingKey('secret', null, 'purpose'),
    drawingKey('secret', 'task', 'other'),
    drawingKey('secret', 'task","pur', 'pose'),
  ];
  expect(new Set([key, ...others]).size).toBe(5);
});
