import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { heapBytes } from './heap-bytes.js';

const GROWN = `
  const { readFileSync } = require('node:fs');
  const text = readFileSync(0, 'utf8');
  const used = () => (gc(), gc(), process.memoryUsage());
  const before = used();
  const value = JSON.parse(text);
  const after = used();
  // Said after it was measured, so that the value is still reached.
  console.log(value && after.heapUsed + after.external - before.heapUsed - before.external);
`;

/** Bytes that the heap grows by when it is read, in a process where nothing else comes or goes. */
const grownBy = (text: string): number =>
  Number(execFileSync(process.execPath, ['--expose-gc', '-e', GROWN], { input: text, encoding: 'utf8' }));

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
  const ratio = heapBytes(JSON.parse(text)) / grownBy(text);
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(2);
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
