import { describe, expect, test } from 'vitest';
import type { SuiteManifest } from '../contract/suite.js';
import { UserError } from '../domain/failure/user-error.js';
import { selectionSchema, selectTasks } from './selection.js';

const manifest = { id: 'fruit', version: 3 } as unknown as SuiteManifest;
const task = (id: string, group: string) => ({ id, sha256: id, group, category: null, candidateScope: null });
const all = [task('a', 'sweet'), task('b', 'sour'), task('c', 'sweet'), task('d', 'sweet'), task('e', 'sour')];
const schema = selectionSchema(['sweet', 'sour'], 'taste', 'tastes');
const ids = (given: unknown): string[] => selectTasks(manifest, all, schema.parse(given)).tasks.map(({ id }) => id);

describe('what a campaign selects', () => {
  test('is everything where it says nothing, in the order given', () => {
    const { label, suite } = selectTasks(manifest, all, schema.parse({}));
    expect([suite, label]).toEqual(['fruit', 'fruit@3 (5 of 5 tasks)']);
    expect(ids({})).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('is narrowed by groups, by ids and by a number of each group', () => {
    expect(ids({ projects: ['sour'] })).toEqual(['b', 'e']);
    expect(ids({ tasks: ['e', 'a'] })).toEqual(['a', 'e']);
    expect(ids({ limit: 2 })).toEqual(['a', 'b', 'c', 'e']);
    expect(ids({ projects: ['sweet'], tasks: ['c', 'd', 'b'], limit: 1 })).toEqual(['c']);
  });

  test('names an id that the suite does not have', () => {
    expect(() => ids({ tasks: ['a', 'z'] })).toThrow(UserError);
    expect(() => ids({ tasks: ['z'] })).toThrow('fruit has no task z');
  });

  test.each([{ projects: ['salt'] }, { projects: [] }, { tasks: ['a', 'a'] }, { limit: 0 }, { limits: 1 }])(
    'is refused: %j',
    (given) => {
      expect(schema.safeParse(given).success).toBe(false);
    },
  );
});
