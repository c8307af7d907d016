import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/**
 * Sums of a campaign's calls, kept once it has ended (decision 0090). Every campaign's budget counts the changes of what
 * they are summed from; kept sums are those of the count that stands beside them.
 */
export const keptSumsMigration: Migration = {
  version: 28,
  name: '028-kept-sums',
  async up(transaction) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(transaction);
  },
};

const KEPT = `
  -- Raised with whatever changes a sum of the account's calls and sends, in the same transaction.
  alter table budgets add column changes bigint not null default 0;

  create table kept_sums (
    campaign_id text primary key references campaigns on delete cascade,
    -- What budgets.changes was: while it is, the sums are these.
    changes bigint not null,
    -- Hash of the queries that summed: another Durabench may sum otherwise.
    queries text not null,
    calls json not null,
    repeated_calls bigint not null,
    -- Of each trial that asked, side by side.
    trial_ids text[],
    micro_usd bigint[],
    tokens bigint[],
    reused_calls bigint[]
  );`;

/** As of 012, which counts the change as well. */
const MOVE = `
  create or replace function move_money(budget text, freed_usd bigint, freed_tok bigint, more_usd bigint, more_tok bigint)
  returns void language sql volatile as $$
    update budgets set
      reserved_micro_usd = reserved_micro_usd - freed_usd,
      reserved_tokens = reserved_tokens - freed_tok,
      settled_micro_usd = settled_micro_usd + more_usd,
      settled_tokens = settled_tokens + more_tok,
      changes = changes + 1
    where scope = budget
  $$;`;

/** As of 012; an answer that moves no money is a change as well. */
const END_SEND = `
  create or replace function end_send(send_key text, send_attempt integer, new_state text, usd bigint, tok bigint,
    is_reported boolean, request_id text, why text, answer jsonb)
  returns table (standing jsonb) language plpgsql volatile as $$
  declare
    old sends%rowtype;
    budget text;
    counted text[];
    share integer := case new_state when 'released' then 0 else 1 end;
  begin
    if answer is not null then
      update calls set state = 'answered', response_ref = coalesce(response_ref, answer),
        answered_at = coalesce(answered_at, now())
      where key = send_key returning response_ref into standing;
    end if;
    select s.* into old from sends s where s.key = send_key and s.attempt = send_attempt for update;
    select budgets_of(c) into counted from calls c where c.key = send_key;
    if old.state in ('reserved', 'sent') or (new_state = 'settled' and old.state in ('ambiguous', 'released')) then
      usd := coalesce(usd, old.estimate_micro_usd * share);
      tok := coalesce(tok, old.estimate_tokens * share);
      update sends set state = new_state, actual_micro_usd = usd, actual_tokens = tok, usage_reported = is_reported,
        provider_request_id = request_id, reason = why, ended_at = now()
      where key = send_key and attempt = send_attempt;
      foreach budget in array counted loop
        perform move_money(budget,
          case when old.actual_micro_usd is null then old.estimate_micro_usd else 0 end,
          case when old.actual_tokens is null then old.estimate_tokens else 0 end,
          usd - coalesce(old.actual_micro_usd, 0), tok - coalesce(old.actual_tokens, 0));
      end loop;
    elsif standing is not null then
      foreach budget in array counted loop
        perform move_money(budget, 0, 0, 0, 0);
      end loop;
    end if;
    return next;
  end $$;`;

const WITHOUT_MONEY = `
  -- Calls that were answered with what another campaign got, or whose answer served again: no send of theirs moves money.
  create function count_change() returns trigger language plpgsql as $$
  begin
    update budgets set changes = changes + 1 where scope = 'campaign:' || new.campaign_id;
    return null;
  end $$;
  create trigger calls_change after insert or update on calls
    for each row when (new.reused_from is not null or new.is_replayed) execute function count_change();`;

const STATEMENTS = [KEPT, MOVE, END_SEND, WITHOUT_MONEY];
