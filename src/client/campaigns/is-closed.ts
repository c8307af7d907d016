import type { CampaignStatus } from '../../contract/campaign.js';

/** True when the campaign is closed. */
export function isClosed(status: CampaignStatus): boolean {
  return status === 'completed' || status === 'budget_exhausted' || status === 'cancelled';
}
