import { sql } from '../query-builder.js';
import type { Records } from '../../../ports/records.js';
import type { Database } from '../schema/database.js';

/** What an owner's sends come to, settled or counted at their estimate. */
export function ownerCost({ kysely }: Database): Pick<Records, 'ownerCost'> {
  return {
    async ownerCost({ kind, id }) {
      const { rows } = await sql<{ micro_usd: number; tokens: number }>`
        select coalesce(sum(coalesce(s.actual_micro_usd, s.estimate_micro_usd)), 0)::bigint as micro_usd,
          coalesce(sum(coalesce(s.actual_tokens, s.estimate_tokens)), 0)::bigint as tokens
        from calls c join sends s on s.key = c.key
        where c.owner_id = ${id} and c.owner_kind = ${kind} and s.state in ('settled', 'ambiguous')`.execute(kysely);
      return { microUsd: rows[0]?.micro_usd ?? 0, tokens: rows[0]?.tokens ?? 0 };
    },
  };
}
