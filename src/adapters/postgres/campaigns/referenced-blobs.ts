import { sql } from 'kysely';
import type { Records } from '../../../ports/records.js';
import type { Database } from '../schema/database.js';

/** Every blob a row refers to: evidence, candidates, tasks, packed snapshots, requests and responses. */
export function referencedBlobs({ kysely }: Database): Pick<Records, 'referencedBlobs'> {
  return {
    async referencedBlobs() {
      const { rows } = await sql<{ sha256: string }>`
        select sha256 from evidence
        union select e ->> 'sha256' from attempts, jsonb_array_elements(evidence) e
        union select sha256 from candidates
        union select sha256 from campaign_tasks
        union select system -> 'snapshot' ->> 'sha256' from campaigns, jsonb_array_elements(spec -> 'systems') system
          where system -> 'snapshot' ->> 'sha256' is not null
        union select request_sha256 from calls
        union select response_sha256 from calls where response_sha256 is not null`.execute(kysely);
      return rows.map((row) => row.sha256);
    },
  };
}
