import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { createRecords } from '../../src/adapters/postgres/records.js';
import type { CampaignPlan, Records } from '../../src/ports/records.js';
import { campaignPlan } from '../fixtures/engine/campaign-plan.js';
import { migratedDatabase, type MigratedDatabase } from '../fixtures/postgres/postgres.js';
import { throughCuts } from '../fixtures/postgres/through-cuts.js';

/** Plans of every shape, sound and sabotaged, into a real Postgres: all of it or nothing of it. */
const TABLES = ['campaigns', 'campaign_tasks', 'batches', 'generations', 'trials', 'trial_runs'];

let database: MigratedDatabase;
let records: Records;
let made = 0;

beforeAll(async () => {
  database = await migratedDatabase();
  records = createRecords(database);
});

afterAll(async () => {
  await database?.close();
});

const hostile = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc
    .array(fc.constantFrom('\0', '\ud800', '\u001b[2J', '\u202e', '\\u0000', "'; drop table trials; --", '{}', '漢'))
    .map((all) => all.join('')),
);
const shape = fc.record({
  batches: fc.integer({ min: 1, max: 4 }),
  trialsPerBatch: fc.integer({ min: 1, max: 6 }),
  shared: fc.boolean(),
  words: hostile,
});

/** A sound plan with a text of any kind in every place that is free. */
function planOf({
  words,
  ...parts
}: {
  batches: number;
  trialsPerBatch: number;
  shared: boolean;
  words: string;
}): CampaignPlan {
  const plan = campaignPlan({ id: `fuzz-${(made += 1)}`, ...parts });
  plan.dataset.tasks.forEach((task) => (task.category = words));
  plan.dataset.label = `label ${words}`;
  plan.spec.dataset = { [`key ${words}`]: words };
  plan.batches.forEach((batch) => batch.trials.forEach((trial) => (trial.settings = { words, deep: [{ words }] })));
  return plan;
}

/** Ways to spoil a plan at its end, after most of it was written. */
const SABOTAGE: Record<string, (plan: CampaignPlan) => void> = {
  'a trial twice': ({ batches }) => void batches.at(-1)!.trials.push({ ...batches[0]!.trials[0]! }),
  'a batch twice': ({ batches }) => void batches.push({ ...batches[0]!, trials: [] }),
  'a task twice': ({ dataset }) => void dataset.tasks.push({ ...dataset.tasks[0]! }),
  'a trial without its task': ({ batches }) => void (batches.at(-1)!.trials.at(-1)!.taskId = null as never),
  'a phase nobody knows': ({ batches }) => void (batches.at(-1)!.phase = 'sideways' as never),
  'a number that is none': ({ batches }) => void (batches.at(-1)!.trials.at(-1)!.repeat = 'many' as never),
  'a value that is no JSON': ({ batches }) => void (batches.at(-1)!.trials.at(-1)!.settings = { n: 1n } as never),
};

async function rowsOf({ id }: CampaignPlan): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of TABLES) {
    const text = sql`to_jsonb(t)::text`;
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(table)} t where ${text} like ${`%"${id}%`}`.execute(database.kysely);
    counts[table] = rows[0]?.count ?? 0;
  }
  return counts;
}

test('a sound plan is stored whole, whatever its texts', async () => {
  await fc.assert(
    fc.asyncProperty(shape, async (parts) => {
      const plan = planOf(parts);
      await records.createCampaign(plan);
      const trials = parts.batches * parts.trialsPerBatch;
      const { trials: counts, spec } = await records.campaign(plan.id);
      expect(counts).toMatchObject({ planned: trials, done: 0 });
      expect(spec.systems).toEqual(plan.spec.systems);
      expect(await rowsOf(plan)).toEqual({
        ...{ campaigns: 1, campaign_tasks: trials, batches: parts.batches, trials, trial_runs: trials },
        generations: parts.shared ? parts.batches : 0,
      });
      expect((await records.trials(plan.id)).map(({ id }) => id)).toEqual(
        plan.batches.flatMap((batch) => batch.trials.map(({ id }) => id)),
      );
    }),
    { numRuns: 50 },
  );
});

test('a spoilt plan leaves nothing', async () => {
  const spoilt = fc.tuple(shape, fc.constantFrom(...Object.keys(SABOTAGE)));
  await fc.assert(
    fc.asyncProperty(spoilt, async ([parts, how]) => {
      const plan = planOf(parts);
      SABOTAGE[how]!(plan);
      await expect(records.createCampaign(plan)).rejects.toThrow();
      expect(await rowsOf(plan)).toEqual(Object.fromEntries(TABLES.map((table) => [table, 0])));
    }),
    { numRuns: 50 },
  );
});

test('a connection that is cut in the middle leaves nothing, and the same plan can be stored after it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 12 }), async (wait) => {
      const plan = planOf({ batches: 20, trialsPerBatch: 40, shared: true, words: 'cut' });
      const storing = records.createCampaign(plan).then(
        () => 'stored',
        () => 'refused',
      );
      await new Promise((resolve) => setTimeout(resolve, 5 * wait));
      const cut = sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`;
      await throughCuts(() => cut.execute(database.kysely));
      const end = await storing;
      const { trials, campaigns } = await throughCuts(() => rowsOf(plan));
      // A cut between the commit and its confirmation: refused here, and stored all the same.
      const allowed = [[1, 800], ...(end === 'stored' ? [] : [[0, 0]])];
      expect(allowed).toContainEqual([campaigns, trials]);
      await throughCuts(() => records.createCampaign(plan));
      expect(await throughCuts(() => rowsOf(plan))).toMatchObject({ campaigns: 1, trials: 800, trial_runs: 800 });
    }),
    { numRuns: 8 },
  );
});
