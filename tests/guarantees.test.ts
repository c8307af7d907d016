import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGE_ROOT } from './fixtures/engine.js';

/** docs/guarantees.md names a test in every row; a name that nobody answers to is an empty promise. */
const page = await readFile(join(PACKAGE_ROOT, 'docs', 'guarantees.md'), 'utf8');
/** Tables of guarantees: their head ends so. Others (the cheats, one by one) are results of a test that is named beside them. */
const tables = page.split(/\n\n/).filter((block) => /^\|.*\| proven by \|$/m.test(block.split('\n')[0] ?? ''));
const rows = tables.flatMap((table) => table.split('\n').filter((line) => line.startsWith('| ')));
const named = [...page.matchAll(/`([\w./-]+\.(?:test|conformance)\.ts)` › (.+?)(?=<br>| \|$)/gm)];

test.each(named.map(([, file = '', title = '']) => [file, title]))('%s holds "%s"', async (file, title) => {
  const text = await readFile(join(PACKAGE_ROOT, file), 'utf8');
  const quoted = ["'", '"', '`'].map((quote) => `${quote}${title.replaceAll(quote, `\\${quote}`)}${quote}`);
  expect(quoted.some((each) => text.includes(each))).toBe(true);
});

test('every row but the heads names one', () => {
  const without = rows.filter((row) => !row.includes('` › ') && !row.trim().endsWith('| proven by |'));
  expect(without).toEqual([]);
  expect(tables.length).toBeGreaterThanOrEqual(7);
  expect(named.length).toBeGreaterThan(40);
});

test('every section but the introduction says what is not covered', () => {
  const sections = page.split(/^## /m).slice(1);
  const silent = sections.filter((section) => section.includes('| proven by |') && !/not covered/i.test(section));
  // Faults of candidates are the sandbox's other half: one list for both.
  expect(silent.map((section) => section.split('\n')[0])).toEqual(['Sandbox']);
});
