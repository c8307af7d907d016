import type { Transaction } from 'kysely';
import type { JsonObject } from '../../../contract/json.js';
import type { Tables } from '../schema/tables.js';

/** Records what an operator asked of a campaign or a build's account (both null: of the installation), in the transaction that does it. */
export async function recordEvent(
  transaction: Transaction<Tables>,
  event: {
    campaignId: string | null;
    buildId?: string;
    action: string;
    author: string;
    reason: string;
    details?: JsonObject;
  },
): Promise<void> {
  const { campaignId, buildId = null, action, author, reason, details = {} } = event;
  await transaction
    .insertInto('events')
    .values({ campaign_id: campaignId, build_id: buildId, action, author, reason, details: JSON.stringify(details) })
    .execute();
}
