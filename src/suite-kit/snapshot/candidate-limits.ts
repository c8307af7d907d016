import type { Problem } from '../../contract/problem.js';
import type { Tree } from '../packed-files.js';

/** Limits of a candidate. */
export const MAX_CANDIDATE_BYTES = 512 * 1024 * 1024;
export const MAX_CANDIDATE_FILES = 20_000;
/** An archive of such a tree: room for headers on top of the files. */
export const MAX_ARCHIVE_BYTES = MAX_CANDIDATE_BYTES + 64 * 1024 * 1024;

/** A tree as read, with everything that is wrong with it. */
export interface ReadTree {
  files: Tree;
  problems: Problem[];
}

/** Problems of a tree that is too large; used by both readers while they count, so that neither reads on. */
export function sizeProblem(path: string, count: { files: number; bytes: number }): Problem | undefined {
  if (count.files > MAX_CANDIDATE_FILES) {
    return {
      message: `snapshot path ${path}: holds more than ${MAX_CANDIDATE_FILES.toLocaleString('en')} files`,
      expected: `at most ${MAX_CANDIDATE_FILES.toLocaleString('en')} files`,
      fix: 'leave out data, environments and build results, or point to the package alone',
    };
  }
  if (count.bytes > MAX_CANDIDATE_BYTES) {
    return {
      message: `snapshot path ${path}: is larger than 512 MiB`,
      expected: 'at most 512 MiB of files, unpacked',
      fix: 'leave out data, environments and build results, or point to the package alone',
    };
  }
  return undefined;
}
