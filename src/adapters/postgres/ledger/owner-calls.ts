import { sql } from '../query-builder.js';
import type { CallRow, Records } from '../../../ports/records.js';
import type { Database } from '../schema/database.js';
import { reading } from '../schema/reading.js';

/** Model calls of one owner with what was sent for each. */
export function ownerCalls({ kysely }: Database): Pick<Records, 'calls'> {
  return {
    calls: ({ kind, id }, { offset, limit }) =>
      reading(kysely, async (transaction) => {
        const own = sql`c.owner_kind = ${kind} and c.owner_id = ${id}`;
        const { rows: calls } = await sql<CallRow>`
          select c.key, c.stage, c.step, c.purpose, c.model, c.state, c.is_replayed as "isReplayed",
            case when c.reused_from is not null
              then jsonb_build_object('microUsd', c.saved_micro_usd, 'tokens', c.saved_tokens) end as saved,
            c.created_at as "askedAt", c.answered_at as "answeredAt", c.request_ref as request,
            c.response_ref as response, coalesce(s.sends, '[]'::jsonb) as sends,
            coalesce(s.micro_usd, 0)::bigint as "costMicroUsd", coalesce(s.tokens, 0)::bigint as tokens
          from calls c
          left join lateral (
            select jsonb_agg(jsonb_build_object('attempt', attempt, 'state', state,
                'estimateMicroUsd', estimate_micro_usd, 'actualMicroUsd', actual_micro_usd,
                'actualTokens', actual_tokens, 'reason', reason) order by attempt) as sends,
              sum(actual_micro_usd) filter (where state in ('settled', 'ambiguous')) as micro_usd,
              sum(actual_tokens) filter (where state in ('settled', 'ambiguous')) as tokens
            from sends where key = c.key) s on true
          where ${own} order by c.created_at, c.key offset ${offset} limit ${limit}`.execute(transaction);
        const { rows } = await sql<{ total: number }>`select count(*) as total from calls c where ${own}`.execute(
          transaction,
        );
        return { calls, total: rows[0]?.total ?? 0 };
      }),
  };
}
