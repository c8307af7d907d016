import { sha256Hex } from '../../../src/domain/content-hash.js';
import type { StageContext } from '../../../src/ports/suite.js';
import { repocraftManifest } from '../suite.js';
import { preparedOf } from './candidate-index.js';

/**
 * Whether a trial that passed sits a canary (`execute{canary}`): a share of them, drawn by the trial's id; all of a candidate
 * whose text is suspicious, or that was seen to forge. The reference needs none: canaries are made to fail on it.
 */
export async function canaryDue(context: StageContext): Promise<boolean> {
  const { candidate } = context;
  if (candidate === null || candidate.provenance === 'reference') return false;
  if (preparedOf(context.prepared).suspicions > 0) return true;
  if (drawn(context.owner.id) < repocraftManifest.canaries.share) return true;
  return (await context.blobs.recall(forgeryKey(context))) !== null;
}

/** From now on every passed trial of this candidate sits a canary. */
export async function rememberForgery(context: StageContext): Promise<void> {
  const label = { name: 'forgery.json', mediaType: 'application/json' };
  await context.blobs.remember(
    forgeryKey(context),
    await context.blobs.put(JSON.stringify({ trial: context.owner.id }), label),
  );
}

/** A number from 0 to 1, the same for the same trial. */
const drawn = (trialId: string): number => parseInt(sha256Hex(`canary ${trialId}`).slice(0, 8), 16) / 2 ** 32;

const forgeryKey = ({ campaign, candidate }: StageContext): string =>
  `repocraft/forged/${campaign.id}/${candidate?.sha256 ?? ''}`;
