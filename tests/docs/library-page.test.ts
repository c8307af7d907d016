import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';

// "All there is" on the page of the library is all there is. That its programs run: pages-as-installed.test.ts.

const read = (path: string): string => readFileSync(join(PACKAGE_ROOT, path), 'utf8');

/** Names of methods and properties of an interface of the client. */
function membersOf(name: string): string[] {
  const [, body = ''] =
    new RegExp(`export interface ${name} \\{\\n([^]*?)\\n\\}`).exec(read('src/client/durabench.ts')) ?? [];
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)[?(:]/gm)].map(([, member = '']) => member);
}

const [, table = ''] = read('docs/guides/library.md').split('## All there is');

test.each([
  ['Durabench', '\\b'],
  ['Datasets', '\\.'],
  ['CleanOptions', '\\b'],
])('the table of the library names every member of %s', (name, before) => {
  const members = membersOf(name);
  expect(members.length).toBeGreaterThan(2);
  expect(members.filter((member) => !new RegExp(`${before}${member}\\b`).test(table))).toEqual([]);
});
