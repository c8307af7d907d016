import type { Blobs } from '../ports/blobs.js';

/** The value of a JSON blob of ours; its shape is what wrote it. */
export async function readJsonBlob<Value>(blobs: Pick<Blobs, 'get'>, sha256: string): Promise<Value> {
  return JSON.parse((await blobs.get(sha256)).toString('utf8')) as Value;
}

/** The value that {@link rememberJson} kept under the key; null where there is none. */
export async function recallJson<Value>(blobs: Pick<Blobs, 'get' | 'recall'>, key: string): Promise<Value | null> {
  const known = await blobs.recall(key);
  return known === null ? null : readJsonBlob<Value>(blobs, known.sha256);
}

/** Keeps a value under a key that says what it was made of. `name`: of the blob, `gold-outcomes.json`. */
export async function rememberJson(
  blobs: Pick<Blobs, 'put' | 'remember'>,
  { key, name }: { key: string; name: string },
  value: unknown,
): Promise<void> {
  await blobs.remember(key, await blobs.put(JSON.stringify(value), { name, mediaType: 'application/json' }));
}
