import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/**
 * Answers of other campaigns. Every call keeps what was asked, whoever asked it (`question`); one that was answered from
 * another campaign's record has no send: it names the call whose answer it took and what sending it would have cost.
 */
export const reusedAnswersMigration: Migration = {
  version: 26,
  name: '026-reused-answers',
  async up(transaction) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(transaction);
  },
};

const CALLS = `
  alter table calls
    -- Hash of what was asked, without who asked; null for calls of before, of builds, and for fresh samples.
    add column question text,
    -- The call that was sent for the answer. No reference: that campaign may be deleted.
    add column reused_from text,
    add column saved_micro_usd bigint,
    add column saved_tokens bigint,
    add constraint calls_reused check (num_nonnulls(reused_from, saved_micro_usd, saved_tokens) in (0, 3)),
    add constraint calls_reused_answered check (reused_from is null or state = 'answered');
  -- Not by state: an update that touches no index stays cheap, and every call has one when it is answered.
  create index calls_question on calls (question) where question is not null;
  -- One answer is one sample: a campaign takes it once, however many of its trials ask for it at once.
  create unique index calls_reused on calls (campaign_id, reused_from) where reused_from is not null;`;

/** `reserve_send` of migration 021, which now keeps the question. */
const RESERVE = `
  create or replace function reserve_send(call_key text, in_account text, in_epoch integer, call jsonb, in_budgets jsonb,
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
    insert into calls (key, campaign_id, build_id, owner_kind, owner_id, stage, step, purpose, model, request_ref, scopes,
      question)
    select call_key, case kind when 'campaign' then id end, case kind when 'build' then id end,
      call ->> 'ownerKind', call ->> 'ownerId', call ->> 'stage', call ->> 'step',
      call ->> 'purpose', call ->> 'model', call -> 'requestRef',
      array(select each ->> 'name' from jsonb_array_elements(in_budgets) as each), call ->> 'question'
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

const VIEW = `
  create or replace view call_results as
    select c.key as call_key, c.campaign_id, c.build_id, c.owner_kind, c.owner_id, c.stage, c.step, c.purpose, c.model,
      c.created_at, c.answered_at, c.is_replayed, count(s.key) as sends,
      coalesce(sum(s.actual_micro_usd), 0) / 1e6 as usd, coalesce(sum(s.actual_tokens), 0)::bigint as tokens,
      c.reused_from is not null as is_reused, coalesce(c.saved_micro_usd, 0) / 1e6 as saved_usd
    from calls c left join sends s on s.key = c.key and s.state in ('settled', 'ambiguous') group by c.key`;

const STATEMENTS = [CALLS, RESERVE, VIEW];
