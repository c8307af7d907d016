import { setTimeout as sleep } from 'node:timers/promises';
import type { CampaignStatus } from '../../contract/campaign.js';
import { UserError } from '../../domain/failure/user-error.js';
import { actor } from '../actor.js';
import { isClosed } from '../campaigns/is-closed.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';
import type { Background } from './background.js';
import { endCampaign, type Ending } from './end-campaign.js';
import type { OperatorOptions } from './operator-options.js';
import { stopEffect, type StopEffect } from './stop-effect.js';

/** What a cancel is asked with. */
export interface CancelOptions extends OperatorOptions {
  /** Waits until it has ended. Default: false. */
  wait?: boolean;
}

/**
 * What came of it. `ended-before`: nothing was changed; `ended`: it is over now; `ending`: it is recorded, and nobody
 * waits for it any more; `dry-run`: nothing was changed, and it could be cancelled.
 */
export type CancelAnswer = { id: string; /** As it stood before. */ status: CampaignStatus } & (
  | { state: 'ended' }
  | { state: 'ending'; background: Background }
  | { state: 'dry-run'; /** Running trials are stopped, waiting ones are not run. */ effect: StopEffect }
  | { state: 'ended-before'; /** Of a dry run; else null. */ effect: StopEffect | null }
);

/** How far a cancel has come. */
export interface CancelProgress {
  /** As it was named, until it is found. */
  id: string;
  isRecorded: boolean;
  /** What is done, in words. */
  done: Set<string>;
}

/** A cancel that is not over in its time. Whoever throws away what still hangs loses nothing. */
export class CancelTimeout extends UserError {}

/**
 * Ends a campaign: what runs is stopped, what was not started becomes not run. Where nobody who runs it ends it in time, or
 * nobody runs it, the records end it. Within {@link beforeDeadline}.
 */
export async function cancelCampaign(
  context: Context,
  connection: Connection,
  request: CancelOptions & { id: string; progress: CancelProgress } & Pick<Ending, 'onState' | 'onDetach'>,
): Promise<CancelAnswer> {
  const { records } = connection;
  const { id, progress, reason = 'durabench cancel', dryRun = false, wait = false } = request;
  progress.id = id;
  const status = await records.campaignStatus(id);
  if (isClosed(status)) {
    const effect = dryRun ? await stopEffect(connection, id) : null;
    return { id, status, state: 'ended-before', effect };
  }
  if (dryRun) return { id, status, state: 'dry-run', effect: await stopEffect(connection, id) };
  await records.setDesiredState({ campaignId: id, state: 'cancel', author: actor(), reason });
  progress.isRecorded = true;
  const background = await endCampaign(context, connection, {
    ...{ id, isDetached: !wait, seconds: context.environment().cancelSeconds },
    ...{ onState: request.onState, onDetach: request.onDetach },
    onDone: (what) => void progress.done.add(what),
  });
  return background === null ? { id, status, state: 'ended' } : { id, status, state: 'ending', background };
}

/**
 * A cancel never takes longer than DURABENCH_CANCEL_SECONDS, opening the connection included: whoever asked is told what
 * is done, and what goes on without him.
 * @param wanted the campaign as it was named
 * @throws CancelTimeout then, while the work may still hang
 */
export async function beforeDeadline<Answer>(
  context: Context,
  wanted: string,
  work: (progress: CancelProgress) => Promise<Answer>,
): Promise<Answer> {
  const progress: CancelProgress = { id: wanted, isRecorded: false, done: new Set() };
  const seconds = context.environment().cancelSeconds;
  const over = new AbortController();
  const late = sleep(seconds * 1_000, undefined, { signal: over.signal }).then(() => {
    throw unfinished(progress, seconds);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work(progress), late]);
  } finally {
    over.abort();
  }
}

function unfinished({ id, isRecorded, done }: CancelProgress, seconds: number): CancelTimeout {
  const fix = `see where it stands: durabench status ${id}`;
  const problem = isRecorded
    ? {
        message: `the cancel of ${id} is recorded${[...done].map((what) => `, ${what}`).join('')}, but it has not ended within ${seconds} s`,
        expected: 'nothing of it is started any more; a worker ends the rest by itself, as soon as one can',
        fix,
      }
    : {
        message: `${id} was not cancelled: the servers did not answer within ${seconds} s`,
        expected: 'a Postgres that answers, and holds nothing of the campaign locked',
        fix: `${fix}; then again: durabench cancel ${id}`,
      };
  return new CancelTimeout('environment', problem);
}
