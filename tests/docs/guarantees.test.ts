import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';

/** Every row of a table in docs/guarantees names a test; a name that nobody answers to is an empty promise. */
const FOLDER = join(PACKAGE_ROOT, 'docs', 'guarantees');
/** What a person reads in one go. The column of proofs is not read but looked up. */
const LONGEST_PROSE = 300;
const HEAD = /^\|.*\| proven by \|$/;
const PROOF = /`([\w./-]+\.(?:test|conformance)\.ts)` › (.+?)(?=<br>| \|$)/gm;

const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.md'));
const pages = await Promise.all(
  names.map(async (name) => ({ name, text: await readFile(join(FOLDER, name), 'utf8') })),
);
/** Tables of guarantees: their head ends so. Others (the cheats, one by one) are results of a test that is named beside them. */
const tables = pages.flatMap(({ text }) => text.split(/\n\n/).filter((block) => HEAD.test(block.split('\n')[0] ?? '')));
const rows = tables.flatMap((table) => table.split('\n').filter((line) => /^\| (?!---)/.test(line)));
const named = pages.flatMap(({ text }) =>
  [...text.matchAll(PROOF)].map(([, file = '', title = '']) => ({ file, title })),
);

test.each(named)('$file holds "$title"', async ({ file, title }) => {
  const text = await readFile(join(PACKAGE_ROOT, file), 'utf8');
  const quoted = ["'", '"', '`'].map((quote) => `${quote}${title.replaceAll(quote, `\\${quote}`)}${quote}`);
  expect(quoted.some((each) => text.includes(each))).toBe(true);
});

test('every row but the heads names one', () => {
  const without = rows.filter((row) => !row.includes('` › ') && !HEAD.test(row.trim()));
  expect(without).toEqual([]);
  expect(tables.length).toBeGreaterThanOrEqual(13);
  expect(named.length).toBeGreaterThanOrEqual(250);
});

describe.each(pages)('docs/guarantees/$name', ({ name, text }) => {
  test('has rows and items that a person can read', () => {
    const read = text.split('\n').filter((line) => /^(\||- )/.test(line));
    const prose = (line: string): string =>
      line
        .split(/(?<!\\)\|/)
        .filter((cell) => !cell.includes('` › '))
        .map((cell) => cell.trim().replaceAll(/\]\([^)]*\)/g, ']'))
        .join(' ');
    expect(read.filter((line) => prose(line).length > LONGEST_PROSE)).toEqual([]);
  });

  test('says what is not covered, and stands in the index', () => {
    const index = pages.find((page) => page.name === 'index.md')?.text ?? '';
    if (name !== 'index.md') expect(index).toContain(`(${name})`);
    if (tables.some((table) => text.includes(table))) expect(text.toLowerCase()).toContain('not covered');
  });
});
