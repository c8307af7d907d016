import type { Kysely, RawBuilder } from 'kysely';
import { sql } from '../query-builder.js';
import type { CampaignStatus, DesiredState } from '../../../contract/campaign.js';
import type { TrialCounts } from '../../../contract/status.js';
import type { CampaignRow, Records } from '../../../ports/records.js';
import type { Database } from '../schema/database.js';
import { SPEND_COLUMNS, spendOf, toSpend, type SpendRow } from '../ledger/account-spend.js';
import { callTotals } from '../ledger/campaign-usage.js';
import { reading } from '../schema/reading.js';
import { STUCK } from '../stuck-campaigns.js';
import type { Tables } from '../schema/tables.js';
import { wasStarted } from '../trials/trial-limit.js';
import { trialTallies } from '../trials/trial-totals.js';
import { unknownCampaign } from './unknown-campaign.js';

/** Campaigns with their totals, which are sums over rows. */
export function campaignRows({
  kysely,
}: Database): Pick<Records, 'listCampaigns' | 'campaignStatus' | 'campaign' | 'campaignTotals'> {
  return {
    listCampaigns: (limit, tag) => {
      const tagged = tag === undefined ? sql`` : sql`where spec -> 'tags' @> ${JSON.stringify([tag])}::jsonb`;
      return reading(kysely, (transaction) =>
        totals(transaction, sql`select id from campaigns ${tagged} order by created_at desc, id limit ${limit}`),
      );
    },

    campaignStatus: async (campaignId) => {
      const row = await kysely
        .selectFrom('campaign_status')
        .select('status')
        .where('id', '=', campaignId)
        .executeTakeFirst();
      if (row === undefined) throw unknownCampaign(campaignId);
      return row.status;
    },

    campaign: (campaignId) => readCampaign(kysely, campaignId, spendOf('campaign', sql`select ${campaignId}::text`)),

    campaignTotals: async (campaignId, metrics) => {
      // Side by side: where there are many trials and calls, each takes long.
      const [{ spend, ofTrials, usage }, tallies, row] = await Promise.all([
        callTotals(kysely, campaignId),
        trialTallies(kysely, campaignId, metrics),
        readCampaign(kysely, campaignId, NO_SPEND),
      ]);
      return { campaign: { ...row, spend }, totals: { ...tallies, spend: ofTrials }, calls: usage };
    },
  };
}

/** Where what was spent is read elsewhere. */
const NO_SPEND = spendOf('campaign', sql`select null::text where false`);

function readCampaign(
  kysely: Kysely<Tables>,
  campaignId: string,
  spend: RawBuilder<unknown>,
): ReturnType<Records['campaign']> {
  return reading(kysely, async (transaction) => {
    const [row] = await totals(transaction, sql`select id from campaigns where id = ${campaignId}`, spend);
    const definition = await transaction
      .selectFrom('campaigns')
      .select(['spec', 'lock'])
      .where('id', '=', campaignId)
      .executeTakeFirst();
    if (row === undefined || definition === undefined) throw unknownCampaign(campaignId);
    return { ...row, ...definition };
  });
}

interface TotalsRow extends TrialCounts, SpendRow {
  id: string;
  name: string;
  tags: string[];
  suite: string;
  dataset_label: string;
  status: CampaignStatus;
  desired_state: DesiredState;
  epoch: number;
  server: string | null;
  code: string;
  stuck: string | null;
  created_at: string;
  ended_at: string | null;
  revises: string | null;
  revised_by: string[];
  seconds: number;
  stretches: CampaignRow['work']['stretches'];
  started: number;
}

/** @param spend what the chosen campaigns have spent, as {@link spendOf} reads it */
async function totals(
  kysely: Kysely<Tables>,
  chosen: RawBuilder<unknown>,
  spend = spendOf('campaign', sql`select id from chosen`),
): Promise<CampaignRow[]> {
  const { rows } = await sql<TotalsRow>`
    with chosen as materialized (${chosen}),
    counts as (
      select campaign_id, count(*) as planned, count(outcome) as done,
        count(*) filter (where outcome = 'passed') as passed, count(*) filter (where outcome = 'failed') as failed,
        count(*) filter (where outcome = 'errored') as errored, count(*) filter (where outcome = 'not_run') as not_run,
        count(*) filter (where started) as started
      from (
        -- The run that counts, which for few trials is not the last one.
        select campaign_id, outcome, ${wasStarted('t')} as started from trials t
        where scored_n is null and campaign_id in (select id from chosen)
        union all
        select campaign_id, outcome, true from scored_runs where campaign_id in (select id from chosen)) standing
      group by campaign_id),
    spend as (${spend})
    select c.id, c.name, coalesce(c.spec -> 'tags', '[]'::jsonb) as tags, c.suite, c.dataset_label, s.status, c.desired_state, c.epoch, c.server, c.code, ${STUCK} as stuck, c.created_at,
      c.ended_at, c.revises, array(select r.id from campaigns r where r.revises = c.id order by r.created_at, r.id) as revised_by,
      coalesce(n.planned, 0) as planned, coalesce(n.done, 0) as done, coalesce(n.passed, 0) as passed,
      coalesce(n.failed, 0) as failed, coalesce(n.errored, 0) as errored, coalesce(n.not_run, 0) as not_run,
      ${SPEND_COLUMNS},
      coalesce(n.started, 0) as started,
      c.ran_seconds + coalesce(extract(epoch from clock_timestamp() - c.running_since), 0)::float8 as seconds,
      coalesce((
        select jsonb_agg(jsonb_build_object('from', w.since, 'to', w.until) order by w.since)
        from (
          select started_at as since, ended_at as until from working_times where campaign_id = c.id
          union all select c.running_since, null where c.running_since is not null) w), '[]'::jsonb) as stretches
    from chosen join campaigns c on c.id = chosen.id join campaign_status s on s.id = c.id
    left join counts n on n.campaign_id = c.id
    left join spend p on p.account_id = c.id
    order by c.created_at desc, c.id`.execute(kysely);
  return rows.map(toCampaignRow);
}

function toCampaignRow(row: TotalsRow): CampaignRow {
  const { planned, done, passed, failed, errored, not_run } = row;
  return {
    id: row.id,
    name: row.name,
    tags: row.tags,
    suite: row.suite,
    dataset: row.dataset_label,
    status: row.status,
    desiredState: row.desired_state,
    epoch: row.epoch,
    server: row.server,
    code: row.code,
    stuck: row.stuck,
    createdAt: row.created_at,
    endedAt: row.ended_at,
    revises: row.revises,
    revisedBy: row.revised_by,
    trials: { planned, done, passed, failed, errored, not_run },
    spend: toSpend(row),
    work: { seconds: row.seconds, trials: row.started, stretches: row.stretches },
  };
}
