import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { packageRoot } from './package-root.js';

it('is the folder with package.json above a module', () => {
  expect(packageRoot(import.meta.url)).toBe(join(import.meta.dirname, '..', '..'));
});

it('ends at the top of the file system', () => {
  expect(() => packageRoot(pathToFileURL('/nowhere/at/all.js').href)).toThrow(/no package\.json above/);
});
