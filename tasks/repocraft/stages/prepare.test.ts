import path from 'node:path';
import { expect, test } from 'vitest';
import type { EvidenceRef } from '../../../src/contract/evidence.js';
import { createFakeSandbox } from '../../../src/fakes/fake-sandbox.js';
import { createMemoryBlobs } from '../../../src/fakes/memory-blobs.js';
import type { Made } from '../../../src/ports/memory.js';
import type { StageContext } from '../../../src/suite/stage.js';
import type { CandidateEntry, Prepared } from '../candidate/candidate-index.js';
import { readProjectSettings } from '../dataset/project-settings.js';
import { prepareCandidate } from './prepare.js';

const ENTRY: CandidateEntry = {
  ...{ kind: 'function', name: 'f', module: 'm', qualname: 'f', owner: null, signature: 'f()' },
  ...{ doc: '', file: 'm.py', lines: [1, 2] },
};
const INDEX = { roots: ['.'], packages: ['m'], files: 1, entries: [ENTRY], modules: {}, problems: [] };

const COUNTED = { files: 1, loc: 2, functions: 1, stubs: 0, code: ['x = 1\n'] };
const PRINTED: Record<string, object> = { 'parse.py': INDEX, 'integrity_scan.py': { flags: [], suspicions: [] } };
const NONE_MISSING = { 'missing_imports.py': { packages: {}, modules: 1 } };

/** The part of a stage's context that preparing uses, over a parser that finds one function and nothing suspicious. */
function bench(scope: string | null = null, missing: Record<string, object> = NONE_MISSING) {
  const printed = (program = ''): object => ({ ...PRINTED, ...missing })[path.basename(program)] ?? COUNTED;
  const sandbox = createFakeSandbox({
    images: ['base', 'repocraft-requests'],
    programs: { python3: ({ command }) => ({ stdout: JSON.stringify(printed(command[4])) }) },
  });
  const blobs = createMemoryBlobs();
  const prepare = async () => {
    const evidence: EvidenceRef[] = [];
    const stored = await blobs.put('a tree', { name: 'candidate.tar', mediaType: 'application/x-tar' });
    const context = {
      ...{
        campaign: { id: 'c', spec: { judge: {}, systems: [] } },
        owner: { kind: 'generation', id: 'g' },
        blobs,
        sandbox,
      },
      ...{ system: { id: 's', vote: null }, signal: new AbortController().signal, heartbeat: () => undefined },
      candidate: { ...stored, files: 1, provenance: 'generated' },
      scope,
      suiteFolder: path.join(import.meta.dirname, '..'),
      embedder: { id: 'e', embed: async (texts: string[]) => texts.map(() => new Float32Array([1, 0])) },
      memory: { keep: async (_: string, make: () => Promise<Made<object>>) => (await make()).value },
      attach: async (bytes: Uint8Array, label: { name: string; mediaType: string }) => {
        const ref = await blobs.put(bytes, label);
        evidence.push(ref);
        return ref;
      },
    } as unknown as StageContext;
    const { result } = await prepareCandidate(context);
    return { prepared: result as Prepared, evidence };
  };
  return { prepare, blobs, sandbox };
}

test('what trials will read is evidence, so that no garbage collection takes it, also where it was made before', async () => {
  const { prepare } = bench();
  const first = await prepare();
  expect(first.prepared.vectors).not.toBeNull();
  const kept = first.evidence.map(({ sha256 }) => sha256);
  expect(kept).toEqual(expect.arrayContaining([first.prepared.index, first.prepared.vectors]));
  expect(first.prepared.code).toMatchObject({ files: 1, loc: 2, tokens: 5 });
  const again = await prepare();
  expect(again.prepared).toEqual(first.prepared);
  expect(again.evidence).toEqual(first.evidence);
});

test('a worker that lacks the reference compares nothing, says so and keeps nothing; one that has it does', async () => {
  const { prepare, blobs, sandbox } = bench('textkit');
  await expect(prepare()).rejects.toMatchObject({ type: 'dataset.missing' });
  const { pin } = await readProjectSettings('textkit', path.join(import.meta.dirname, '..'));
  const tree = await blobs.put('the reference', { name: 'reference.tar', mediaType: 'application/x-tar' });
  await blobs.remember(`repocraft/reference/textkit/${pin.sha256}`, tree);
  const earlier = sandbox.runs.length;
  await prepare();
  const scans = sandbox.runs.slice(earlier).filter(({ command }) => command.includes('/work/integrity_scan.py'));
  expect(scans.map(({ command }) => command.slice(-2))).toEqual([['/candidate', '/reference']]);
});

test('packages that its project does not have are counted, and named in the evidence; the search for them runs in the image of the project', async () => {
  const { prepare, blobs, sandbox } = bench('textkit', {
    'missing_imports.py': {
      packages: { chardet: { place: 'lib/compat.py:11', stops: 1, isInTree: false } },
      modules: 9,
    },
  });
  const { pin } = await readProjectSettings('textkit', path.join(import.meta.dirname, '..'));
  const tree = await blobs.put('the reference', { name: 'reference.tar', mediaType: 'application/x-tar' });
  await blobs.remember(`repocraft/reference/textkit/${pin.sha256}`, tree);
  const { prepared, evidence } = await prepare();
  expect(prepared.missing).toBe(1);
  const texts = await Promise.all(evidence.map(async ({ sha256 }) => (await blobs.get(sha256)).toString('utf8')));
  expect(texts).toContain('{"chardet":"lib/compat.py:11"}');
  const looks = sandbox.runs.filter(({ command }) => command.includes('/work/missing_imports.py'));
  expect(looks.map(({ image }) => image)).toEqual(['repocraft-requests']);
});
