import { jsonHash } from '../text/content-hash.js';

/** The sha-256 that names a set of tasks, in hex: of their ids and hashes, whatever order they come in. */
export const datasetDigest = (tasks: readonly { id: string; sha256: string }[]): string =>
  jsonHash(tasks.map(({ id, sha256 }) => [id, sha256]).sort(([a = ''], [b = '']) => (a < b ? -1 : 1)));
