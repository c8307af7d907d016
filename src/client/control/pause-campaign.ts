import type { CampaignStatus } from '../../contract/campaign.js';
import type { CampaignRow } from '../../ports/records.js';
import { actor } from '../actor.js';
import { isClosed } from '../campaigns/is-closed.js';
import type { Connection } from '../connection.js';
import type { OperatorOptions } from './operator-options.js';
import { stopEffect, type StopEffect } from './stop-effect.js';

/**
 * What came of it. `paused`: it is now, or would be; the others changed nothing: it has `ended`, is `ending` because it
 * was cancelled or its budget is spent, or was `paused-before`.
 */
export interface PauseAnswer {
  id: string;
  state: 'paused' | 'ended' | 'ending' | 'paused-before';
  /** As it stood before. */
  status: CampaignStatus;
  /** Running trials finish, waiting ones wait. */
  effect: StopEffect;
}

/** Admits no further trial of a campaign, nor a further part of a long generation; what runs finishes. */
export async function pauseCampaign(
  connection: Connection,
  { id, reason = 'durabench pause', dryRun = false }: OperatorOptions & { id: string },
): Promise<PauseAnswer> {
  const { records } = connection;
  const campaign = await records.campaign(id);
  const effect = await stopEffect(connection, id);
  const state = pausable(campaign);
  // Nobody need be told: every admission asks the records.
  if (state === 'paused' && !dryRun)
    await records.setDesiredState({ campaignId: id, state: 'pause', author: actor(), reason });
  return { id, state, status: campaign.status, effect };
}

/** A campaign that is to end must not be brought back to life. */
function pausable({ status, desiredState }: Pick<CampaignRow, 'status' | 'desiredState'>): PauseAnswer['state'] {
  if (isClosed(status)) return 'ended';
  if (desiredState === 'cancel' || desiredState === 'stop') return 'ending';
  return desiredState === 'pause' ? 'paused-before' : 'paused';
}
