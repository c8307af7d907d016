import { describe, expect, it } from 'vitest';
import type { CandidateEntry } from '../candidate/candidate-index.js';
import { byEvidence, toldBy } from './evidence.js';

const entry = (qualname: string, signature = '(self)'): CandidateEntry => {
  const [name = '', owner] = qualname.split('.').reverse();
  const kind = owner === undefined ? (/^[A-Z]/.test(name) ? 'class' : 'function') : 'method';
  const place = { module: 'lib', file: 'lib.py', lines: [1, 2] as [number, number] };
  return { ...place, kind, name, qualname, owner: owner ?? null, signature: name + signature, doc: '' };
};
const ENTRIES = [
  ...['Jar', 'Jar.keys', 'Jar.values', 'Jar.items', 'Jar.__eq__'].map((name) => entry(name)),
  ...[entry('Other'), entry('Other.prepare'), entry('jar_from', '(pairs, overwrite)'), entry('jar_of', '(pairs)')],
];
const rows = (names: string[]) =>
  names.map((name, place) => ({
    row: ENTRIES.findIndex(({ qualname }) => qualname === name),
    score: 0.6 - place / 100,
  }));
const told = (test_code: string, description = '') => toldBy({ description, test_code });
const chosen = (ranked: { row: number; score: number }[], code = '', description = '') =>
  byEvidence(ranked, { entries: ENTRIES, told: told(code, description), top: 5 }).map(
    ({ row }) => ENTRIES[row]?.qualname,
  );

it('reads names from objects and keyword arguments, not comparisons', () => {
  const { attributes, keywords } = told('assert made.keys() == f(a, timeout=1, b=c.d)\nif (x == 1): pass');
  expect([[...attributes], [...keywords]]).toEqual([
    ['keys', 'd'],
    ['timeout', 'b'],
  ]);
});

describe('byEvidence', () => {
  it('leaves room for others beside the methods of one class, and lets special ones stand for it', () => {
    const ranked = rows(['Jar.__eq__', 'Jar.keys', 'Jar', 'Jar.values', 'Jar.items', 'Other', 'jar_of']);
    expect(chosen(ranked)).toEqual(['Jar', 'Jar.keys', 'Jar.values', 'Other', 'jar_of']);
  });

  it('prefers what has the names the test uses, and no further than three of them count', () => {
    expect(chosen(rows(['jar_of', 'jar_from']), 'make(pairs, overwrite=True)')).toEqual(['jar_from', 'jar_of']);
    expect(chosen(rows(['Jar', 'Other']), 'made.prepare()')).toEqual(['Other', 'Jar']);
    const far = [...rows(['jar_of']), { row: 0, score: 0.52 }];
    expect(chosen(far, 'a.keys(), a.values(), a.items()')).toEqual(['jar_of', 'Jar']);
  });

  it('prefers what is of the kind that the description names, where others are hardly closer', () => {
    const mixed = rows(['Jar.keys', 'jar_of', 'Other', 'Jar.__eq__']);
    expect(chosen(mixed, '', 'A class for jars, in the area of cookies.')).toEqual([
      'Other',
      'Jar',
      'Jar.keys',
      'jar_of',
    ]);
    expect(chosen(mixed, '', 'A function for jars.')).toEqual(['jar_of', 'Jar.keys', 'Other', 'Jar']);
    expect(chosen(mixed, '', 'Classes of jars.')).toEqual(['Jar.keys', 'jar_of', 'Other', 'Jar']);
    const far = [...rows(['jar_of']), { row: 5, score: 0.54 }];
    expect(chosen(far, '', 'A class for jars.')).toEqual(['jar_of', 'Other']);
  });

  it('keeps similarities as scores, and survives rows that are not there', () => {
    const [first] = byEvidence(
      [
        { row: 99, score: 1 },
        { row: 5, score: 0.4 },
      ],
      {
        entries: ENTRIES,
        ...{ told: told('x.prepare()'), top: 2 },
      },
    );
    expect(first).toEqual({ row: 5, score: 0.4 });
  });
});
