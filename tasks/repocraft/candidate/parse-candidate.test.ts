import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CandidateRef } from '../../../src/contract/candidate.js';
import { sha256Hex } from '../../../src/domain/text/content-hash.js';
import { createFakeSandbox, type FakeEnd } from '../../../src/fakes/fake-sandbox.js';
import { createMemoryBlobs } from '../../../src/fakes/memory-blobs.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { parseCandidate } from './parse-candidate.js';

const TREE = Buffer.from('stands for a tar');
const candidate: CandidateRef = {
  sha256: sha256Hex(TREE),
  sizeBytes: TREE.length,
  files: 1,
  provenance: 'generated',
};

/** The part of a stage's context that parsing uses, over a parser that ends as told. */
async function contextWith(end: FakeEnd) {
  const sandbox = createFakeSandbox({ images: ['base'], programs: { python3: () => end } });
  const blobs = createMemoryBlobs();
  await blobs.put(TREE, { name: 'candidate.tar', mediaType: 'application/x-tar' });
  const context = {
    ...{ campaign: { id: 'c' }, owner: { kind: 'generation', id: 'g' }, blobs, sandbox },
    ...{ suiteFolder: path.join(import.meta.dirname, '..'), signal: new AbortController().signal },
    heartbeat: () => undefined,
  } as unknown as StageContext;
  return { context, sandbox, blobs };
}

describe('a parser that does not end well', () => {
  test('a generated candidate that uses up the CPU is one in which nothing can be found; it is not remembered', async () => {
    const { context, sandbox, blobs } = await contextWith({ timeLimit: 'cpu' });
    const ref = await parseCandidate(context, candidate);
    const index = JSON.parse((await blobs.get(ref.sha256)).toString()) as { entries: unknown[]; problems: unknown[] };
    expect(index.entries).toEqual([]);
    expect(index.problems).toHaveLength(1);
    await parseCandidate(context, candidate);
    expect(sandbox.runs).toHaveLength(2);
  });

  test('a wall limit says that the machine was busy: tried again', async () => {
    const { context } = await contextWith({ timeLimit: 'wall' });
    await expect(parseCandidate(context, candidate)).rejects.toMatchObject({ type: 'sandbox.lost' });
  });

  test('the reference parses, so a failure there is ours', async () => {
    const { context } = await contextWith({ exitCode: 1, stderr: 'Traceback' });
    const reference = { ...candidate, provenance: 'reference' } as const;
    await expect(parseCandidate(context, reference)).rejects.toMatchObject({ type: 'harness.bug' });
  });
});

test('a good parse is remembered', async () => {
  const index = { roots: [], packages: [], files: 1, entries: [], modules: {}, problems: [] };
  const { context, sandbox } = await contextWith({ stdout: JSON.stringify(index) });
  const first = await parseCandidate(context, candidate);
  expect(await parseCandidate(context, candidate)).toEqual(first);
  expect(sandbox.runs).toHaveLength(1);
});
