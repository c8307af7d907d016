import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { featureTreeProblems, readFeatureTree } from './feature-tree.js';

it('leaves are names, empty objects or empty lists', () => {
  expect(featureTreeProblems({ A: { b: {}, c: [] }, D: ['e', { f: ['g'] }] })).toEqual([]);
});

it('takes every published tree', async () => {
  const folder = join(import.meta.dirname, '..', '..', 'published', 'trees');
  const names = await readdir(folder);
  expect(names).toHaveLength(6);
  for (const name of names) expect(readFeatureTree(await readFile(join(folder, name), 'utf8'))).toHaveProperty('tree');
});

describe('a file that is no feature tree', () => {
  it.each([
    ['cut off', '{"A": {', /^is not JSON: /],
    ['empty', '', /^is not JSON: /],
    ['in UTF-16', Buffer.from('\ufeff{"A": {}}', 'utf16le').toString('utf8'), /^is not UTF-8; save it as UTF-8$/],
    ['without a leaf', '{}', /^has no leaf$/],
    ['a number', '7', /^its top holds 7, which is no name$/],
    ['with a number in it', '{"A": {"b": 3}}', /^A \/ b holds 3, which is no name$/],
    ['with an empty name', '{"A": {" ": {}}}', /^has a name without a letter below A$/],
    ['a cycle', '{"A": {"B": {"c": {"B": {}}}}}', /^has a cycle: B \/ c \/ B$/],
    ['a cycle that ends in a list', '{"A": {"B": ["A"]}}', /^has a cycle: A \/ B \/ A$/],
    ['too deep', nested(21), /^is more than 20 levels deep at n0 \/ n1 \/ n2 \/ …$/],
    ['deeper than any stack', nested(20_000), /^is more than 20 levels deep/],
    ['lists deeper than any stack', `${'['.repeat(60_000)}"a"${']'.repeat(60_000)}`, /^is more than 20 levels deep/],
    ['too large', JSON.stringify(Array.from({ length: 20_001 }, (_, n) => `f${n}`)), /^has 20001 leaves$/],
  ])('%s', (_, text, says) => {
    const read = readFeatureTree(text);
    expect('problems' in read && read.problems.join('\n')).toMatch(says);
  });
});

function nested(levels: number): string {
  const names = Array.from({ length: levels }, (_, n) => `{"n${n}":`).join('');
  return `${names}{}${'}'.repeat(levels)}`;
}
