import { expect, test } from 'vitest';
import { createMemoryBlobs } from '../../../src/fakes/memory-blobs.js';
import type { BlobLabel } from '../../../src/ports/blobs.js';
import type { StageContext } from '../../../src/suite/stage.js';
import type { CandidateEntry, CandidateIndex } from '../candidate/candidate-index.js';
import { embedEntries } from './vectors.js';

const entry = (n: number): CandidateEntry => ({
  ...{ kind: 'function', name: `f${n}`, module: 'm', qualname: `f${n}`, owner: null, signature: `f${n}()` },
  ...{ doc: '', file: 'm.py', lines: [n, n + 1] },
});
const ENTRIES = Array.from({ length: 200 }, (_, n) => entry(n));
const INDEX: CandidateIndex = {
  ...{ roots: ['.'], packages: ['m'], files: 1, entries: ENTRIES },
  ...{ modules: {}, problems: [] },
};

test('embedding that is stopped ends by the reason it was stopped for, which may be none of a person', async () => {
  const blobs = createMemoryBlobs();
  const stop = new AbortController();
  const timeUp = new Error('its time is up');
  const embed = async (texts: readonly string[]): Promise<Float32Array[]> => {
    stop.abort(timeUp);
    return texts.map(() => new Float32Array([1, 0]));
  };
  const context = {
    ...{
      blobs,
      attach: (bytes: Buffer, label: BlobLabel) => blobs.put(bytes, label),
      embedder: { id: 'e', dimensions: 2, embed },
    },
    ...{ signal: stop.signal, heartbeat: () => undefined },
  } as unknown as StageContext;
  await expect(embedEntries(context, 'an index', INDEX)).rejects.toBe(timeUp);
});
