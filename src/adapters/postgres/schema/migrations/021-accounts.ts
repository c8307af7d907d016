import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/**
 * Calls belong to accounts: of a campaign, or of a dataset build, which has no campaign. Builds that ask a model had a
 * campaign without trials, which held what they paid. Each becomes the account of its dataset version, with its calls, its
 * money, its limit and its events; where a version had several (at other prices), they become one. Answers are found again
 * under the keys that builds ask by now, so that none is paid a second time.
 */
export const accountsMigration: Migration = {
  version: 21,
  name: '021-accounts',
  async up(transaction) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(transaction);
  },
};

const BUILDS = `
  -- The account of the builds of one dataset version: what its model is and costs, and what it may cost.
  create table build_accounts (
    id text primary key,
    suite text not null,
    version text not null,
    model jsonb not null,
    -- { usd, tokens }; a null limit is none.
    budget jsonb not null,
    epoch integer not null default 0,
    created_at timestamptz not null default now(),
    opened_at timestamptz
  );

  -- Ids of builds hold an @, which those of campaigns cannot: an id alone says which account is meant.
  create view accounts as
    select 'campaign' as kind, id, epoch, spec -> 'budget' as budget from campaigns
    union all select 'build', id, epoch, budget from build_accounts;

  alter table events add column build_id text references build_accounts on delete cascade;
  create index events_build on events (build_id, id) where build_id is not null;`;

const CALLS = `
  alter table calls
    alter column campaign_id drop not null,
    add column build_id text references build_accounts on delete cascade,
    add constraint calls_account check (num_nonnulls(campaign_id, build_id) = 1),
    drop constraint calls_owner_kind_check,
    add constraint calls_owner_kind_check check (owner_kind in ('trial', 'generation', 'build'));
  create index calls_build on calls (build_id) where build_id is not null;`;

const DROP = `
  drop function reserve_send(text, text, integer, jsonb, jsonb, bigint, bigint, text);
  drop function reserve_in(jsonb, text, bigint, bigint);
  drop function open_budget(jsonb, text);
  drop function end_abandoned_sends(text, text, text);`;

const WIDTH = `
  create or replace function budget_width(scope text) returns integer language sql immutable as $$
    select case split_part(scope, ':', 1)
      when 'trial' then 1 when 'generation' then 2 when 'system' then 3
      when 'campaign' then 4 when 'build' then 4 else 5 end
  $$;`;

const OPEN_BUDGET = `
  -- Opens a budget's row; false where it has none by right. An account's is opened limit or not, so a limit set later
  -- only has to be written; a system's own with its limit, which never changes; the installation's only by the operator.
  create function open_budget(budget_of jsonb, in_account text) returns boolean language plpgsql volatile as $$
  begin
    if budget_of ->> 'scope' = 'installation' then
      return false;
    elsif budget_of ->> 'scope' in ('campaign', 'build') then
      insert into budgets (scope, limit_micro_usd, limit_tokens, soft_micro_usd, soft_tokens)
      select budget_of ->> 'name', usd, tokens, floor(usd * soft), floor(tokens * soft)
      from (select round((budget ->> 'usd')::numeric * 1000000) as usd, (budget ->> 'tokens')::numeric as tokens,
          (budget ->> 'soft')::numeric as soft
        from accounts where kind = budget_of ->> 'scope' and id = in_account) as written
      on conflict (scope) do nothing;
    else
      insert into budgets (scope, limit_micro_usd, limit_tokens)
      values (budget_of ->> 'name', (budget_of ->> 'microUsd')::bigint, (budget_of ->> 'tokens')::bigint)
      on conflict (scope) do nothing;
    end if;
    return true;
  end $$;`;

const RESERVE_IN = `
  -- Reserves in one budget: 'reserved', or why not.
  create function reserve_in(budget jsonb, in_account text, usd bigint, tok bigint)
  returns text language plpgsql volatile as $$
  declare answer text;
  begin
    -- A row may be opened, or money come back, between two looks: then it is tried again, but not for ever.
    for tries in 1..4 loop
      update budgets set reserved_micro_usd = reserved_micro_usd + usd, reserved_tokens = reserved_tokens + tok
      where scope = budget ->> 'name'
        and (limit_micro_usd is null or settled_micro_usd + reserved_micro_usd + usd <= limit_micro_usd)
        and (limit_tokens is null or settled_tokens + reserved_tokens + tok <= limit_tokens);
      if found then
        return 'reserved';
      end if;
      answer := budget_state(budget, usd, tok);
      if answer <> 'room' then
        return answer;
      elsif not exists (select from budgets where scope = budget ->> 'name') then
        if not open_budget(budget, in_account) then
          return 'reserved';
        end if;
      end if;
    end loop;
    return 'contended';
  end $$;`;

