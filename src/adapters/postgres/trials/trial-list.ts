import type { RawBuilder } from 'kysely';
import { sql } from '../query-builder.js';
import type { CampaignSpec } from '../../../contract/campaign.js';
import type { Records, TrialChoice } from '../../../ports/records.js';
import { unknownRecord } from '../campaigns/admission.js';
import { unknownCampaign } from '../campaigns/unknown-campaign.js';
import type { Database } from '../schema/database.js';
import { reading } from '../schema/reading.js';
import { standing, STANDING_RUN } from './standing-run.js';
import { trialsWithIds } from './trial-rows.js';

type Lists = Pick<Records, 'campaignOutline' | 'trialList' | 'trialNeighbours' | 'taskTrials' | 'generationOfTrial'>;

/** Some trials of many: which they are is found out first, and only those are read whole. */
export function trialList({ kysely }: Database): Lists {
  return {
    campaignOutline: async (campaignId) => {
      const { rows } = await sql<{
        id: string;
        name: string;
        suite: string;
        dataset: string;
        spec: CampaignSpec;
        groups: string[];
      }>`
        select id, name, suite, dataset_label as dataset, spec, array(
          select distinct task_group from campaign_tasks where campaign_id = ${campaignId} order by 1) as groups
        from campaigns where id = ${campaignId}`.execute(kysely);
      if (rows[0] === undefined) throw unknownCampaign(campaignId);
      return rows[0];
    },

    trialList: (campaignId, choice, { offset, limit }) =>
      reading(kysely, async (transaction) => {
        const { rows: counted } = await sql<{ total: number }>`
          select count(*) as total from ${CHOSEN} where ${isChosen(campaignId, choice)}`.execute(transaction);
        const { rows } = await sql<{ id: string }>`
          select t.id from ${CHOSEN} join batches b on b.id = t.batch_id where ${isChosen(campaignId, choice)}
          order by b.ordinal, t.ordinal offset ${offset} limit ${limit}`.execute(transaction);
        const trials = await trialsWithIds(
          transaction,
          rows.map(({ id }) => id),
        );
        return { trials, total: counted[0]?.total ?? 0 };
      }),

    trialNeighbours: (trialId, choice) =>
      reading(kysely, async (transaction) => {
        const { rows } = await sql<{ campaign: string; batch: number; ordinal: number }>`
          select t.campaign_id as campaign, b.ordinal as batch, t.ordinal
          from trials t join batches b on b.id = t.batch_id where t.id = ${trialId}`.execute(transaction);
        const [own] = rows;
        if (own === undefined) throw unknownRecord('trial', trialId);
        const nearest = async (where: 'before' | 'after'): Promise<string | null> => {
          const isBeyond = where === 'before' ? sql`<` : sql`>`;
          const direction = where === 'before' ? sql`desc` : sql`asc`;
          const { rows: found } = await sql<{ id: string }>`
            select t.id from ${CHOSEN} join batches b on b.id = t.batch_id
            where ${isChosen(own.campaign, choice)} and (b.ordinal, t.ordinal) ${isBeyond} (${own.batch}, ${own.ordinal})
            order by b.ordinal ${direction}, t.ordinal ${direction} limit 1`.execute(transaction);
          return found[0]?.id ?? null;
        };
        return { previous: await nearest('before'), next: await nearest('after') };
      }),

    taskTrials: (campaignId, taskId) =>
      reading(kysely, async (transaction) => {
        const { rows } = await sql<{ id: string }>`
          select id from trials where campaign_id = ${campaignId} and task_id = ${taskId}`.execute(transaction);
        return trialsWithIds(
          transaction,
          rows.map(({ id }) => id),
        );
      }),

    generationOfTrial: async (trialId) => {
      const { rows } = await sql<{ generation: string | null }>`
        select b.generation_id as generation from trials t join batches b on b.id = t.batch_id
        where t.id = ${trialId}`.execute(kysely);
      return rows[0]?.generation;
    },
  };
}

/** Trials with the run that counts, and their tasks. */
const CHOSEN = sql`trials t
  left join campaign_tasks k on k.campaign_id = t.campaign_id and k.task_id = t.task_id ${STANDING_RUN}`;

function isChosen(campaignId: string, choice: TrialChoice): RawBuilder<unknown> {
  const { outcomes, systems, groups, reason, task } = choice;
  const conditions = [
    sql`t.campaign_id = ${campaignId}`,
    ...(outcomes === undefined ? [] : [sql`coalesce(${standing('outcome')}, 'open') = any(${[...outcomes]})`]),
    ...(systems === undefined ? [] : [sql`t.system_id = any(${[...systems]})`]),
    ...(groups === undefined ? [] : [sql`coalesce(k.task_group, '') = any(${[...groups]})`]),
    ...(reason === undefined
      ? []
      : [sql`(${standing('reason')} = ${reason} or starts_with(${standing('reason')}, ${`${reason}.`}))`]),
    ...(task === undefined ? [] : [sql`strpos(t.task_id, ${task}) > 0`]),
  ];
  return sql.join(conditions, sql` and `);
}
