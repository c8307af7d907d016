import { expect, test } from 'vitest';
import type { Made } from '../../ports/memory.js';
import { heapBytes } from './heap-bytes.js';
import { createProcessMemory } from './process-memory.js';

/** Makes a new object each time, and counts how often. */
function maker(bytes: number): { make: () => Promise<Made<object>>; made: () => number } {
  let times = 0;
  const make = async (): Promise<Made<object>> => {
    times += 1;
    return { value: { times }, derivedBytes: bytes - heapBytes({ times }) };
  };
  return { make, made: () => times };
}

test('a value is made once, also for those who ask at the same time', async () => {
  const memory = createProcessMemory();
  const { make, made } = maker(1_000);
  const [one, other] = await Promise.all([memory.keep('a', make), memory.keep('a', make)]);
  expect(other).toBe(one);
  expect(await memory.keep('a', make)).toBe(one);
  expect(made()).toBe(1);
});

test('what was not asked for the longest goes when there is no room', async () => {
  const memory = createProcessMemory({ mostBytes: 10_000 });
  const [a, b, c] = [maker(4_000), maker(4_000), maker(4_000)];
  await memory.keep('a', a.make);
  await memory.keep('b', b.make);
  await memory.keep('a', a.make);
  await memory.keep('c', c.make);
  await memory.keep('a', a.make);
  await memory.keep('b', b.make);
  expect([a.made(), b.made(), c.made()]).toEqual([1, 2, 1]);
});

test('a value larger than the whole room is handed out and not kept', async () => {
  const memory = createProcessMemory({ mostBytes: 10_000 });
  const { make, made } = maker(10_001);
  expect(await memory.keep('a', make)).toEqual({ times: 1 });
  expect(await memory.keep('a', make)).toEqual({ times: 2 });
  expect(made()).toBe(2);
});

test('what could not be made is tried again', async () => {
  const memory = createProcessMemory();
  const failing = memory.keep('a', () => Promise.reject(new Error('no disk')));
  await expect(failing).rejects.toThrow('no disk');
  const { make } = maker(1_000);
  expect(await memory.keep('a', make)).toEqual({ times: 1 });
});

test('a value counts as it lies in memory, not as the text it was read from', async () => {
  const text = JSON.stringify(Array.from({ length: 5_000 }, (_, n) => ({ n, lines: [n, n + 1], owner: null })));
  const memory = createProcessMemory({ mostBytes: 1.5 * text.length });
  let made = 0;
  const read = async (): Promise<Made<object>> => ({ value: JSON.parse(text) as object, derivedBytes: (made += 1) });
  await memory.keep('a', read);
  await memory.keep('a', read);
  expect(made).toBe(2);
});
