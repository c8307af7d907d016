import { sql } from '../query-builder.js';
import type { Pacing } from '../../../ports/pacing.js';
import type { Database } from '../schema/database.js';
import { withDatabaseFailures } from '../schema/database-failure.js';

/** The pace of all workers of an installation, one row a provider key, by the database's clock. */
export function createPacing({ kysely }: Database): Pacing {
  return withDatabaseFailures<Pacing>({
    async waitMs(provider) {
      const { rows } = await sql<{ wait_ms: number; reason: string }>`
        select ceil(extract(epoch from not_before - clock_timestamp()) * 1000)::integer as wait_ms, reason
        from pacing where provider = ${provider} and not_before > clock_timestamp()`.execute(kysely);
      return { waitMs: rows[0]?.wait_ms ?? 0, reason: rows[0]?.reason ?? '' };
    },
    async hold({ provider, holdMs, reason, worker }) {
      await sql`
        insert into pacing (provider, not_before, reason, worker)
        values (${provider}, clock_timestamp() + make_interval(secs => ${holdMs / 1000}), ${reason}, ${worker})
        on conflict (provider) do update set not_before = excluded.not_before, reason = excluded.reason,
          worker = excluded.worker, set_at = now()
        where pacing.not_before < excluded.not_before`.execute(kysely);
    },
  });
}