const RESERVE = `
  -- The reserve transaction: call, send, then the budgets in the order given, which is narrow to wide. Refused, it
  -- leaves nothing behind.
  create function reserve_send(call_key text, in_account text, in_epoch integer, call jsonb, in_budgets jsonb,
    usd bigint, tok bigint, by_worker text)
  returns table (status text, scope text, attempt integer) language plpgsql volatile as $$
  declare
    -- Workers of before there were accounts name none but campaigns.
    account_kind text := coalesce(call ->> 'accountKind', 'campaign');
    known text;
    budget jsonb;
  begin
    -- Its commit does not wait for the disk: marking the send does, which flushes all that was written before it, and
    -- comes before the request goes out.
    perform set_config('synchronous_commit', 'off', true);
    -- A look without locks first: near the limit most callers wait for money, and need not write to find none.
    for budget in select each from jsonb_array_elements(in_budgets) as each loop
      status := budget_state(budget, usd, tok);
      scope := budget ->> 'scope';
      if status <> 'room'
        and exists (select from accounts a where a.kind = account_kind and a.id = in_account and a.epoch = in_epoch)
        and not exists (select from calls c where c.key = call_key and c.state = 'answered') then
        raise exception sqlstate 'DL001';
      end if;
    end loop;
    insert into calls (key, campaign_id, build_id, owner_kind, owner_id, stage, step, purpose, model, request_ref, scopes)
    select call_key, case kind when 'campaign' then id end, case kind when 'build' then id end,
      call ->> 'ownerKind', call ->> 'ownerId', call ->> 'stage', call ->> 'step',
      call ->> 'purpose', call ->> 'model', call -> 'requestRef',
      array(select each ->> 'name' from jsonb_array_elements(in_budgets) as each)
    from accounts where kind = account_kind and id = in_account and epoch = in_epoch
    on conflict (key) do update set state = calls.state
    returning calls.state into known;
    if known is null then
      return query select 'superseded', null::text, null::integer;
      return;
    end if;
    insert into sends (key, attempt, estimate_micro_usd, estimate_tokens, worker)
    select call_key, coalesce(max(s.attempt), 0) + 1, usd, tok, by_worker from sends s where s.key = call_key
    having known <> 'answered' and count(*) filter (where s.state in ('reserved', 'sent')) = 0
    returning sends.attempt into attempt;
    if attempt is null then
      return query select 'in-flight', null::text, null::integer;
      return;
    end if;
    -- Whoever opens the installation's row locks sends: a look after the insert cannot miss it.
    for budget in
      select each from jsonb_array_elements(in_budgets) as each
      union all select '{"scope": "installation", "name": "installation"}'
      where exists (select from budgets b where b.scope = 'installation')
    loop
      status := reserve_in(budget, in_account, usd, tok);
      scope := budget ->> 'scope';
      if status <> 'reserved' then
        raise exception sqlstate 'DL001';
      end if;
    end loop;
    scope := null;
    return next;
  exception when sqlstate 'DL001' then
    attempt := null;
    if status = 'contended' then
      -- What dead workers still hold would make everybody wait for a settle that never comes.
      perform end_abandoned_sends(null, case when scope <> 'installation' then in_account end, null);
    elsif account_kind = 'campaign' and scope in ('campaign', 'installation') then
      -- The operator's limit: from here on, claims answer stop. A build has none: its step fails.
      update campaigns set budget_exhausted_at = now()
      where id = in_account and epoch = in_epoch and budget_exhausted_at is null;
    end if;
    return next;
  end $$;`;

