import type { NotificationCall } from '../contract/campaign.js';
import type { CampaignSpec } from '../contract/campaign.js';
import type { CampaignRow } from '../ports/records.js';
import type { DocumentBody } from './documents/documents.js';
import { versioned } from './documents/versioned.js';

/** What a webhook or a command is told: the document `notification`. */
export function notificationBody(
  { event, key }: Pick<NotificationCall, 'event' | 'key'>,
  { id, name, status, suite, dataset, tags, trials, spend, spec }: CampaignRow & { spec: CampaignSpec },
): string {
  const { usd, tokens, wallHours = null, trials: most = null, soft = null } = spec.budget;
  const body: DocumentBody<'notification'> = {
    event,
    at: new Date().toISOString(),
    campaign: { id, name, status, suite, dataset, tags },
    trials,
    spend: { usd: spend.microUsd / 1e6, tokens: spend.tokens, calls: spend.calls },
    budget: { usd, tokens, wall_hours: wallHours, trials: most, soft },
    still_since: event === 'stall' ? key : null,
    next: event === 'end' ? `durabench report ${id}` : `durabench status ${id}`,
  };
  return JSON.stringify(versioned(body));
}
