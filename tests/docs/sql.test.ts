import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { createRecords } from '../../src/adapters/postgres/records.js';
import { endedCampaign } from '../fixtures/engine/ended-campaign.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { migratedDatabase, type MigratedDatabase } from '../fixtures/postgres/postgres.js';

const ID = 'asked-0123456789';
const page = readFileSync(join(PACKAGE_ROOT, 'docs/reference/sql.md'), 'utf8');
const queries = [...page.matchAll(/^([^\n]*):\n\n```sql\n(.*?)```/gms)].map(
  ([, title = '', query = '']) => [title, query] as const,
);
let database: MigratedDatabase;

beforeAll(async () => {
  database = await migratedDatabase();
  const systems = { a: ['pp', 'pf', 'ff', 'pe'], b: ['ff', 'pp', 'ff', 'nn'] };
  await endedCampaign(database, { id: ID, systems });
  await sql`
    insert into calls (key, campaign_id, owner_kind, owner_id, stage, step, purpose, model, request_ref)
    values ('k', ${ID}, 'trial', ${`${ID}/task-0-0/a/1`}, 'vote', '', 'vote', 'm', '{}')`.execute(database.kysely);
  await sql`
    insert into sends (key, attempt, state, estimate_micro_usd, estimate_tokens, actual_micro_usd, actual_tokens, worker)
    values ('k', 1, 'settled', 1, 1, 70, 7, 'w'), ('k', 2, 'ambiguous', 1, 1, 30, 3, 'w')`.execute(database.kysely);
});

afterAll(() => database?.close());

const ask = async (query: string): Promise<Record<string, unknown>[]> =>
  (await sql.raw<Record<string, unknown>>(query.replaceAll('$1', `'${ID}'`)).execute(database.kysely)).rows;

test('there are ten', () => expect(queries).toHaveLength(10));

test.each(queries)('%s: answers with rows', async (_, query) => {
  expect((await ask(query)).length).toBeGreaterThan(0);
});

test('the views say what the reports say', async () => {
  const trials = await createRecords(database).trials(ID);
  const rows = await ask('select trial_id, outcome, reason, run, runs from trial_results order by trial_id');
  expect(rows).toEqual(
    trials
      .map(({ id, outcome, reason, n, runs }) => ({ trial_id: id, outcome, reason, run: n, runs }))
      .sort((one, other) => (one.trial_id < other.trial_id ? -1 : 1)),
  );
  const [call] = await ask('select sends, usd, tokens from call_results');
  expect({ ...call, usd: Number(call?.['usd']) }).toEqual({ sends: 2, usd: 0.0001, tokens: 10 });
  const outcomes = await createRecords(database).taskOutcomes(ID);
  const tasks = await ask('select system_id, task_id, graded, passed from task_results order by 1, 2');
  expect(tasks).toEqual(
    outcomes.map(({ systemId, taskId, graded, passed }) => ({ system_id: systemId, task_id: taskId, graded, passed })),
  );
});
