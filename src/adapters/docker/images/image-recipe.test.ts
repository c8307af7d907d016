import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listRecipes, loadRecipe } from './image-recipe.js';

const shipped = join(import.meta.dirname, '..', '..', '..', '..', 'deploy', 'images');
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-recipes-'));
  await cp(shipped, folder, { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('the digest depends on the recipe, its lock and what is below, and on nothing else', async () => {
  const before = await loadRecipe([folder], 'repocraft-requests');
  expect(before.tag).toBe(`durabench/repocraft-requests:${before.digest.slice(0, 12)}`);
  expect((await loadRecipe([shipped], 'repocraft-requests')).digest).toBe(before.digest);

  await edit('repocraft-requests/recipe.yaml', (text) => `# a comment\n${text}`);
  expect((await loadRecipe([folder], 'repocraft-requests')).digest).toBe(before.digest);

  await edit('repocraft-requests/requirements.lock.txt', (text) => text.replace('six==', 'seven=='));
  const otherLock = (await loadRecipe([folder], 'repocraft-requests')).digest;
  expect(otherLock).not.toBe(before.digest);

  await edit('base/recipe.yaml', (text) => text.replace('tzdata]', 'tzdata, gcc]'));
  expect((await loadRecipe([folder], 'repocraft-requests')).digest).not.toBe(otherLock);
});

test('every shipped recipe loads, pins every wheel by hash, and leaves its reference out', async () => {
  for (const name of await listRecipes([shipped])) {
    const { lock } = await loadRecipe([shipped], name);
    const lines = (lock ?? '').split('\n').filter((line) => line !== '');
    for (const line of lines) expect(line).toMatch(/^[A-Za-z0-9_-]+==\S+( --hash=sha256:[0-9a-f]{64})+$/);
    // Only images that candidates of a library run in must not have the library.
    const [, reference] = /^repocraft-(.+)$/.exec(name) ?? [];
    if (reference !== undefined)
      expect(lines.filter((line) => line.toLowerCase().startsWith(`${reference}==`))).toEqual([]);
  }
});

test('the digest of a composed recipe depends on the files beside it too', async () => {
  const before = await loadRecipe([folder], 'gha-lint');
  const beside = join(folder, 'gha-lint', 'files', 'etc');
  await mkdir(beside, { recursive: true });
  await writeFile(join(beside, 'motd'), 'hello');
  const withFile = await loadRecipe([folder], 'gha-lint');
  expect(withFile.files).toEqual({ 'etc/motd': Buffer.from('hello') });
  await writeFile(join(beside, 'motd'), 'hallo');
  const withOther = await loadRecipe([folder], 'gha-lint');
  await writeFile(join(folder, 'gha-lint', 'package.json'), '{}');
  await writeFile(join(folder, 'gha-lint', 'package-lock.json'), '{}');
  const withPackages = await loadRecipe([folder], 'gha-lint');
  expect(new Set([before, withFile, withOther, withPackages].map(({ digest }) => digest)).size).toBe(4);
});

test('an unknown name is answered with the known ones', async () => {
  const missing = {
    type: 'sandbox.image-missing',
    message: expect.stringMatching(/base, .*repocraft-django/) as string,
  };
  await expect(loadRecipe([folder], 'repocraft-reqests')).rejects.toMatchObject(missing);
});

async function edit(path: string, change: (text: string) => string): Promise<void> {
  const file = join(folder, path);
  await writeFile(file, change(await readFile(file, 'utf8')));
}
