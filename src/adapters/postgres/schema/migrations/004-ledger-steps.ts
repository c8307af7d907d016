import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/**
 * Reserving and ending sends as functions of the database, one statement each. The row that all callers want is never
 * held across a round trip to a client: with one, a database 2 ms away would admit 300 calls a second, whatever the
 * number of callers.
 */
export const ledgerStepsMigration: Migration = {
  version: 4,
  name: '004-ledger-steps',
  async up(transaction) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(transaction);
  },
};

const OPEN_BUDGET = `
  -- Opens a budget's row; false where it has none by right. A campaign's is opened limit or not, so a limit set later
  -- only has to be written; a system's own with its limit, which never changes; the installation's only by the operator.
  create function open_budget(budget jsonb, in_campaign text) returns boolean language plpgsql volatile as $$
  begin
    if budget ->> 'scope' = 'installation' then
      return false;
    elsif budget ->> 'scope' = 'campaign' then
      insert into budgets (scope, limit_micro_usd, limit_tokens, soft_micro_usd, soft_tokens)
      select budget ->> 'name', usd, tokens, floor(usd * soft), floor(tokens * soft)
      from (select round((spec #>> '{budget,usd}')::numeric * 1000000) as usd,
          (spec #>> '{budget,tokens}')::numeric as tokens, (spec #>> '{budget,soft}')::numeric as soft
        from campaigns where id = in_campaign) as written
      on conflict (scope) do nothing;
    else
      insert into budgets (scope, limit_micro_usd, limit_tokens)
      values (budget ->> 'name', (budget ->> 'microUsd')::bigint, (budget ->> 'tokens')::bigint)
      on conflict (scope) do nothing;
    end if;
    return true;
  end $$;`;

const BUDGET_STATE = `
  -- Whether a budget has room, 'room' also where it has no row. What is settled decides: what is only reserved may come
  -- back.
  create function budget_state(budget jsonb, usd bigint, tok bigint) returns text language sql stable as $$
    select coalesce((select case
      when settled_micro_usd + usd > limit_micro_usd or settled_tokens + tok > limit_tokens then 'exhausted'
      when settled_micro_usd + reserved_micro_usd + usd > limit_micro_usd
        or settled_tokens + reserved_tokens + tok > limit_tokens then 'contended'
      end from budgets where scope = budget ->> 'name'), 'room')
  $$;`;

const RESERVE_IN = `
  -- Reserves in one budget: 'reserved', or why not.
  create function reserve_in(budget jsonb, in_campaign text, usd bigint, tok bigint)
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
        if not open_budget(budget, in_campaign) then
          return 'reserved';
        end if;
      end if;
    end loop;
    return 'contended';
  end $$;`;

const RESERVE = `
  -- The reserve transaction: call, send, then the budgets in the order given, which is narrow to wide. Refused, it
  -- leaves nothing behind.
  create function reserve_send(call_key text, in_campaign text, in_epoch integer, call jsonb, in_budgets jsonb,
    usd bigint, tok bigint, by_worker text)
  returns table (status text, scope text, attempt integer) language plpgsql volatile as $$
  declare
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
      if status <> 'room' and exists (select from campaigns c where c.id = in_campaign and c.epoch = in_epoch)
        and not exists (select from calls c where c.key = call_key and c.state = 'answered') then
        raise exception sqlstate 'DL001';
      end if;
    end loop;
    insert into calls (key, campaign_id, owner_kind, owner_id, stage, step, purpose, model, request_ref, scopes)
    select call_key, id, call ->> 'ownerKind', call ->> 'ownerId', call ->> 'stage', call ->> 'step',
      call ->> 'purpose', call ->> 'model', call -> 'requestRef',
      array(select each ->> 'name' from jsonb_array_elements(in_budgets) as each)
    from campaigns where id = in_campaign and epoch = in_epoch
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
      status := reserve_in(budget, in_campaign, usd, tok);
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
      perform end_abandoned_sends(null, case when scope <> 'installation' then in_campaign end, null);
    elsif scope in ('campaign', 'installation') then
      -- The operator's limit: from here on, claims answer stop.
      update campaigns set budget_exhausted_at = now()
      where id = in_campaign and epoch = in_epoch and budget_exhausted_at is null;
    end if;
    return next;
  end $$;`;

const END_SEND = `
  -- Ends a send and moves its money; with an answer, stores it first. Once: an open send ends in any state, an ended
  -- one only becomes settled when an answer came late after all; then the difference moves. Gives the answer that
  -- stands, and whether a soft limit is reached. No actual: nothing for a released send, the estimate for others.
  create function end_send(send_key text, send_attempt integer, new_state text, usd bigint, tok bigint,
    is_reported boolean, request_id text, why text, answer jsonb)
  returns table (standing jsonb, soft boolean) language plpgsql volatile as $$
  declare
    old sends%rowtype;
    budget text;
    counted text[];
    share integer := case new_state when 'released' then 0 else 1 end;
  begin
    soft := false;
    if answer is not null then
      update calls set state = 'answered', response_ref = coalesce(response_ref, answer),
        answered_at = coalesce(answered_at, now())
      where key = send_key returning response_ref into standing;
    end if;
    select s.* into old from sends s where s.key = send_key and s.attempt = send_attempt for update;
    if old.state in ('reserved', 'sent') or (new_state = 'settled' and old.state in ('ambiguous', 'released')) then
      usd := coalesce(usd, old.estimate_micro_usd * share);
      tok := coalesce(tok, old.estimate_tokens * share);
      update sends set state = new_state, actual_micro_usd = usd, actual_tokens = tok, usage_reported = is_reported,
        provider_request_id = request_id, reason = why, ended_at = now()
      where key = send_key and attempt = send_attempt;
      select budgets_of(c) into counted from calls c where c.key = send_key;
      foreach budget in array counted loop
        soft := coalesce(move_money(budget,
          case when old.actual_micro_usd is null then old.estimate_micro_usd else 0 end,
          case when old.actual_tokens is null then old.estimate_tokens else 0 end,
          usd - coalesce(old.actual_micro_usd, 0), tok - coalesce(old.actual_tokens, 0)), false) or soft;
      end loop;
    end if;
    return next;
  end $$;`;

const BUDGETS_OF = `
  -- The budgets a call counts in, narrow to wide.
  create function budgets_of(call calls) returns text[] language sql immutable as $$
    select coalesce(call.scopes, array['campaign:' || call.campaign_id]) || array['installation']
  $$;`;

const END_ABANDONED = `
  -- Ends what dead workers left of a call, of a campaign or (both null) everywhere: never sent -> released, sent ->
  -- ambiguous, settled at its estimate. With by_worker, what that worker itself left open counts as abandoned too.
  create function end_abandoned_sends(of_key text, of_campaign text, by_worker text)
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
          select from workers w where w.instance = s.worker and w.retired_at is null and w.lease_until > now()))
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

const STATEMENTS = [BUDGETS_OF, END_SEND, END_ABANDONED, OPEN_BUDGET, BUDGET_STATE, RESERVE_IN, RESERVE];
