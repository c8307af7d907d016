import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { CampaignStatus, DesiredState } from '../../contract/campaign.js';
import type { CampaignRow, Records } from '../../ports/records.js';
import type { Database } from './database.js';
import type { Tables } from './tables.js';
import { unknownCampaign } from './unknown-campaign.js';

/** Campaigns with their totals, which are sums over rows. */
export function campaignRows({ kysely }: Database): Pick<Records, 'listCampaigns' | 'campaign'> {
  return {
    listCampaigns: (limit) => totals(kysely, sql`select id from campaigns order by created_at desc, id limit ${limit}`),

    async campaign(campaignId) {
      const [row] = await totals(kysely, sql`select id from campaigns where id = ${campaignId}`);
      const definition = await kysely
        .selectFrom('campaigns')
        .select(['spec', 'lock'])
        .where('id', '=', campaignId)
        .executeTakeFirst();
      if (row === undefined || definition === undefined) throw unknownCampaign(campaignId);
      return { ...row, ...definition };
    },
  };
}

interface TotalsRow {
  id: string;
  name: string;
  suite: string;
  dataset_label: string;
  status: CampaignStatus;
  desired_state: DesiredState;
  epoch: number;
  created_at: string;
  ended_at: string | null;
  planned: number;
  done: number;
  passed: number;
  failed: number;
  errored: number;
  not_run: number;
  micro_usd: number;
  tokens: number;
  calls: number;
  repeated_calls: number;
}

async function totals(kysely: Kysely<Tables>, chosen: RawBuilder<unknown>): Promise<CampaignRow[]> {
  const { rows } = await sql<TotalsRow>`
    with chosen as materialized (${chosen}),
    counts as (
      select campaign_id, count(*) as planned, count(outcome) as done,
        count(*) filter (where outcome = 'passed') as passed, count(*) filter (where outcome = 'failed') as failed,
        count(*) filter (where outcome = 'errored') as errored, count(*) filter (where outcome = 'not_run') as not_run
      from trials where campaign_id in (select id from chosen) group by campaign_id),
    spend as (${spend(sql`select id from chosen`)})
    select c.id, c.name, c.suite, c.dataset_label, s.status, c.desired_state, c.epoch, c.created_at, c.ended_at,
      coalesce(n.planned, 0) as planned, coalesce(n.done, 0) as done, coalesce(n.passed, 0) as passed,
      coalesce(n.failed, 0) as failed, coalesce(n.errored, 0) as errored, coalesce(n.not_run, 0) as not_run,
      coalesce(p.micro_usd, 0) as micro_usd, coalesce(p.tokens, 0) as tokens, coalesce(p.calls, 0) as calls,
      coalesce(p.repeated_calls, 0) as repeated_calls
    from chosen join campaigns c on c.id = chosen.id join campaign_status s on s.id = c.id
    left join counts n on n.campaign_id = c.id
    left join spend p on p.campaign_id = c.id
    order by c.created_at desc, c.id`.execute(kysely);
  return rows.map(toCampaignRow);
}

/** A settled send costs what the provider said, an ambiguous one its estimate, a released or open one nothing. */
function spend(campaignIds: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select campaign_id, sum(micro_usd)::bigint as micro_usd, sum(tokens)::bigint as tokens,
      count(*) filter (where answered) as calls, count(*) filter (where sends > 1) as repeated_calls
    from (
      select c.key, c.campaign_id, c.state = 'answered' as answered,
        count(s.key) filter (where s.state <> 'released') as sends,
        coalesce(sum(coalesce(s.actual_micro_usd, s.estimate_micro_usd))
          filter (where s.state in ('settled', 'ambiguous')), 0) as micro_usd,
        coalesce(sum(coalesce(s.actual_tokens, s.estimate_tokens))
          filter (where s.state in ('settled', 'ambiguous')), 0) as tokens
      from calls c left join sends s on s.key = c.key
      where c.campaign_id in (${campaignIds}) group by c.key) per_call
    group by campaign_id`;
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
    createdAt: row.created_at,
    endedAt: row.ended_at,
    trials: { planned, done, passed, failed, errored, not_run },
    spend: { microUsd: row.micro_usd, tokens: row.tokens, calls: row.calls, repeatedCalls: row.repeated_calls },
  };
}
