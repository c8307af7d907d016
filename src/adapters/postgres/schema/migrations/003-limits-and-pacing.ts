import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/** Limits of systems beside those of the operator, soft limits, and the pace that workers share. */
export const limitsAndPacingMigration: Migration = {
  version: 3,
  name: '003-limits-and-pacing',
  async up(transaction) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(transaction);
  },
};

const SCOPES = `
  -- Budgets a call counts in, narrow to wide, without the installation's, in which all count. Null in calls older than
  -- this column: those count in their campaign's.
  alter table calls add column scopes text[];

  alter table budgets
    -- Reaching one of these stops admissions; what runs goes on to the limit itself.
    add column soft_micro_usd bigint,
    add column soft_tokens bigint;`;

const WIDTH = `
  -- Everybody locks budget rows narrow to wide: the row all callers want is held shortest, and nothing deadlocks.
  create function budget_width(scope text) returns integer language sql immutable as $$
    select case split_part(scope, ':', 1)
      when 'trial' then 1 when 'generation' then 2 when 'system' then 3 when 'campaign' then 4 else 5 end
  $$;`;

const MOVE = `
  -- Moves money of ended sends in one row, if there is such a row; true when its soft limit is reached.
  create function move_money(budget text, freed_usd bigint, freed_tok bigint, more_usd bigint, more_tok bigint)
  returns boolean language plpgsql volatile as $$
  declare is_soft_reached boolean;
  begin
    update budgets set
      reserved_micro_usd = reserved_micro_usd - freed_usd,
      reserved_tokens = reserved_tokens - freed_tok,
      settled_micro_usd = settled_micro_usd + more_usd,
      settled_tokens = settled_tokens + more_tok
    where scope = budget
    returning coalesce(settled_micro_usd >= soft_micro_usd, false) or coalesce(settled_tokens >= soft_tokens, false)
      into is_soft_reached;
    return is_soft_reached;
  end $$;`;

const PACING = `
  -- One row a provider key (endpoint and the name of the key's variable): nobody sends to it before not_before.
  create table pacing (
    provider text primary key,
    not_before timestamptz not null,
    reason text not null,
    worker text not null,
    set_at timestamptz not null default now()
  ) with (fillfactor = 20);`;

const STATEMENTS = [SCOPES, WIDTH, MOVE, PACING];
