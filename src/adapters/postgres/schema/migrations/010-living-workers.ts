import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/**
 * Who lives, said once. While the database was away nobody could renew a lease: until everybody had the time to, a lease
 * that ran out says nothing. Else the first worker to come back would take the others for dead, and send what they wait for.
 */
export const livingWorkersMigration: Migration = {
  version: 10,
  name: '010-living-workers',
  async up(transaction) {
    for (const statement of [IS_LIVING, END_ABANDONED]) await sql.raw(statement).execute(transaction);
  },
};

const IS_LIVING = `
  -- A lease is 30 s (adapters/postgres/leases.ts). A worker that is known to have ended is retired, and waits for nothing.
  create function is_living(worker workers) returns boolean language sql stable as $$
    select worker.retired_at is null
      and now() < greatest(worker.lease_until, pg_postmaster_start_time() + interval '30 seconds')
  $$;`;

const END_ABANDONED = `
  -- As in 004-ledger-steps, by is_living.
  create or replace function end_abandoned_sends(of_key text, of_campaign text, by_worker text)
  returns void language plpgsql volatile
  -- Its plan is kept by the connection, maybe from when the tables were empty.
  set enable_seqscan = off as $$
  declare moved record;
  begin
    for moved in with old as (
      select s.* from sends s
      where s.state in ('reserved', 'sent') and (of_key is null or s.key = of_key)
        and (of_campaign is null or exists (select from calls c where c.key = s.key and c.campaign_id = of_campaign))
        and (s.worker is not distinct from by_worker or not exists (
          select from workers w where w.instance = s.worker and is_living(w)))
      order by s.key for update skip locked
    ), ended as (
      update sends set
        state = case old.state when 'sent' then 'ambiguous' else 'released' end,
        actual_micro_usd = case old.state when 'sent' then old.estimate_micro_usd else 0 end,
        actual_tokens = case old.state when 'sent' then old.estimate_tokens else 0 end,
        usage_reported = false,
        reason = 'the worker ended before the answer came',
        ended_at = now()
      from old where sends.key = old.key and sends.attempt = old.attempt
      returning sends.*
    )
    select scope, sum(estimate_micro_usd)::bigint as freed_usd, sum(estimate_tokens)::bigint as freed_tok,
      sum(actual_micro_usd)::bigint as more_usd, sum(actual_tokens)::bigint as more_tok
    from ended join calls c on c.key = ended.key cross join lateral unnest(budgets_of(c)) as scope
    group by scope order by budget_width(scope), scope
    loop
      perform move_money(moved.scope, moved.freed_usd, moved.freed_tok, moved.more_usd, moved.more_tok);
    end loop;
  end $$;`;
