import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGE_ROOT } from './fixtures/engine.js';

/** docs/guarantees.md names a test in every row; a name that nobody answers to is an empty promise. */
const page = await readFile(join(PACKAGE_ROOT, 'docs', 'guarantees.md'), 'utf8');
const rows = page.split('\n').filter((line) => /^\|(?!\s*-|---)/.test(line));
const named = [...page.matchAll(/`([\w./-]+\.(?:test|conformance)\.ts)` › (.+?)(?=<br>| \|$)/gm)];

test.each(named.map(([, file = '', title = '']) => [file, title]))('%s holds "%s"', async (file, title) => {
  const text = await readFile(join(PACKAGE_ROOT, file), 'utf8');
  const quoted = ["'", '"', '`'].map((quote) => `${quote}${title.replaceAll(quote, `\\${quote}`)}${quote}`);
  expect(quoted.some((each) => text.includes(each))).toBe(true);
});

test('every row but the heads names one', () => {
  const without = rows.filter((row) => !row.includes('` › ') && !row.trim().endsWith('| proven by |'));
  expect(without).toEqual([]);
  expect(named.length).toBeGreaterThan(40);
});

test('every section but the introduction says what is not covered', () => {
  const sections = page.split(/^## /m).slice(1);
  const silent = sections.filter((section) => section.includes('|---') && !section.includes('Not covered:'));
  // Faults of candidates are the sandbox's other half: one list for both.
  expect(silent.map((section) => section.split('\n')[0])).toEqual(['Sandbox']);
});
