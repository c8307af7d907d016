import { expect, test } from 'vitest';
import { createMemoryBlobs } from '../../../src/fakes/memory-blobs.js';
import type { StepRow } from '../../../src/ports/records.js';
import { trialTables } from './trial-tables.js';

const blobs = createMemoryBlobs();
const METHOD = {
  ...{ method: 'copied', because: 'result-file', withheldRight: false, underivedRight: null },
  ...{ literals: [], opened: [], twins: [{ twin: 'drop', right: false, repeated: [{ row: 'a', column: 'mean' }] }] },
};
const cell = (row: string, outcome: string, given: string | null) => ({ row, column: 'mean', outcome, given });

async function shown(judgement: object): Promise<{ title: string; rows: unknown[][]; notes: string[] }[]> {
  const { sha256 } = await blobs.put(JSON.stringify(judgement), {
    name: 'judgement.json',
    mediaType: 'application/json',
  });
  const evidence = [{ sha256, name: 'judgement.json' }];
  return trialTables([{ stage: 'score', evidence } as unknown as StepRow], blobs);
}

test('a wrong table is told cell by cell, with how many rows are right', async () => {
  const cells = [cell('a', 'rounding', '1.2'), cell('b', 'missing', null)];
  const table = { cells, rows: { a: true, b: false, given: true }, right: false, problem: null };
  expect(await shown({ table, method: null })).toMatchObject([
    {
      title: 'Cells',
      rows: [
        ['a', 'mean', 'rounding', '1.2'],
        ['b', 'mean', 'missing', null],
      ],
      notes: ['Right: 1 of 2 cells, 1 of 2 rows; the table is wrong.'],
    },
  ]);
});

test('of a right one the runs that judged its method are told, and what a model said', async () => {
  const table = { cells: [cell('a', 'match', '1.2')], rows: { a: true }, right: true, problem: null };
  const opinion = { model: 'reader', method: 'copied', reason: 'it reads a file' };
  expect(await shown({ table, method: METHOD, opinion })).toMatchObject([
    { title: 'Cells', notes: ['Right: 1 of 1 cells, 1 of 1 rows; the table is right.'] },
    {
      title: 'Method',
      rows: [
        ['withheld', 'not the published table', null],
        ['twin/drop', 'not the reference’s table', 'a, mean'],
      ],
      notes: ['Method: copied (result-file).'],
    },
    { title: 'Opinion', rows: [['reader', 'copied', 'it reads a file']] },
  ]);
});

test('nothing is told where there is no table, or its evidence is gone', async () => {
  expect(await shown({ table: { cells: [], rows: {}, right: false, problem: 'no block' }, method: null })).toEqual([]);
  expect(await shown({ table: null, method: null })).toEqual([]);
  expect(await trialTables([], blobs)).toEqual([]);
});
