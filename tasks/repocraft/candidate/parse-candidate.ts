import type { CandidateRef } from '../../../src/contract/candidate.js';
import type { EvidenceRef } from '../../../src/contract/evidence.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { SandboxResult } from '../../../src/ports/sandbox.js';
import type { CandidateIndex } from './candidate-index.js';
import { printed, readOnce, type TreeContext } from './tree-reader.js';

const PARSER_FILES = ['parse.py', 'layout.py'];

/**
 * Parses a candidate in a container (its text is hostile, and Python's own `ast` reads it) and returns the index blob.
 * Cached by snapshot hash and by the parser's own text.
 */
export function parseCandidate(context: TreeContext, candidate: CandidateRef): Promise<EvidenceRef> {
  const label = { name: 'candidate-index.json', mediaType: 'application/json' };
  return readOnce(context, candidate, { name: 'parse', files: PARSER_FILES, label, told: indexOf });
}

/**
 * A generated tree that kills the parser is a candidate nothing can be found in, not an error of ours. The reference
 * parses, so where it does not the fault is ours; and a wall limit without the CPU used says only that the machine was
 * busy: tried again.
 */
function indexOf(result: SandboxResult, candidate: CandidateRef): CandidateIndex {
  const index = printed<CandidateIndex>(result);
  if (index !== null) return index;
  const how = result.timedOut ? 'ran out of time' : result.outOfMemory ? 'ran out of memory' : 'failed';
  const tail = result.stderr.bytes.toString('utf8').trim().slice(-200);
  const message = `the parser ${how} on this candidate ${tail}`.trim();
  if (result.timeLimit === 'wall') throw new DomainFailure('sandbox.lost', message);
  if (candidate.provenance === 'reference') throw new DomainFailure('harness.bug', message);
  return { roots: [], packages: [], files: 0, entries: [], modules: {}, problems: [{ file: '.', line: 0, message }] };
}
