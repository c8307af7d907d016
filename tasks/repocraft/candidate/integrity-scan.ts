import type { CandidateFlag, CandidateRef } from '../../../src/contract/candidate.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { SandboxResult } from '../../../src/ports/sandbox.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { referenceCandidate } from './reference-candidate.js';
import { printed, readOnce } from './tree-reader.js';

/** What the text of a candidate says about its honesty, as `python/candidate/integrity_scan.py` prints it. */
export interface Seen {
  flags: CandidateFlag[];
  /** `lib.py:3 imports gc`; at most 20. */
  suspicions: string[];
}

/** Programs of the integrity scan (`scriptFiles`): what is started, and what that imports. */
export const SCAN_FILES = [
  ...['integrity_scan.py', 'copies.py', 'hidden_code.py', 'unpacking.py', 'compiled_prints.py'],
  '../runner/code_prints.py',
];

/**
 * Looks through a candidate in a container, beside the reference it may be a copy of. The reference itself is not looked at.
 * A tree that cannot be read in the time there is says so as a suspicion.
 *
 * @throws DomainFailure `dataset.missing` where the reference was not fetched here: another worker compares, or it waits for one
 */
export async function scanIntegrity(context: StageContext, candidate: CandidateRef): Promise<Seen> {
  if (candidate.provenance === 'reference') return { flags: [], suspicions: [] };
  const label = { name: 'integrity.json', mediaType: 'application/json' };
  const reference = context.scope === null ? null : await referenceCandidate(context, context.scope);
  const reader = { name: 'seen', files: SCAN_FILES, reference, label, told: seenIn };
  const ref = await readOnce(context, candidate, reader);
  const text = (await context.blobs.get(ref.sha256)).toString('utf8');
  const seen = JSON.parse(text) as Seen;
  if (seen.flags.length + seen.suspicions.length > 0) await context.attach(text, label);
  return seen;
}

function seenIn(result: SandboxResult): Seen {
  const seen = printed<Seen>(result);
  if (seen !== null) return seen;
  if (result.timeLimit === 'wall')
    throw new DomainFailure('sandbox.lost', 'the look through the candidate ran out of time');
  return { flags: [], suspicions: ['its text could not be read'] };
}
