import { sql } from '../query-builder.js';
import type { PlannedTask, Records, TrialStates } from '../../../ports/records.js';
import type { Database } from '../schema/database.js';
import { standing, STANDING_RUN } from './standing-run.js';

/** Which trials there are and where they stand, without their rows. */
export function trialIds({
  kysely,
}: Database): Pick<Records, 'trialIds' | 'trialStates' | 'plannedTasks' | 'gradedTrials' | 'taskHash'> {
  return {
    trialIds: async (campaignId, prefix) => {
      const { rows } = await sql<{ id: string }>`
        select t.id from trials t join batches b on b.id = t.batch_id
        where t.campaign_id = ${campaignId} and starts_with(t.id, ${prefix}) order by b.ordinal, t.ordinal`.execute(
        kysely,
      );
      return rows.map(({ id }) => id);
    },
    taskHash: async (campaignId, taskId) => {
      const row = await kysely
        .selectFrom('campaign_tasks')
        .select('sha256')
        .where('campaign_id', '=', campaignId)
        .where('task_id', '=', taskId)
        .executeTakeFirst();
      return row?.sha256 ?? null;
    },

    plannedTasks: async (campaignId) => {
      const { rows } = await sql<PlannedTask>`
        select t.task_id as "taskId", t.system_id as "systemId", k.sha256, array_agg(t.repeat order by t.repeat) as repeats
        from trials t left join campaign_tasks k on k.campaign_id = t.campaign_id and k.task_id = t.task_id
        where t.campaign_id = ${campaignId} group by t.task_id, t.system_id, k.sha256`.execute(kysely);
      return rows;
    },
    gradedTrials: async (trialIds) => {
      const { rows } = await sql<{ id: string }>`
        select t.id from trials t ${STANDING_RUN}
        where t.id = any(${[...trialIds]}) and ${standing('outcome')} in ('passed', 'failed')`.execute(kysely);
      return rows.map(({ id }) => id);
    },
    trialStates: async (campaignId) => {
      const { rows } = await sql<TrialStates>`
        select count(*) filter (where t.state = 'planned')::int as planned,
          count(*) filter (where t.state = 'done')::int as done,
          coalesce(array_agg(t.id order by b.ordinal, t.ordinal) filter (where t.state = 'running'), '{}') as running
        from trials t join batches b on b.id = t.batch_id where t.campaign_id = ${campaignId}`.execute(kysely);
      return rows[0]!;
    },
  };
}
