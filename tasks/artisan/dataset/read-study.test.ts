import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../../../src/domain/failure/user-error.js';
import { readStudy } from './read-study.js';
import { STUDIES } from './selection.js';

const TASKS = join(import.meta.dirname, 'tasks');
let folder: string;

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'study-')), 'silver');
  await cp(join(TASKS, 'silver'), folder, { recursive: true });
});
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

async function edit(file: string, find: string, replace: string): Promise<void> {
  const text = await readFile(join(folder, file), 'utf8');
  expect(text).toContain(find);
  await writeFile(join(folder, file), text.replace(find, replace));
}

async function told(): Promise<string> {
  const error: unknown = await readStudy(folder, 'silver').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  return (error as UserError).message;
}

test('every study of the folder is read', async () => {
  const studies = await Promise.all(STUDIES.map((id) => readStudy(join(TASKS, id), id)));
  const ids = studies.flatMap(({ tables }) => tables.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(['employment-errors', 'silver-fit', 'bcg-random-effects']));
  expect(ids.length).toBeGreaterThanOrEqual(24);
});

describe('what is wrong is told in three lines, with its place and what to do', () => {
  test.each<[string, string, string, string, RegExp]>([
    [
      'a cell type that is unknown',
      'fit/table.yaml',
      'type: decimal',
      'type: number',
      /fit\/table\.yaml:3:18: columns\.value\.type is "number"\n.*: one of integer, decimal, percent, .*\n.*: correct columns\.value\.type$/,
    ],
    [
      'a key that stands twice',
      'fit/table.yaml',
      'caption:',
      'caption: a caption again\ncaption:',
      /fit\/table\.yaml:2:1: not valid YAML: Map keys must be unique\n.*: .*every key once\n/,
    ],
    [
      'a key that is unknown',
      'study.yaml',
      'licence:',
      'license:',
      /study\.yaml:1:1: licence is missing\n.*: a text of at least 10 characters\n.*: add `licence: …`\n.*study\.yaml:3:1: unknown key "license"\n.*: the keys title, .*\n.*: did you mean "licence"\?$/,
    ],
    [
      'a tolerance on a text',
      'fit/table.yaml',
      'type: decimal',
      'type: text',
      /columns\.value: a text has no tolerance/,
    ],
    [
      'chance in a text',
      'fit/table.yaml',
      'type: decimal, significant: 7',
      'type: text, monte_carlo: true',
      /columns\.value: monte_carlo does not fit the type text/,
    ],
    [
      'a disagreement on a cell that is not there',
      'fit/table.yaml',
      'columns:',
      'disagreements: [{ row: other, column: value, reason: rounding, evidence: nobody has looked at it, reviewer: me }]\ncolumns:',
      /disagreements: there is no cell other, value/,
    ],
    [
      'a disagreement without a reason',
      'fit/table.yaml',
      'columns:',
      'disagreements: [{ row: R-squared, column: value, evidence: nobody has looked at it, reviewer: me }]\ncolumns:',
      /table\.yaml:2:17: disagreements\[0\]\.reason is missing\n.*: one of artifact-differs, .*\n.*: add `reason: …` under disagreements\[0\]$/,
    ],
    [
      'a package that is neither',
      'study.yaml',
      'package:',
      'package: base\nother:',
      /study\.yaml:5:10: package is "base"\n.*: a wheel .*, or { library: .* }\n/,
    ],
    [
      'a library that is no image of this suite',
      'study.yaml',
      'package:',
      'package: { library: base }\nother:',
      /study\.yaml:5:21: package\.library is "base"\n.*: an image recipe artisan-…\n/,
    ],
    [
      'an alteration that does nothing',
      'study.yaml',
      'drop: 5, seed: 12',
      'drop: 0, seed: 12',
      /study\.yaml:\d+:\d+: twins\.drop\[0\]\.drop is 0\n.*: a whole number, 1 or more\n.*: correct twins\.drop\[0\]\.drop$/,
    ],
    [
      'a twin with a name that is none',
      'study.yaml',
      '  jitter:\n',
      '  Jitter it:\n',
      /study\.yaml:20:3: "Jitter it" is no key for twins\n.*: an id of small letters, digits and -\n.*: rename "Jitter it"$/,
    ],
    [
      'a limit above the manifest',
      'fit/table.yaml',
      'columns:',
      'limits: { seconds: 9999999 }\ncolumns:',
      /limits\.seconds is 9999999\n.*: a whole number from 1 to 3600\n.*: correct limits\.seconds$/,
    ],
    [
      'a column that is not there',
      'fit/table.yaml',
      'cells: [value]',
      'cells: [other]',
      /rows\.R-squared: there is no column other/,
    ],
    [
      'a cell twice in a row',
      'fit/table.yaml',
      'cells: [value]',
      'cells: [value, value]',
      /rows\.R-squared: the cell value stands twice/,
    ],
    [
      'an anchor that is no expression',
      'fit/table.yaml',
      'Certified R-Squared',
      '(',
      /the anchor is no regular expression/,
    ],
    [
      'a twin of a file that is not there',
      'study.yaml',
      'file: data/AtmWtAg.dat, jitter',
      'file: data/other.dat, jitter',
      /twins\.jitter: data\/other\.dat is no file of the artifact/,
    ],
    [
      'a twin of a result file',
      'study.yaml',
      'file: data/AtmWtAg.dat, jitter',
      'file: results/certified.txt, jitter',
      /twins\.jitter: results\/certified\.txt is of the role result/,
    ],
    [
      'a role that is unknown',
      'study.yaml',
      'role: raw',
      'role: data',
      /artifact\[0\]\.role is "data"\n.*: one of code, raw, derived, result\n/,
    ],
    [
      'a file twice in the artifact',
      'study.yaml',
      'path: code/test_nist.py',
      'path: data/AtmWtAg.dat',
      /artifact: data\/AtmWtAg\.dat stands twice/,
    ],
    [
      'a path that leaves the artifact',
      'study.yaml',
      'path: code/test_nist.py',
      'path: ../test_nist.py',
      /artifact\[2\]\.path is "\.\.\/test_nist\.py"\n.*: a relative path of letters/,
    ],
    [
      'lines that end before they begin',
      'study.yaml',
      'lines: [1, 50]',
      'lines: [50, 1]',
      /paper\.lines is \[50,1\]\n.*: the first and the last line, from 1\n/,
    ],
    [
      'an image of another suite',
      'study.yaml',
      'image: artisan-python',
      'image: base',
      /image is "base"\n.*: an image recipe artisan-…\n/,
    ],
  ])('%s', async (_, file, find, replace, message) => {
    await edit(file, find, replace);
    const text = await told();
    expect(text).toMatch(message);
    expect(text).toMatch(/^tasks\/artisan\/dataset\/tasks\/silver\/.*\n {0,2}expected: .*\n {0,2}fix: /m);
  });

  test('a file that is empty', async () => {
    await writeFile(join(folder, 'fit/table.yaml'), '');
    expect(await told()).toMatch(/fit\/table\.yaml:1:1: the file is empty\n.*: a mapping .*\n.*: write it$/);
  });

  test('no hidden cell, one twin only, and no script', async () => {
    await edit('fit/table.yaml', 'cells: [value] }', 'cells: [value], given: [value] }');
    await edit('fit/table.yaml', 'cells: [value] }', 'cells: [value], given: [value] }');
    await rm(join(folder, 'anova/reference.sh'));
    await rm(join(folder, 'fit/copies'), { recursive: true });
    const text = await told();
    expect(text).toMatch(/silver\/fit\/table\.yaml: rows: no cell is hidden/);
    expect(text).toMatch(/silver\/anova\/reference\.sh: is missing/);
    expect(text).toMatch(/silver\/fit\/copies: holds no script/);
    await edit('study.yaml', '  drop:\n', '  #');
    expect(await told()).toMatch(/study\.yaml/);
  });
});
