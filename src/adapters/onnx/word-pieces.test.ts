import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { loadWordPieces } from './word-pieces.js';

const VOCABULARY = fileURLToPath(new URL('bert-uncased-vocab.txt', import.meta.url));

it('gives the ids the published tokenizer of all-MiniLM-L6-v2 gives', async () => {
  const pieces = await loadWordPieces(VOCABULARY);
  // Taken from the model's own tokenizer.json with the tokenizers library.
  expect(pieces.encode('k-means clustering')).toEqual([101, 1047, 1011, 2965, 9324, 2075, 102]);
  expect(pieces.encode('')).toEqual([101, 102]);
  expect(pieces.encode('RÉSUMÉ')).toEqual(pieces.encode('resume'));
});

it('cuts a long text at 256 tokens and still ends it with [SEP]', async () => {
  const pieces = await loadWordPieces(VOCABULARY);
  const ids = pieces.encode('word '.repeat(400));
  expect(ids).toHaveLength(256);
  expect(ids.at(-1)).toBe(102);
});
