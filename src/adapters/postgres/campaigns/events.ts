import type { Transaction } from 'kysely';
import type { JsonObject } from '../../../contract/json.js';
import type { Tables } from '../schema/tables.js';

/** Records what an operator asked of a campaign (null: of the installation), in the transaction that does it. */
export async function recordEvent(
  transaction: Transaction<Tables>,
  event: { campaignId: string | null; action: string; author: string; reason: string; details?: JsonObject },
): Promise<void> {
  const { campaignId, action, author, reason, details = {} } = event;
  await transaction
    .insertInto('events')
    .values({ campaign_id: campaignId, action, author, reason, details: JSON.stringify(details) })
    .execute();
}
