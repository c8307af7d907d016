import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { join } from 'node:path';
import { UserError } from '../../src/domain/failure/user-error.js';
import { makeTasks } from '../../tasks/artisan/dataset/make-tasks.js';
import { readStudy } from '../../tasks/artisan/dataset/read-study.js';
import type { StudySource } from '../../tasks/artisan/dataset/study-schema.js';
import { openArtisanBench, type ArtisanBench } from '../fixtures/artisan/artisan-bench.js';

// Studies that would measure something else: refused when their tasks are made, in three lines.

let opened: ArtisanBench;
let silver: StudySource;

beforeAll(async () => {
  opened = await openArtisanBench();
  const study = await readStudy(join(opened.bench.suiteFolder, 'dataset', 'tasks', 'silver'), 'silver');
  silver = { ...study, tables: study.tables.filter(({ id }) => id === 'silver-fit') };
});

afterAll(async () => opened?.close());

async function told(source: StudySource): Promise<string> {
  const error: unknown = await makeTasks(source, opened.tools).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  const { message } = error as UserError;
  expect(message).toMatch(/^tasks\/artisan\/dataset\/tasks\/silver\/.*\n {0,2}expected: .*\n {0,2}fix: /m);
  return message;
}

const ofStudy = (change: Partial<StudySource['study']>): StudySource => ({
  ...silver,
  study: { ...silver.study, ...change },
});
const withReference = (reference: string): StudySource => ({
  ...silver,
  tables: silver.tables.map((table) => ({ ...table, reference })),
});
const withBest = (best: 'full' | 'last-mile'): StudySource => ({
  ...silver,
  tables: silver.tables.map((each) => ({ ...each, table: { ...each.table, best } })),
});
const withRow = (change: { anchor?: string; cells?: string[] }): StudySource => ({
  ...silver,
  tables: silver.tables.map((each) => {
    const { columns, rows } = each.table;
    const changed = { ...rows['R-squared']!, ...change };
    return {
      ...each,
      table: {
        ...each.table,
        columns: { ...columns, other: { type: 'decimal', monte_carlo: false } },
        rows: { ...rows, 'R-squared': changed },
      },
    };
  }),
});
const file = 'data/AtmWtAg.dat';

describe('a study is refused whose', () => {
  test.each<[string, () => StudySource, RegExp]>([
    [
      'paper is another',
      () => ofStudy({ paper: { ...silver.study.paper, sha256: 'a'.repeat(64) } }),
      /study\.yaml: paper: \S+AtmWtAg\.dat has the sha-256 41d7/,
    ],
    [
      'paper is not in the package',
      () => ofStudy({ paper: { ...silver.study.paper, from: 'scipy/none.dat' } }),
      /paper: scipy\/none\.dat is not in the package/,
    ],
    [
      'anchor is not in the paper',
      () => withRow({ anchor: 'Nowhere in it' }),
      /fit\/table\.yaml: rows\.R-squared: the anchor fits no line of the paper/,
    ],
    [
      'anchor is in it twice',
      () => withRow({ anchor: 'Certified' }),
      /fit\/table\.yaml: rows\.R-squared: the anchor fits \d+ lines of the paper/,
    ],
    [
      'hidden cell has no value in the paper',
      () => withRow({ cells: ['value', 'other'] }),
      /fit\/table\.yaml: rows\.R-squared: other: the paper has no value there/,
    ],
    [
      'artifact names a file that is not there',
      () => ofStudy({ artifact: [...silver.study.artifact, { path: 'a', role: 'code', from: 'scipy/none.py' }] }),
      /artifact: a: scipy\/none\.py is not in the package/,
    ],
    [
      'reference script gives another table',
      () => withReference("printf '```table\\n||value|\\n|-|-|\\n|R-squared|0.5|\\n```\\n'"),
      /fit\/reference\.sh: gives another table: R-squared, value: mismatch; Residual standard deviation, value: missing/,
    ],
    [
      'reference script fails',
      () => withReference('echo no data >&2; exit 3'),
      /fit\/reference\.sh: ends with exit status 3: no data/,
    ],
    [
      'reference script copies',
      () => withReference(silver.tables[0]?.copies['result-file'] ?? ''),
      /fit\/reference\.sh: needs the result files/,
    ],
    [
      'table names the last mile, where nothing derived is shipped',
      () => withBest('last-mile'),
      /fit\/table\.yaml: best: says last-mile, and the reference script is full/,
    ],
    [
      'table names a computation from raw data, where the reference reads derived data',
      () =>
        ofStudy({
          artifact: silver.study.artifact.map((each) => (each.path === file ? { ...each, role: 'derived' } : each)),
        }),
      /fit\/table\.yaml: best: says full, and the reference script is last-mile/,
    ],
    [
      'copy prints another table',
      () => ({ ...silver, tables: silver.tables.map((table) => ({ ...table, copies: { other: 'echo none' } })) }),
      /fit\/copies\/other\.sh: gives another table: the output has no block/,
    ],
    [
      'twin changes too little',
      () =>
        ofStudy({
          twins: {
            ...silver.study.twins,
            still: [{ file, jitter: { field: 2, by: 1e-12, decimals: 7 }, seed: 1 }],
          },
        }),
      /study\.yaml: twins\.still: changes 0 of 2 hidden cells of silver-fit/,
    ],
    [
      'twin drops every row',
      () => ofStudy({ twins: { ...silver.study.twins, none: [{ file, drop: 48, seed: 1 }] } }),
      /study\.yaml: twins\.none: data\/AtmWtAg\.dat has 48 rows/,
    ],
  ])('%s', async (_, source, message) => {
    expect(await told(source())).toMatch(message);
  });
});
