import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ACTIONS, resolveActions } from './resolve-actions.js';

const resolved = (...uses: string[]): string[] => {
  const steps = uses.map((each) => `      - uses: ${each}\n`).join('');
  return resolveActions({ 'ci.yml': `jobs:\n  a:\n    steps:\n${steps}` }).map(({ uses: found }) => found);
};

test.each([
  ['actions/cache@v4', 'actions/cache@v4'],
  ['actions/cache/restore@v4.2.0', 'actions/cache@v4.2.0'],
  [`actions/setup-node@${'a1'.repeat(20)}`, `actions/setup-node@${'a1'.repeat(20)}`],
  ['pypa/gh-action-pypi-publish@release/v1', 'pypa/gh-action-pypi-publish@release/v1'],
])('%s is there', (uses, found) => {
  expect(resolved(uses)).toEqual([found]);
});

test.each([
  ...['actions/cache@v99', 'actions/cache@4', 'actions/no-such-action@v1', 'actions/cache', './.github/actions/own'],
  ...['docker://alpine:3', 'actions/../../etc@v1'],
])('%s is not', (uses) => {
  expect(resolved(uses)).toEqual([]);
});

test('each is named once, wherever it stands', () => {
  const steps = '{ steps: [{ uses: actions/cache@v4 }, { uses: actions/cache/save@v4 }] }';
  expect(resolveActions({ 'a.yml': `jobs: { a: ${steps} }`, 'action.yml': `runs: ${steps}`, 'bad.yml': '{' })).toEqual([
    { uses: 'actions/cache@v4', folder: '/opt/actions/actions/cache' },
  ]);
});

test('the table has the actions of the image', async () => {
  const folder = join(import.meta.dirname, '..', '..', '..', 'deploy', 'images', 'gha-engine', 'files', 'actions');
  const stubs = JSON.parse(await readFile(join(folder, 'stubs.json'), 'utf8')) as object;
  const real = ['setup-node', 'setup-python', 'upload-artifact', 'download-artifact', 'cache', 'github-script'];
  expect(Object.keys(ACTIONS).sort()).toEqual([...Object.keys(stubs), ...real.map((name) => `actions/${name}`)].sort());
});
