import type { TakenFiles } from '../../../src/contract/sandbox-result.js';
import { pathProblem } from '../../../src/suite-kit/answer-files.js';
import type { Tree } from '../../../src/suite-kit/packed-files.js';
import { MAX_CANDIDATE_FILES } from '../../../src/suite-kit/snapshot/candidate-limits.js';
import { NOT_CANDIDATE } from '../../../src/suite-kit/snapshot/read-folder.js';
import type { MadeCandidate } from './generator.js';

/** The folder in which a system leaves its repository. */
export const REPOSITORY = 'repo';

/** The repository among the files that were brought back; empty, with the reason, where there is none. */
export function leftRepository(taken: TakenFiles | null): MadeCandidate {
  if (taken === null) return empty('it was killed, and what it left with it');
  if (taken.tooLarge) return empty(`${REPOSITORY} is larger than a run may bring back`);
  const files = new Map<string, Uint8Array>();
  for (const [path, bytes] of Object.entries(taken.files)) {
    const inside = path.slice(REPOSITORY.length + 1);
    const isOdd = !path.startsWith(`${REPOSITORY}/`) || pathProblem(inside) !== undefined;
    if (!isOdd && !inside.split('/').some((part) => NOT_CANDIDATE.has(part))) files.set(inside, bytes);
  }
  if (files.size > MAX_CANDIDATE_FILES) return empty(`${REPOSITORY} holds more than ${MAX_CANDIDATE_FILES} files`);
  return files.size === 0 ? empty(`${REPOSITORY} holds no file`) : { content: files, note: null };
}

const empty = (note: string): MadeCandidate => ({ content: new Map() as Tree, note });
