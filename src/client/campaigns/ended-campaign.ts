import type { CampaignStatus } from '../../contract/campaign.js';
import { UserError } from '../../domain/failure/user-error.js';

/** What a verb says that only an open campaign can be asked. */
export function endedCampaign(id: string, status: string): UserError {
  return new UserError('usage', {
    message: `campaign ${id} has ended: ${status.replace('_', ' ')}`,
    fix: `see its result: durabench report ${id}`,
  });
}

/** True when the campaign is closed. */
export function isClosed(status: CampaignStatus): boolean {
  return status === 'completed' || status === 'budget_exhausted' || status === 'cancelled';
}
