import { sql } from '../query-builder.js';
import type { Records } from '../../../ports/records.js';
import { recordEvent } from '../campaigns/events.js';
import { lockedCampaign } from '../campaigns/operator.js';
import type { Database } from '../schema/database.js';

/** What people say of trials: events of their campaigns. */
export function trialReviews({ kysely }: Database): Pick<Records, 'recordReview'> {
  return {
    recordReview: ({ campaignId, review, author, reason, isDryRun }) =>
      kysely.transaction().execute(async (transaction) => {
        // Of two at once by one author the second finds the first.
        if (!isDryRun) await lockedCampaign(transaction, campaignId);
        const { rows } = await sql`
          select from events where campaign_id = ${campaignId} and action = 'review' and author = ${author}
            and details ->> 'trial' = ${review.trial} limit 1`.execute(transaction);
        if (rows.length > 0) return 'reviewed-before';
        if (!isDryRun)
          await recordEvent(transaction, { campaignId, action: 'review', author, reason, details: { ...review } });
        return 'recorded';
      }),
  };
}