const END_ABANDONED = `
  -- Ends what dead workers left of a call, of an account or (both null) everywhere: never sent -> released, sent ->
  -- ambiguous, settled at its estimate. With by_worker, what that worker itself left open counts as abandoned too.
  create function end_abandoned_sends(of_key text, of_account text, by_worker text)
  returns void language plpgsql volatile
  -- Its plan is kept by the connection, maybe from when the tables were empty.
  set enable_seqscan = off as $$
  declare moved record;
  begin
    for moved in with old as (
      select s.* from sends s
      where s.state in ('reserved', 'sent') and (of_key is null or s.key = of_key)
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

const MOVED = `
  create temporary table moved_campaigns on commit drop as
    select id, left(dataset_label, -length(' descriptions')) as account, suite,
      spec -> 'models' -> (spec #>> '{systems,0,model}') as model,
      jsonb_build_object('usd', spec #> '{budget,usd}', 'tokens', spec #> '{budget,tokens}') as budget,
      epoch, created_at, opened_at
    from campaigns c
    where spec #>> '{systems,0,id}' = 'descriptions' and jsonb_array_length(spec -> 'systems') = 1
      and dataset_label like suite || '@% descriptions'
      and not exists (select from trials t where t.campaign_id = c.id);`;

const MOVED_ACCOUNTS = `
  -- Model and limit of the newest; an epoch that none of them had later.
  insert into build_accounts (id, suite, version, model, budget, epoch, created_at, opened_at)
  select distinct on (account) account, suite, substr(account, length(suite) + 2), model, budget,
    max(epoch) over same, min(created_at) over same, min(opened_at) over same
  from moved_campaigns
  window same as (partition by account)
  order by account, created_at desc, id desc;`;

const MOVED_CALLS = `
  create temporary table moved_calls on commit drop as
    select call.*, case when rank = 1 then wanted else wanted || '|' || campaign end as new_key
    from (
      select *, row_number() over (partition by wanted order by is_answered desc, created_at desc, key) as rank
      from (
        select c.key, c.campaign_id as campaign, m.account, c.created_at, c.response_ref is not null as is_answered,
          owner.id as owner_id,
          case when starts_with(c.key, 'generation|' || c.owner_id || '|')
            then 'build|' || owner.id || substr(c.key, length('generation|' || c.owner_id) + 1)
            else c.key end as wanted
        from calls c join moved_campaigns m on m.id = c.campaign_id
        -- <campaign>/descriptions/<project>/1
        cross join lateral (
          select m.account || '/' || split_part(substr(c.owner_id, length(m.id) + 2), '/', 2) as id) owner) named) call;

  -- Sends belong to the key of their call: the call is written again under the new one before the old one goes.
  insert into calls (key, build_id, owner_kind, owner_id, stage, step, purpose, model, request_ref, response_ref, state,
    created_at, answered_at, scopes)
  select m.new_key, m.account, 'build', m.owner_id, c.stage, c.step, c.purpose, c.model, c.request_ref, c.response_ref,
    c.state, c.created_at, c.answered_at,
    array_replace(coalesce(c.scopes, array['campaign:' || m.campaign]), 'campaign:' || m.campaign, 'build:' || m.account)
  from calls c join moved_calls m on m.key = c.key;
  update sends s set key = m.new_key from moved_calls m where s.key = m.key;
  delete from calls c using moved_calls m where c.key = m.key;`;

const MOVED_BUDGETS = `
  insert into budgets (scope, limit_micro_usd, limit_tokens, reserved_micro_usd, reserved_tokens, settled_micro_usd, settled_tokens)
  select 'build:' || a.id, round((a.budget ->> 'usd')::numeric * 1000000), (a.budget ->> 'tokens')::numeric,
    sum(b.reserved_micro_usd), sum(b.reserved_tokens), sum(b.settled_micro_usd), sum(b.settled_tokens)
  from build_accounts a join moved_campaigns m on m.account = a.id join budgets b on b.scope = 'campaign:' || m.id
  group by a.id, a.budget;
  delete from budgets b using moved_campaigns m where b.scope = 'campaign:' || m.id;`;

const MOVED_REST = `
  update events e set campaign_id = null, build_id = m.account from moved_campaigns m where e.campaign_id = m.id;
  delete from campaigns c using moved_campaigns m where c.id = m.id;`;

const STATEMENTS = [
  ...[BUILDS, CALLS, DROP, WIDTH, OPEN_BUDGET, RESERVE_IN, RESERVE, END_ABANDONED],
  ...[MOVED, MOVED_ACCOUNTS, MOVED_CALLS, MOVED_BUDGETS, MOVED_REST],
];
