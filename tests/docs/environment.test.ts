import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';

const read = (path: string): string => readFileSync(join(PACKAGE_ROOT, path), 'utf8');
const named = (text: string): string[] => text.match(/DURABENCH_[A-Z][A-Z_]*[A-Z]\b/g) ?? [];

/** Slots have a variable for each role, whose name the code puts together. */
const OF_ROLES = ['LIGHT', 'MODEL', 'SANDBOX'].map((role) => `DURABENCH_${role}_SLOTS`);

test('docs/reference/environment.md names every variable of the code, and no other', () => {
  const folders = ['src', 'workflows', 'activities', 'tasks', 'tests', 'bench', 'bin', 'docker-compose.yml'];
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...folders], { cwd: PACKAGE_ROOT });
  const code = listed
    .toString('utf8')
    .split('\n')
    .filter((path) => /\.(ts|js|mjs|yml)$/.test(path));
  const known = new Set([...code.flatMap((path) => named(read(path))), ...OF_ROLES]);
  const told = new Set(named(read('docs/reference/environment.md')));
  expect([...told].sort()).toEqual([...known].sort());
});

test('docs/reference/environment.md tells the defaults of the code', () => {
  const page = read('docs/reference/environment.md');
  const row = (name: string): string => page.split('\n').find((line) => line.startsWith(`| \`${name}\``)) ?? '';
  const code = read('src/config/env.ts');
  const defaults = [
    ...code.matchAll(/(DURABENCH_[A-Z_]+)(?: and (DURABENCH_[A-Z_]+))?, default ([\d`\w]+)(?: and (\d+))?/g),
  ];
  expect(defaults.length).toBeGreaterThanOrEqual(4);
  for (const [, first = '', second, one = '', other] of defaults) {
    expect(row(first)).toContain(`| ${one} |`);
    if (second !== undefined) expect(row(second)).toContain(`| ${other} |`);
  }
});
