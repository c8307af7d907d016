import type { CampaignStatus } from '../contract/campaign.js';
import { CommandProblem } from './command-problem.js';

/** What a verb says that only a campaign with open books can be asked. */
export function endedCampaign(id: string, status: string): CommandProblem {
  return new CommandProblem({
    what: `campaign ${id} has ended: ${status.replace('_', ' ')}`,
    allowed: 'a campaign that is planned, running or paused',
    remedy: `see its result: durabench report ${id}`,
  });
}

/** True when the campaign's books are closed. */
export function isClosed(status: CampaignStatus): boolean {
  return status === 'completed' || status === 'budget_exhausted' || status === 'cancelled';
}
