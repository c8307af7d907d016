import { expect, test } from 'vitest';
import { inWindow, pagedKeys } from './windows.js';

const numbers = (size: number) => async (after: number | null) =>
  Array.from({ length: 50 }, (_, index) => (after ?? 0) + index + 1).filter((n) => n <= size);

test('every key once and in order, with several reading pages at the same time', async () => {
  const seen: number[] = [];
  let pages = 0;
  const next = pagedKeys<number>((after) => {
    pages += 1;
    return numbers(120)(after);
  });
  await inWindow(7, next, async (key) => void seen.push(key));
  expect(seen).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
  expect(pages).toBe(4); // 50, 50, 20, and the empty one that says it is over
});

test('at most the window at once, and the window is filled', async () => {
  let running = 0;
  let most = 0;
  await inWindow(4, pagedKeys(numbers(30)), async () => {
    most = Math.max(most, (running += 1));
    await new Promise((resolve) => setTimeout(resolve, 1));
    running -= 1;
  });
  expect(most).toBe(4);
});

test('an empty list ends at once', async () => {
  await expect(inWindow(3, pagedKeys(numbers(0)), async () => expect.unreachable())).resolves.toBeUndefined();
});
