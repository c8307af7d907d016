import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CandidateFlag, CandidateRef } from '../../../src/contract/candidate.js';
import { sha256Hex } from '../../../src/domain/content-hash.js';
import { DomainFailure } from '../../../src/domain/domain-failure.js';
import type { ContentMount, SandboxResult } from '../../../src/ports/sandbox.js';
import type { StageContext } from '../../../src/ports/suite.js';
import { REPOCRAFT_LIMITS } from '../suite.js';
import { referenceCandidate } from './reference-candidate.js';

/** What the text of a candidate says about its honesty, as `python/candidate/look_through.py` prints it. */
export interface Seen {
  flags: CandidateFlag[];
  /** `lib.py:3 imports gc`; at most 20. */
  suspicions: string[];
}

/**
 * Looks through a candidate in a container, beside the reference it may be a copy of. The reference itself is not looked at.
 * A tree that cannot be read in the time there is says so as a suspicion.
 */
export async function lookThrough(context: StageContext, candidate: CandidateRef): Promise<Seen> {
  if (candidate.provenance === 'reference') return { flags: [], suspicions: [] };
  const tool = await readFile(path.join(context.suiteFolder, 'python', 'candidate', 'look_through.py'), 'utf8');
  const reference = await referenceAtHand(context);
  const key = `repocraft.seen@${sha256Hex(tool).slice(0, 16)}/${candidate.sha256}/${reference?.sha256 ?? 'alone'}`;
  const known = await context.blobs.recall(key);
  if (known !== null) return attached(context, (await context.blobs.get(known.sha256)).toString('utf8'));
  const mounted = ({ sha256 }: CandidateRef, place: string): ContentMount => ({
    ...{ sha256, load: () => context.blobs.get(sha256), path: place },
  });
  const result = await context.sandbox.run({
    image: 'base',
    command: ['python3', '-s', '-E', '-B', '/work/look_through.py', '/candidate', ...(reference ? ['/reference'] : [])],
    files: { 'look_through.py': tool },
    mounts: [mounted(candidate, '/candidate'), ...(reference ? [mounted(reference, '/reference')] : [])],
    limits: REPOCRAFT_LIMITS.parse,
    poolKey: null,
    owner: { campaignId: context.campaign.id, ownerId: context.owner.id },
    signal: context.signal,
    onProgress: () => context.heartbeat(),
  });
  const text = JSON.stringify(seenIn(result));
  if (result.exitCode === 0) {
    const label = { name: 'integrity.json', mediaType: 'application/json' };
    await context.blobs.remember(key, await context.blobs.put(text, label));
  }
  return attached(context, text);
}

async function attached(context: StageContext, text: string): Promise<Seen> {
  const seen = JSON.parse(text) as Seen;
  if (seen.flags.length + seen.suspicions.length > 0) {
    await context.attach(text, { name: 'integrity.json', mediaType: 'application/json' });
  }
  return seen;
}

/** A candidate of a project nobody fetched here is not compared. */
async function referenceAtHand(context: StageContext): Promise<CandidateRef | null> {
  if (context.scope === null) return null;
  return referenceCandidate(context, context.scope).catch((error: unknown) => {
    if (error instanceof DomainFailure && error.type === 'dataset.missing') return null;
    throw error;
  });
}

function seenIn(result: SandboxResult): Seen {
  if (result.exitCode === 0 && !result.stdout.truncated) {
    return JSON.parse(result.stdout.bytes.toString('utf8')) as Seen;
  }
  if (result.timeLimit === 'wall')
    throw new DomainFailure('sandbox.lost', 'the look through the candidate ran out of time');
  return { flags: [], suspicions: ['its text could not be read'] };
}
