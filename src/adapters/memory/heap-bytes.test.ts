import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { heapBytes } from './heap-bytes.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What the heap grew by when it was made. */
function grownBy(make: () => unknown): { value: unknown; bytes: number } {
  collectGarbage();
  const before = process.memoryUsage();
  const value = make();
  collectGarbage();
  const after = process.memoryUsage();
  return { value, bytes: after.heapUsed + after.external - before.heapUsed - before.external };
}

const numbered = <Value>(make: (n: number) => Value): Value[] => Array.from({ length: 20_000 }, (_, n) => make(n));

// Texts, so that what is measured is read from one, as an index is.
const SHAPES: [string, string][] = [
  [
    'entries of an index',
    JSON.stringify(numbered((n) => ({ kind: 'function', name: `name ${n}`, lines: [n, n + 9] }))),
  ],
  ['one record of many names', JSON.stringify(Object.fromEntries(numbered((n) => [`package.module.name_${n}`, null])))],
  ['texts beyond Latin-1', JSON.stringify(numbered((n) => `Ein „Satz“ über ${n} und noch ${n + 1} weitere`))],
  [
    'records of names of their own',
    JSON.stringify(
      numbered((n) => Object.fromEntries([0, 1, 2, 3].map((k) => [`name_${n}_${k}`, `other.place_${n}`]))),
    ),
  ],
];

test.each(SHAPES)('%s: within a factor of two of what the heap grows by', (_what, text) => {
  const { value, bytes } = grownBy(() => JSON.parse(text) as unknown);
  expect(heapBytes(value) / bytes).toBeGreaterThan(0.5);
  expect(heapBytes(value) / bytes).toBeLessThan(2);
});

test('bytes, Maps and Sets count, and what is reached twice counts once', () => {
  const bytes = new Uint8Array(1_000_000);
  expect(heapBytes({ one: bytes, other: bytes })).toBeGreaterThan(1_000_000);
  expect(heapBytes({ one: bytes, other: bytes })).toBeLessThan(1_100_000);
  expect(heapBytes(new Map([[{}, bytes]]))).toBeGreaterThan(1_000_000);
  expect(heapBytes(new Set(numbered((n) => n)))).toBeGreaterThan(20_000 * 24);
  const circle: { self?: object } = {};
  circle.self = circle;
  expect(heapBytes(circle)).toBeLessThan(1_000);
});
