import path from 'node:path';
import { expect, it } from 'vitest';
import { createFakeSandbox } from '../../../src/fakes/fake-sandbox.js';
import { createMemoryBlobs } from '../../../src/fakes/memory-blobs.js';
import { missingForCandidate } from './missing-packages.js';

const suiteFolder = path.join(import.meta.dirname, '..');

/** What `grade` is told of a candidate, where the look for missing packages prints this. */
async function asked(printed: object | string) {
  const stdout = typeof printed === 'string' ? printed : JSON.stringify(printed);
  const exitCode = typeof printed === 'string' ? 1 : 0;
  const sandbox = createFakeSandbox({
    images: ['repocraft-requests'],
    programs: { python3: () => ({ stdout, exitCode }) },
  });
  const blobs = createMemoryBlobs();
  const tree = await blobs.put('a tree', { name: 'own.tar', mediaType: 'application/x-tar' });
  const tools = { blobs, sandbox, suiteFolder, signal: new AbortController().signal };
  const missing = await missingForCandidate({ ...tree, files: 1, provenance: 'generated' }, ['requests'], tools);
  return { missing, runs: sandbox.runs };
}

it('is told of what the library is built on, with place, count and a way out', async () => {
  const { missing, runs } = await asked({
    packages: {
      chardet: { place: 'lib/compat.py:11', stops: 6, isInTree: false },
      half: { place: 'lib/half.py:1', stops: 5, isInTree: false },
      driver: { place: 'lib/db/one.py:1', stops: 1, isInTree: false },
      utils: { place: 'lib/__init__.py:2', stops: 10, isInTree: true },
    },
    modules: 10,
  });
  expect(missing).toEqual([
    {
      name: 'chardet',
      message:
        'lib/compat.py:11 imports chardet, which candidates for requests do not have; 6 of 10 modules cannot be imported without it',
      expected: 'a candidate that brings along what its project does not declare or the image does not have',
      fix: "have it lie beside the candidate's own packages (`pip install --no-deps --target FOLDER chardet`), and grade that folder",
    },
  ]);
  // The image is asked, and told what of it may be used.
  expect(runs.map(({ image, command }) => [image, command.includes('urllib3')])).toEqual([
    ['repocraft-requests', true],
  ]);
});

it('is told of nothing where nothing is missing, or the tree cannot be read', async () => {
  expect((await asked({ packages: {}, modules: 3 })).missing).toEqual([]);
  expect((await asked('')).missing).toEqual([]);
});
