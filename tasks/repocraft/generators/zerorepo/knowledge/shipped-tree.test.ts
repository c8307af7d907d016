import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { BENCHMARK_PROJECTS } from '../../../dataset/project-settings.js';
import { largeTree } from './tree-file.js';

const FOLDER = fileURLToPath(new URL('../../../../../examples/feature-trees/', import.meta.url));

it('the shipped feature tree has 20,000 leaves or more, and can be planned from', async () => {
  const path = `${FOLDER}python-packages.json`;
  const read = await largeTree(path);
  if ('problems' in read) expect.unreachable(read.problems.join());
  expect(read.value.leaves).toBeGreaterThanOrEqual(20_000);
  expect((await stat(path)).size).toBeLessThan(2_000_000);
});

it('each package of it has a permissive licence and a hash, and none is a library that is graded by', async () => {
  const { packages } = JSON.parse(await readFile(`${FOLDER}python-packages.pins.json`, 'utf8')) as {
    packages: { name: string; version: string; license: string; sha256: string }[];
  };
  const tree = JSON.parse(await readFile(`${FOLDER}python-packages.json`, 'utf8')) as Record<string, unknown>;
  expect(Object.keys(tree)).toHaveLength(packages.length);
  for (const { name, version, license, sha256 } of packages) {
    expect([version, sha256].join(' ')).toMatch(/^\S+ [0-9a-f]{64}$/);
    expect(license).toMatch(/MIT|BSD|Apache/);
    expect(license).not.toMatch(/\bL?GPL/);
    expect(BENCHMARK_PROJECTS).not.toContain(name.toLowerCase());
  }
});
