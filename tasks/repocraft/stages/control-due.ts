import { sha256Hex } from '../../../src/domain/text/content-hash.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { repocraftManifest } from '../suite.js';
import { preparedOf } from '../candidate/candidate-index.js';

/**
 * Whether a trial that passes has a negative control (`execute{control}`): the first ones of a candidate, then a share, drawn by the
 * trial's id; all of a candidate that is distrusted. The reference needs none: negative controls are made to fail on it.
 */
export async function controlDue(context: StageContext): Promise<boolean> {
  if (isReference(context)) return false;
  if (drawn(context.owner.id) < repocraftManifest.negativeControls.share) return true;
  return (await isDistrusted(context)) || (await firstPlace(context)) !== null;
}

/** Its text is suspicious, or it was seen to pass by something else than its answers. */
export async function isDistrusted(context: StageContext): Promise<boolean> {
  if (isReference(context)) return false;
  if (preparedOf(context.prepared).suspicions > 0) return true;
  return (await context.blobs.recall(keyOf(context, 'forged'))) !== null;
}

/** Whether a negative control that is due comes before the test: drawn for each trial, and nothing a candidate could know. */
export const isControlFirst = (context: StageContext): boolean =>
  parseInt(context.drawingKey(`order ${context.owner.id}`).slice(0, 8), 16) % 2 === 0;

const isReference = ({ candidate }: StageContext): boolean =>
  candidate === null || candidate.provenance === 'reference';

/** From now on every passed trial of this candidate has a negative control. */
export const rememberForgery = (context: StageContext): Promise<void> => noteTrial(context, 'forged');

/** This trial had one. Where its test has nothing that can be altered it has none, and leaves its place to another. */
export async function rememberControl(context: StageContext): Promise<void> {
  const place = await firstPlace(context);
  if (place !== null) await noteTrial(context, `control-${place}`);
}

/** The next of the first places, or the one it has already; null when all are taken. Trials that end at once may share one: then there are more of them. */
async function firstPlace(context: StageContext): Promise<number | null> {
  const own = sha256Hex(noteOf(context));
  for (let place = 0; place < repocraftManifest.negativeControls.first; place += 1) {
    const taken = await context.blobs.recall(keyOf(context, `control-${place}`));
    if (taken === null || taken.sha256 === own) return place;
  }
  return null;
}

async function noteTrial(context: StageContext, what: string): Promise<void> {
  const label = { name: 'trial.json', mediaType: 'application/json' };
  await context.blobs.remember(keyOf(context, what), await context.blobs.put(noteOf(context), label));
}

const noteOf = ({ owner }: StageContext): string => JSON.stringify({ trial: owner.id });

/** A number from 0 to 1, the same for the same trial. */
const drawn = (trialId: string): number => parseInt(sha256Hex(`control ${trialId}`).slice(0, 8), 16) / 2 ** 32;

const keyOf = ({ campaign, candidate }: StageContext, what: string): string =>
  `repocraft/${what}/${campaign.id}/${candidate?.sha256 ?? ''}`;
