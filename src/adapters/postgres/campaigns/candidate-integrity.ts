import { sql } from '../query-builder.js';
import type { CandidateIntegrity } from '../../../contract/candidate.js';
import type { Records } from '../../../ports/records.js';
import type { Database } from '../schema/database.js';
import { reading } from '../schema/reading.js';

/** What is held against the candidates of a campaign. Nothing is stored for it: flags are in the result of `prepare`. */
export function candidateIntegrity({ kysely }: Database): Pick<Records, 'integrity'> {
  return {
    integrity: (campaignId) =>
      reading(kysely, async (transaction) => {
        const { rows } = await sql<CandidateIntegrity>`
          select g.system_id as "systemId", g.scope, g.repeat, s.sha256,
            coalesce(p.result -> 'flags', '[]'::jsonb) as flags,
            count(t.id) filter (where t.reason = 'candidate.forged-report')::integer as "forgedTrials",
            count(t.id) filter (where t.reason = 'candidate.vacuous')::integer as "vacuousTrials",
            count(t.id) filter (where t.reason = 'candidate.hidden-copy')::integer as "copiedTrials",
            count(t.id) filter (where t.metrics ->> 'negative_control' is not null)::integer as "negativeControls"
          from generations g
          join candidates s on s.generation_id = g.id
          join batches b on b.generation_id = g.id
          left join trials t on t.batch_id = b.id
          left join lateral (
            select result from steps
            where owner_kind = 'generation' and owner_id = g.id and stage = 'prepare'
            order by ended_at desc limit 1) p on true
          where g.campaign_id = ${campaignId}
          group by g.id, g.system_id, g.scope, g.repeat, s.sha256, p.result
          order by min(b.ordinal)`.execute(transaction);
        return rows;
      }),
  };
}
