import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DATASET_PROJECTS, readDependencies, readProjectSettings } from './project-settings.js';

const SUITE = fileURLToPath(new URL('../', import.meta.url));

let suite: string;
beforeEach(async () => {
  suite = await mkdtemp(join(tmpdir(), 'settings-'));
  await cp(join(SUITE, 'dataset'), join(suite, 'dataset'), { recursive: true });
});
afterEach(() => rm(suite, { recursive: true, force: true }));

describe('the files a project is described by', () => {
  it.each(DATASET_PROJECTS)('are as they should be for %s', async (project) => {
    await expect(readProjectSettings(project, suite)).resolves.toMatchObject({ project });
    await expect(readDependencies(project, suite)).resolves.not.toBeUndefined();
  });

  it.each<[string, string, (text: string) => string | null, RegExp]>([
    ['cut', 'pins.json', (text) => text.slice(0, 300), /not JSON/],
    ['without the project', 'pins.json', () => '{}', /it has no release of requests/],
    ['with half a hash', 'pins.json', (text) => text.replace('dbba0bac', ''), /requests\.sha256: is not a sha-256/],
    ['absent', 'pins.json', () => null, /cannot be read/],
    ['a comma too many', 'projects/requests.json', (text) => text.replace(/\}\s*$/, ',}'), /not JSON/],
    ['a list', 'projects/requests.json', () => '[]', /it: /],
    [
      'a pattern that is none',
      'projects/requests.json',
      (text) => text.replace(/("testModules": )".*"/, '$1"("'),
      /testModules: is not a regular expression/,
    ],
    [
      'a word that is none',
      'projects/requests.overrides.json',
      (text) => text.replace('"drop"', '"dropp"'),
      /action: /,
    ],
    ['no list', 'dependencies.json', () => '{"requests": "numpy"}', /requests: /],
  ])('are told with their place and the remedy when one is damaged: %s', async (_, name, damage, what) => {
    const path = join(suite, 'dataset', name);
    const damaged = damage(await readFile(path, 'utf8'));
    await (damaged === null ? rm(path) : writeFile(path, damaged));
    const read = name === 'dependencies.json' ? readDependencies : readProjectSettings;
    const error: unknown = await read('requests', suite).catch((thrown: unknown) => thrown);
    const [first, allowed, remedy] = (error as Error).message.split('\n');
    expect(error).toMatchObject({ type: 'dataset.missing' });
    expect(first).toMatch(what);
    expect(first).toContain(path);
    expect(allowed).toMatch(/^expected: the file as it is committed/);
    expect(remedy).toMatch(/^fix: .*git checkout/);
  });
});
