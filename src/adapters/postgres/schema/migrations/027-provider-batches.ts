import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/**
 * Provider batches. A send of one belongs to no worker: it stays open while workers come and go, and ends with its batch.
 */
export const providerBatchesMigration: Migration = {
  version: 27,
  name: '027-provider-batches',
  async up(transaction) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(transaction);
  },
};

const BATCHES = `
  -- Requests of a campaign to one model that go to its provider as one file.
  create table provider_batches (
    id text primary key,
    campaign_id text not null references campaigns on delete cascade,
    -- Key into the campaign's models.
    model text not null,
    -- Where it is and at what share of the price: settings of the model may change meanwhile.
    base_url text not null,
    price_factor float8 not null,
    -- What the provider calls it; null until it is known to be there.
    provider_id text,
    -- Who deals with it now, as long as its lease lasts.
    worker text,
    due_at timestamptz not null default now(),
    -- Replies there are, as the provider last said.
    answered integer not null default 0,
    -- Why the last look came to nothing.
    problem text,
    formed_at timestamptz not null default now(),
    -- The last try to create it; null before the first.
    tried_at timestamptz,
    looked_at timestamptz,
    ended_at timestamptz
  );
  create index provider_batches_campaign on provider_batches (campaign_id);
  create index provider_batches_open on provider_batches (due_at) where ended_at is null;`;

const SENDS = `
  alter table sends
    add column is_batched boolean not null default false,
    add column batch_id text references provider_batches on delete cascade,
    -- What the batch brought in the place of an answer, and which run of the call's owner was told of it.
    add column refusal jsonb,
    add column told_run integer;
  create index sends_batch on sends (batch_id) where batch_id is not null;
  create index sends_unbatched on sends (reserved_at) where is_batched and batch_id is null and state = 'reserved';`;

/** `end_abandoned_sends` of migration 021, which now leaves alone what waits for a provider batch. */
const END_ABANDONED = `
  create or replace function end_abandoned_sends(of_key text, of_account text, by_worker text)
  returns void language plpgsql volatile
  -- Its plan is kept by the connection, maybe from when the tables were empty.
  set enable_seqscan = off as $$
  declare moved record;
  begin
    for moved in with old as (
      select s.* from sends s
      where s.state in ('reserved', 'sent') and not s.is_batched and (of_key is null or s.key = of_key)
        and (of_account is null
          or exists (select from calls c where c.key = s.key and of_account in (c.campaign_id, c.build_id)))
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

const STATEMENTS = [BATCHES, SENDS, END_ABANDONED];
