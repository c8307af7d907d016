import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { CampaignStatus, DesiredState } from '../../../contract/campaign.js';
import type { TrialCounts } from '../../../contract/status.js';
import type { CampaignRow, Records } from '../../../ports/records.js';
import type { Database } from '../schema/database.js';
import { repeatedCallKeys } from '../ledger/repeated-calls.js';
import { reading } from '../schema/reading.js';
import { STUCK } from '../stuck-campaigns.js';
import type { Tables } from '../schema/tables.js';
import { wasStarted } from '../trials/trial-limit.js';
import { unknownCampaign } from './unknown-campaign.js';

/** Campaigns with their totals, which are sums over rows. */
export function campaignRows({
  kysely,
}: Database): Pick<Records, 'listCampaigns' | 'campaignStatus' | 'campaign' | 'tasks'> {
  return {
    listCampaigns: (limit) =>
      reading(kysely, (transaction) =>
        totals(transaction, sql`select id from campaigns order by created_at desc, id limit ${limit}`),
      ),

    campaignStatus: async (campaignId) => {
      const row = await kysely
        .selectFrom('campaign_status')
        .select('status')
        .where('id', '=', campaignId)
        .executeTakeFirst();
      if (row === undefined) throw unknownCampaign(campaignId);
      return row.status;
    },

    campaign: (campaignId) =>
      reading(kysely, async (transaction) => {
        const [row] = await totals(transaction, sql`select id from campaigns where id = ${campaignId}`);
        const definition = await transaction
          .selectFrom('campaigns')
          .select(['spec', 'lock'])
          .where('id', '=', campaignId)
          .executeTakeFirst();
        if (row === undefined || definition === undefined) throw unknownCampaign(campaignId);
        return { ...row, ...definition };
      }),

    tasks: (campaignId) =>
      kysely
        .selectFrom('campaign_tasks')
        .select(['task_id as id', 'sha256'])
        .where('campaign_id', '=', campaignId)
        .execute(),
  };
}

interface TotalsRow extends TrialCounts {
  id: string;
  name: string;
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
  micro_usd: number;
  tokens: number;
  calls: number;
  repeated_calls: number;
  recovered_calls: number;
  implausible: number;
  over_micro_usd: number;
  over_tokens: number;
  over_requests: number;
  seconds: number;
  started: number;
}

async function totals(kysely: Kysely<Tables>, chosen: RawBuilder<unknown>): Promise<CampaignRow[]> {
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
    spend as (${spend(sql`select id from chosen`)})
    select c.id, c.name, c.suite, c.dataset_label, s.status, c.desired_state, c.epoch, c.server, c.code, ${STUCK} as stuck, c.created_at,
      c.ended_at, c.revises, array(select r.id from campaigns r where r.revises = c.id order by r.created_at, r.id) as revised_by,
      coalesce(n.planned, 0) as planned, coalesce(n.done, 0) as done, coalesce(n.passed, 0) as passed,
      coalesce(n.failed, 0) as failed, coalesce(n.errored, 0) as errored, coalesce(n.not_run, 0) as not_run,
      coalesce(p.micro_usd, 0) as micro_usd, coalesce(p.tokens, 0) as tokens, coalesce(p.calls, 0) as calls,
      coalesce(p.repeated_calls, 0) as repeated_calls, coalesce(p.recovered_calls, 0) as recovered_calls,
      coalesce(p.implausible, 0) as implausible,
      coalesce(p.over_micro_usd, 0) as over_micro_usd,
      coalesce(p.over_tokens, 0) as over_tokens, coalesce(p.over_requests, 0) as over_requests,
      coalesce(n.started, 0) as started,
      c.ran_seconds + coalesce(extract(epoch from clock_timestamp() - c.running_since), 0)::float8 as seconds
    from chosen join campaigns c on c.id = chosen.id join campaign_status s on s.id = c.id
    left join counts n on n.campaign_id = c.id
    left join spend p on p.campaign_id = c.id
    order by c.created_at desc, c.id`.execute(kysely);
  return rows.map(toCampaignRow);
}

/** A settled send costs what the provider said, an ambiguous one its estimate, a released or open one nothing. */
function spend(campaignIds: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select coalesce(charged.campaign_id, asked.campaign_id) as campaign_id, charged.micro_usd, charged.tokens,
      charged.over_micro_usd, charged.over_tokens, charged.over_requests, charged.recovered_calls, charged.implausible, asked.calls, asked.repeated_calls
    from (
      select c.campaign_id, sum(s.actual_micro_usd)::bigint as micro_usd, sum(s.actual_tokens)::bigint as tokens,
        sum(greatest(s.actual_micro_usd - s.estimate_micro_usd, 0))::bigint as over_micro_usd,
        sum(greatest(s.actual_tokens - s.estimate_tokens, 0))::bigint as over_tokens,
        count(*) filter (where s.is_recovered) as recovered_calls,
        count(*) filter (where s.usage_claim is not null) as implausible,
        count(*) filter (where s.actual_micro_usd > s.estimate_micro_usd or s.actual_tokens > s.estimate_tokens)
          as over_requests
      from sends s join calls c on c.key = s.key
      where c.campaign_id in (${campaignIds}) and s.state in ('settled', 'ambiguous') group by c.campaign_id) charged
    full join (
      select c.campaign_id, count(*) filter (where c.state = 'answered') as calls, count(r.key) as repeated_calls
      from calls c
      left join (${repeatedCallKeys()}) r on r.key = c.key
      where c.campaign_id in (${campaignIds}) group by c.campaign_id) asked on asked.campaign_id = charged.campaign_id`;
}

function toCampaignRow(row: TotalsRow): CampaignRow {
  const { planned, done, passed, failed, errored, not_run } = row;
  return {
    id: row.id,
    name: row.name,
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
    spend: {
      ...{ microUsd: row.micro_usd, tokens: row.tokens, calls: row.calls, repeatedCalls: row.repeated_calls },
      recoveredCalls: row.recovered_calls,
      implausible: row.implausible,
      overshoot: { microUsd: row.over_micro_usd, tokens: row.over_tokens, requests: row.over_requests },
    },
    work: { seconds: row.seconds, trials: row.started },
  };
}
