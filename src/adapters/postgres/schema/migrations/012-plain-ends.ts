import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/** Ends of sends no longer tell whether a soft limit is reached: whoever admits looks for himself (`IS_OUT_OF_BUDGET`). */
export const plainEndsMigration: Migration = {
  version: 12,
  name: '012-plain-ends',
  async up(transaction) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(transaction);
  },
};

const DROP = `
  drop function end_send(text, integer, text, bigint, bigint, boolean, text, text, jsonb);
  drop function move_money(text, bigint, bigint, bigint, bigint);`;

const MOVE = `
  -- Moves money of ended sends in one row, if there is such a row.
  create function move_money(budget text, freed_usd bigint, freed_tok bigint, more_usd bigint, more_tok bigint)
  returns void language sql volatile as $$
    update budgets set
      reserved_micro_usd = reserved_micro_usd - freed_usd,
      reserved_tokens = reserved_tokens - freed_tok,
      settled_micro_usd = settled_micro_usd + more_usd,
      settled_tokens = settled_tokens + more_tok
    where scope = budget
  $$;`;

const END_SEND = `
  -- Ends a send and moves its money; with an answer, stores it first. Once: an open send ends in any state, an ended
  -- one only becomes settled when an answer came late after all; then the difference moves. Gives the answer that
  -- stands. No actual: nothing for a released send, the estimate for others.
  create function end_send(send_key text, send_attempt integer, new_state text, usd bigint, tok bigint,
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
    if old.state in ('reserved', 'sent') or (new_state = 'settled' and old.state in ('ambiguous', 'released')) then
      usd := coalesce(usd, old.estimate_micro_usd * share);
      tok := coalesce(tok, old.estimate_tokens * share);
      update sends set state = new_state, actual_micro_usd = usd, actual_tokens = tok, usage_reported = is_reported,
        provider_request_id = request_id, reason = why, ended_at = now()
      where key = send_key and attempt = send_attempt;
      select budgets_of(c) into counted from calls c where c.key = send_key;
      foreach budget in array counted loop
        perform move_money(budget,
          case when old.actual_micro_usd is null then old.estimate_micro_usd else 0 end,
          case when old.actual_tokens is null then old.estimate_tokens else 0 end,
          usd - coalesce(old.actual_micro_usd, 0), tok - coalesce(old.actual_tokens, 0));
      end loop;
    end if;
    return next;
  end $$;`;

const STATEMENTS = [DROP, MOVE, END_SEND];
