import { expect, it } from 'vitest';
import { createMemoryBlobs } from '../../../src/fakes/memory-blobs.js';
import type { CandidateEntry, CandidateIndex } from '../candidate/candidate-index.js';
import { entryViews } from '../search/entry-text.js';
import { closestTo } from './stand-in.js';

const entry = (kind: CandidateEntry['kind'], qualname: string, doc: string): CandidateEntry => {
  const owner = qualname.includes('.') ? (qualname.split('.')[0] ?? null) : null;
  const name = qualname.split('.').at(-1) ?? '';
  return { kind, name, qualname, owner, doc, module: 'net', signature: '', file: 'net.py', lines: [1, 2] };
};
const indexOf = (module: string, all: CandidateEntry[]): CandidateIndex => {
  const entries = all.map((each) => ({ ...each, module }));
  const names = Object.fromEntries(entries.flatMap(({ owner, name }) => (owner === null ? [[name, null]] : [])));
  return {
    roots: ['.'],
    packages: [module],
    files: 1,
    entries,
    modules: { [module]: { file: '', names } },
    problems: [],
  };
};

/** Counts two words, so that what is near can be read off. */
const vectorOf = (text: string): Float32Array => {
  const count = (word: string): number => text.toLowerCase().split(word).length - 1;
  const [clash, link] = [count('clash'), count('link')];
  const length = Math.hypot(clash, link) || 1;
  return new Float32Array([clash / length, link / length]);
};

const reference = indexOf('lib', [entry('class', 'ClashError', 'A clash.'), entry('function', 'fetch', 'Fetches.')]);
const candidate = indexOf('net', [
  entry('class', 'Jar', 'Where a clash and a clash and a link may be.'),
  entry('function', 'clash', 'A clash, but no class.'),
  entry('method', 'Jar.clash', 'A clash in a jar.'),
  entry('class', 'Collision', 'A clash.'),
  entry('class', 'Broken', 'A clash or a link.'),
]);

async function closest(path: string, place: number, ...taken: string[]) {
  const blobs = createMemoryBlobs();
  const table = Buffer.concat(
    candidate.entries.flatMap(entryViews).map((text) => Buffer.from(vectorOf(text).buffer as ArrayBuffer)),
  );
  const { sha256 } = await blobs.put(table, { name: 'vectors', mediaType: 'application/octet-stream' });
  const embedder = { id: 'e', dimensions: 2, embed: async (texts: readonly string[]) => texts.map(vectorOf) };
  const found = await closestTo({ blobs, embedder, prepared: { vectors: sha256 } }, path, {
    ...{ reference, candidate, place, taken: taken.map((name) => ({ module: 'net', name })) },
  });
  return found?.name ?? null;
}

it('is of the same kind, at the top level, and the closest by what is written of both', async () => {
  expect(await closest('lib.ClashError', 1)).toBe('Collision');
  expect(await closest('lib.ClashError', 2)).toBe('Jar');
  expect(await closest('lib.ClashError', 3)).toBe('Broken');
  expect(await closest('lib.ClashError', 4)).toBeNull();
});

it('is never what stands for something else', async () => {
  expect(await closest('lib.ClashError', 1, 'Collision', 'Jar')).toBe('Broken');
});

it('is nothing for a name of which nothing is written', async () => {
  expect(await closest('lib.LIMIT', 1)).toBeNull();
  expect(await closest('lib', 1)).toBeNull();
});
