import { sql } from 'kysely';
import type { Records } from '../../ports/records.js';
import type { Database } from './database.js';

// Three beats (one every 10 s): a worker that misses two is still alive, one that misses three is dead.
const LEASE_SECONDS = 30;

/** Leases of worker instances, by the database's clock. */
export function workers({ kysely }: Database): Pick<Records, 'beatWorker' | 'retireWorker'> {
  return {
    async beatWorker({ instance, host, pid }) {
      await sql`
        insert into workers (instance, host, pid, lease_until)
        values (${instance}, ${host}, ${pid}, now() + make_interval(secs => ${LEASE_SECONDS}))
        on conflict (instance) do update
          set beat_at = now(), lease_until = excluded.lease_until, retired_at = null`.execute(kysely);
    },
    async retireWorker(instance) {
      await sql`
        update workers set lease_until = now(), retired_at = now() where instance = ${instance}`.execute(kysely);
    },
  };
}
