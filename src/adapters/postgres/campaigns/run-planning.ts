import type { Transaction } from 'kysely';
import { sql } from '../query-builder.js';
import type { PlannedRun, Records, RunSelection } from '../../../ports/records.js';
import type { Database } from '../schema/database.js';
import { recordEvent } from './events.js';
import { LIVES_UNTIL } from './leases.js';
import { lockedCampaign, seenCampaign } from './operator.js';
import { planRuns, reopen } from './planned-runs.js';
import { reading } from '../schema/reading.js';
import { selectRuns } from './run-selection.js';
import type { Tables } from '../schema/tables.js';
import { unknownCampaign } from './unknown-campaign.js';
import { UserError } from '../../../domain/failure/user-error.js';

/** Planning runs for `resume`, `retry` and `regrade`, and who may. */
export function runPlanning({ kysely }: Database): Pick<Records, 'planRuns' | 'placeCampaign' | 'leaseOwner'> {
  return {
    planRuns({ campaignId, selection, isDryRun, epoch, server, code = null, author, reason, details = {} }) {
      if (isDryRun) return reading(kysely, (transaction) => wouldRun(transaction, campaignId, selection));
      return kysely.transaction().execute(async (transaction) => {
        const campaign = await lockedCampaign(transaction, campaignId);
        const selected = await selectRuns(transaction, { campaignId, selection, isLocked: true });
        const told = selected.map((each) => each.told);
        if (campaign.epoch !== epoch) throw openedMeanwhile(campaignId);
        await planRuns(
          transaction,
          selected.map((each) => each.run),
        );
        await reopen(transaction, campaignId);
        await recordEvent(transaction, {
          ...{ campaignId, action: selection.action, author, reason },
          details: { ...details, trials: told.length },
        });
        // The epoch is raised with the plan: whoever still runs the campaign could otherwise claim what was planned.
        await sql`
          update campaigns set epoch = epoch + 1, desired_state = 'run', ended_at = null, ended_as = null,
            server = ${server}, code = coalesce(${code}, code) where id = ${campaignId}`.execute(transaction);
        return told;
      });
    },

    async placeCampaign({ campaignId, server, code = null }) {
      // What was opened elsewhere is superseded there at once, as by a plan.
      const { rows } = await sql`
        update campaigns set server = ${server}, code = coalesce(${code}, code),
          epoch = case when epoch > 0 and server is distinct from ${server} then epoch + 1 else epoch end
        where id = ${campaignId} returning id`.execute(kysely);
      if (rows.length === 0) throw unknownCampaign(campaignId);
    },

    async leaseOwner({ campaignId, server }) {
      const { rows } = await sql<{ instance: string; host: string; pid: number; livesUntil: string }>`
        select w.instance, w.host, w.pid, ${LIVES_UNTIL} as "livesUntil"
        from campaigns c join workers w on w.server = c.server
        where c.id = ${campaignId} and c.epoch > 0 and c.ended_as is null and c.server <> ${server}
          and is_living(w)
        order by lease_until desc limit 1`.execute(kysely);
      return rows[0] ?? null;
    },
  };
}

/** What a plan would be: a look, for which no claim of a campaign that runs has to wait. */
async function wouldRun(
  transaction: Transaction<Tables>,
  campaignId: string,
  selection: RunSelection,
): Promise<PlannedRun[]> {
  await seenCampaign(transaction, campaignId);
  const selected = await selectRuns(transaction, { campaignId, selection, isLocked: false });
  return selected.map(({ told }) => told);
}

function openedMeanwhile(campaignId: string): UserError {
  return new UserError('usage', {
    message: `Campaign ${campaignId} was just started again by somebody else.`,
    fix: `Watch it: durabench status ${campaignId} --watch`,
  });
}
