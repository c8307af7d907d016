import { describe, expect, test } from 'vitest';
import { imageOf, isRightEntry, type DerivedNames } from './truth.js';

const NAMES: DerivedNames = {
  modules: { lib: 'easy', 'lib.models': 'easy.inner.records', 'lib.sub': 'easy.sub' },
  symbols: { 'lib.models.Request': 'Query', 'lib.get': 'fetch' },
  deleted: ['lib.models.Gone', 'lib.models.Request.lost'],
};

test.each([
  ['lib', 'easy'],
  ['lib.get', 'easy.fetch'],
  ['lib.models.Request', 'easy.inner.records.Query'],
  ['lib.models.Request.prepare', 'easy.inner.records.Query.prepare'],
  ['lib.models.VALUE', 'easy.inner.records.VALUE'],
  ['lib.models.Gone', null],
  ['lib.models.Gone.method', null],
  ['lib.models.Request.lost', null],
  ['other.models.Request', 'other.models.Request'],
])('%s became %s', (path, image) => {
  expect(imageOf(NAMES, path)).toBe(image);
});

test('in a library of which some names changed, the rest stays where it is', () => {
  const names = { modules: {}, symbols: { 'lib.core.melt': 'unpivot' }, deleted: [] };
  expect(imageOf(names, 'lib.core.melt')).toBe('lib.core.unpivot');
  expect(imageOf(names, 'lib.core.concat')).toBe('lib.core.concat');
});

describe('the right entry', () => {
  const right = (entry: string): boolean => isRightEntry(NAMES, 'lib.models.Request.prepare', entry);

  test('is the target, the class it is a method of, or a method of it', () => {
    expect(right('easy.inner.records.Query.prepare')).toBe(true);
    expect(right('easy.inner.records.Query')).toBe(true);
    expect(isRightEntry(NAMES, 'lib.models.Request', 'easy.inner.records.Query.copy')).toBe(true);
  });

  test('is no neighbour, no entry of the same name, and nothing where the target is gone', () => {
    expect(right('easy.inner.records.Query.copy')).toBe(false);
    expect(right('easy.inner.records.QueryBase')).toBe(false);
    expect(right('lib.models.Request.prepare')).toBe(false);
    expect(isRightEntry(NAMES, 'lib.models.Gone', 'lib.models.Gone')).toBe(false);
  });
});
