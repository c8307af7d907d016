import { sql } from '../query-builder.js';
import type { WorkerLimits } from '../../../contract/worker-limits.js';
import type { Leases } from '../../../ports/leases.js';
import type { Database } from '../schema/database.js';

// Three beats (one every 10 s): a worker that misses two is still alive, one that misses three is dead.
const LEASE_SECONDS = 30;

/** Leases of worker instances and their uses of content, by the database's clock. */
export function leases({ kysely }: Database): Leases {
  return {
    async installation() {
      const { id } = await kysely.selectFrom('installation').select('id').executeTakeFirstOrThrow();
      return id;
    },
    async beatWorker({ instance, host, pid, server = null, code = null, limits }) {
      await sql`
        insert into workers (instance, host, pid, server, code, limits, lease_until)
        values (${instance}, ${host}, ${pid}, ${server}, ${code},
          ${limits === undefined ? null : JSON.stringify(limits)}::jsonb, now() + make_interval(secs => ${LEASE_SECONDS}))
        on conflict (instance) do update
          set server = coalesce(excluded.server, workers.server), beat_at = now(), lease_until = excluded.lease_until, retired_at = null`.execute(
        kysely,
      );
    },
    async workerLimits(server) {
      const { rows } = await sql<{ instance: string; host: string; limits: WorkerLimits }>`
        select instance, host, limits from workers w
        where server = ${server} and limits is not null and is_living(w) order by started_at, instance`.execute(kysely);
      return rows;
    },
    async retireWorker(instance) {
      await sql`
        update workers set lease_until = now(), retired_at = now() where instance = ${instance}`.execute(kysely);
    },
    async unretiredWorkers() {
      const rows = await kysely.selectFrom('workers').select('instance').where('retired_at', 'is', null).execute();
      return rows.map(({ instance }) => instance);
    },
    async lapsedWorkers(instances) {
      const { rows } = await sql<{ instance: string }>`
        select instance from workers
        where instance = any(${[...instances]}) and (retired_at is not null or now() > ${LIVES_UNTIL} + ${LEASE})`.execute(
        kysely,
      );
      return rows.map(({ instance }) => instance);
    },
    async noteContentUse({ instance, volumes }) {
      await sql`
        insert into content_uses (volume, instance) select volume, ${instance} from unnest(${[...volumes]}::text[]) volume
        on conflict (volume, instance) do update set used_at = now()`.execute(kysely);
    },
    async idleContent(idleSeconds) {
      const { rows } = await sql<{ volume: string }>`
        select volume from content_uses group by volume
        having max(used_at) <= now() - make_interval(secs => ${idleSeconds})`.execute(kysely);
      return rows.map(({ volume }) => volume);
    },
    async forgetContent(volume) {
      await kysely.deleteFrom('content_uses').where('volume', '=', volume).execute();
    },
  };
}

const LEASE = sql`make_interval(secs => ${LEASE_SECONDS})`;

/**
 * Until when a worker of `workers` lives at least, as `is_living` of the database has it: while the database was away
 * nobody could renew, so from its start everybody has a whole lease to do so.
 */
export const LIVES_UNTIL = sql<string>`greatest(lease_until, pg_postmaster_start_time() + ${LEASE})`;
