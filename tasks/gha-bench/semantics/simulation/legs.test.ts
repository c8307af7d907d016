import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSemantics } from '../model/read-semantics.js';
import { legsOf, type Legs } from './legs.js';

function legs(matrix: string): Legs {
  const text = `on: push\njobs:\n  a:\n    strategy:\n      matrix: ${matrix}\n    steps: []\n`;
  const [workflow] = readSemantics({ '.github/workflows/w.yml': text }).workflows;
  const job = workflow?.jobs[0];
  if (!job) throw new Error('no job');
  return legsOf(job, { contexts: { needs: { plan: { outputs: { list: '["x","y"]', empty: '[]' } } } } });
}

test("the example of GitHub's documentation has its six legs", () => {
  const { legs: found } = legs(
    '{ fruit: [apple, pear], animal: [cat, dog], include: [{ color: green }, { color: pink, animal: cat }, ' +
      '{ fruit: apple, shape: circle }, { fruit: banana }, { fruit: banana, animal: cat }] }',
  );
  expect(found).toEqual([
    { fruit: 'apple', animal: 'cat', color: 'pink', shape: 'circle' },
    { fruit: 'apple', animal: 'dog', color: 'green', shape: 'circle' },
    { fruit: 'pear', animal: 'cat', color: 'pink' },
    { fruit: 'pear', animal: 'dog', color: 'green' },
    { fruit: 'banana' },
    { fruit: 'banana', animal: 'cat' },
  ]);
});

test.each<[string, unknown[]]>([
  ['{ v: [1, 2] }', [{ v: 1 }, { v: 2 }]],
  [
    '{ os: [a, b], v: [1, 2], exclude: [{ os: a, v: "1" }] }',
    [
      { os: 'a', v: 2 },
      { os: 'b', v: 1 },
      { os: 'b', v: 2 },
    ],
  ],
  [
    '{ os: [a, b], v: [1, 2], exclude: [{ os: a }] }',
    [
      { os: 'b', v: 1 },
      { os: 'b', v: 2 },
    ],
  ],
  ['{ include: [{ a: 1 }, { b: 2 }] }', [{ a: 1 }, { b: 2 }]],
  ['{ v: "${{ fromJSON(needs.plan.outputs.list) }}" }', [{ v: 'x' }, { v: 'y' }]],
  ['"${{ fromJSON(format(\'{{\\"v\\":{0}}}\', needs.plan.outputs.list)) }}"', [{ v: 'x' }, { v: 'y' }]],
  // What was excluded can come back, and does not join later entries.
  ['{ v: [1], exclude: [{ v: 1 }], include: [{ v: 1, x: a }, { x: b }] }', [{ v: 1, x: 'a' }, { x: 'b' }]],
])('%s', (matrix, expected) => {
  expect(legs(matrix)).toEqual({ legs: expected });
});

test.each([
  ['{ v: "${{ fromJSON(needs.plan.outputs.empty) }}" }', 'matrix.v is no list of values'],
  ['{ v: [] }', 'matrix.v is no list of values'],
  ['{ v: [1], exclude: [{ v: 1 }] }', 'the matrix is empty'],
  ['"${{ fromJSON(needs.plan.outputs.missing) }}"', 'empty input'],
  [
    `{ ${['a', 'b', 'c', 'd', 'e', 'f'].map((key) => `${key}: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]`).join(', ')} }`,
    '1000000 legs',
  ],
])('%s has no legs', (matrix, problem) => {
  expect(legs(matrix)).toEqual({ legs: [], problem: expect.stringContaining(problem) as string });
});

test('entries never change a value of the product, and every leg of it stays', () => {
  const values = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 3 });
  const entry = fc.dictionary(fc.constantFrom('a', 'b', 'x', 'y'), fc.integer({ min: 0, max: 3 }));
  fc.assert(
    fc.property(values, values, fc.array(entry, { maxLength: 5 }), (a, b, include) => {
      const { legs: found } = legs(JSON.stringify({ a, b, include }));
      const product = a.flatMap((first) => b.map((second) => ({ a: first, b: second })));
      expect(found.slice(0, product.length).map((leg) => ({ a: leg['a'], b: leg['b'] }))).toEqual(product);
      expect(found.length).toBeLessThanOrEqual(product.length + include.length);
    }),
  );
});
