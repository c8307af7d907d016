import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../../domain/failure/user-error.js';
import type { CampaignRow } from '../../ports/records.js';
import { actor } from '../actor.js';
import { isClosed } from '../campaigns/is-closed.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';
import type { OperatorOptions } from './operator-options.js';

/** What is deleted, or, in a dry run, would be. */
export interface DeletedCampaign {
  campaign: CampaignRow;
  deleted: boolean;
}

/**
 * Takes an ended campaign out of the record, with its report on this machine; what it cost stays counted in the limit over
 * all campaigns. Its evidence goes with the next `clean`. There is no way back.
 * @throws UserError while it is open, or calls of it are under way
 */
export async function deleteCampaign(
  context: Context,
  { records }: Pick<Connection, 'records'>,
  { id, reason = 'durabench delete', dryRun = false }: OperatorOptions & { id: string },
): Promise<DeletedCampaign> {
  const campaign = await records.campaign(id);
  if (!isClosed(campaign.status)) throw stillOpen(id);
  if (dryRun) return { campaign, deleted: false };
  const removal = await records.removeCampaign({ campaignId: id, author: actor(), reason });
  if (removal.state === 'open') throw stillOpen(id);
  if (removal.state === 'calls-under-way')
    throw new UserError('environment', {
      message: `${removal.calls} model calls of campaign ${id} are still under way`,
      fix: `durabench delete ${id}, once they are answered`,
    });
  await rm(join(context.environment().stateDir, 'reports', id), { recursive: true, force: true });
  return { campaign, deleted: true };
}

const stillOpen = (id: string): UserError =>
  new UserError('usage', { message: `campaign ${id} has not ended`, fix: `durabench cancel ${id}, then delete it` });
