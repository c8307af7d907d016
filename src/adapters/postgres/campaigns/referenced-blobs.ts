import { sql } from '../query-builder.js';
import { WORKSPACE_MEDIA_TYPE } from '../../../contract/sandbox-result.js';
import type { Records } from '../../../ports/records.js';
import type { Database } from '../schema/database.js';

/** Every blob a row refers to: evidence, candidates, tasks, packed snapshots, requests and responses. */
export function referencedBlobs({ kysely }: Database): Pick<Records, 'referencedBlobs'> {
  return {
    async referencedBlobs(workspaces) {
      const isOpen = sql`not exists (select 1 from trials t where owner_kind = 'trial' and t.id = owner_id and t.state = 'done')
          and not exists (select 1 from generations g where owner_kind = 'generation' and g.id = owner_id and g.state = 'done')`;
      const kept = workspaces === undefined ? sql`true` : isOpen;
      const { rows } = await sql<{ sha256: string }>`
        select sha256 from evidence where media_type <> ${WORKSPACE_MEDIA_TYPE} or (${kept})
        union select e ->> 'sha256' from attempts, jsonb_array_elements(evidence) e
          where e ->> 'mediaType' <> ${WORKSPACE_MEDIA_TYPE} or (${kept})
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
