import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../src/adapters/postgres/query-builder.js';
import { createRecords } from '../../../src/adapters/postgres/records.js';
import { openDatabase, type Database } from '../../../src/adapters/postgres/schema/database.js';
import { migrate } from '../../../src/adapters/postgres/schema/migrate.js';
import type { Records } from '../../../src/ports/records.js';
import { campaignPlan } from '../../fixtures/engine/campaign-plan.js';
import { freshDatabase, type FreshDatabase } from '../../fixtures/postgres/postgres.js';

// A database of before migration 022: the same rows under the words of then.

const TRIAL = 'real/task-0-0/sys/1';
const OTHER = 'real/task-0-1/sys/1';

let fresh: FreshDatabase;
let database: Database;
let records: Records;

beforeAll(async () => {
  fresh = await freshDatabase();
  database = openDatabase({ connectionString: fresh.databaseUrl });
  await migrate(database);
  records = createRecords(database);
  await records.createCampaign(campaignPlan({ id: 'real', batches: 1, trialsPerBatch: 2, shared: true }));
  for (const statement of AS_IT_WAS) await sql.raw(statement).execute(database.kysely);
  await migrate(database);
});

afterAll(async () => {
  await database?.close();
  await fresh?.drop();
});

const step = (trial: string, name: string, result: object): string => `
  insert into steps (owner_kind, owner_id, n, stage, step, input_hash, attempt, result, started_at, ended_at)
  values ('trial', '${trial}', 1, 'execute', '${name}', 'h', 1, '${JSON.stringify(result)}', now(), now())`;

const AS_IT_WAS = [
  'delete from schema_migrations where version = 22',
  'alter table batches rename column phase to lane',
  step(TRIAL, 'run', { passed: true, canaryDue: true }),
  step(TRIAL, 'canary', { ran: true, vacuous: false, kind: 'constant' }),
  step(TRIAL, 'score', { passed: true, reasons: [], metrics: { canary: 1, rewrites: 0 } }),
  step(OTHER, 'run', { passed: true, canaryDue: false, canary: { ran: true, vacuous: true, kind: 'constant' } }),
  ...['canary.json', 'canary-report.json', 'canaryless.txt'].map(
    (name) => `
      insert into evidence (owner_kind, owner_id, n, stage, step, input_hash, attempt, name, sha256, size_bytes, media_type, truncated)
      values ('trial', '${TRIAL}', 1, 'execute', 'canary', 'h', 1, '${name}', 'ab', 1, 'text/plain', false)`,
  ),
  `update trials set metrics = '{"canary": 1, "match": 2}' where id = '${TRIAL}'`,
  `update trials set metrics = '{"match": 2}' where id = '${OTHER}'`,
  `update trial_runs set verdict = '{"passed": true, "reasons": [], "metrics": {"canary": null, "match": 2}}' where trial_id = '${OTHER}'`,
];

test('steps, results and evidence of negative controls have their names of today', async () => {
  const { rows } = await sql<{ step: string; result: object }>`
    select step, result from steps order by owner_id, step`.execute(database.kysely);
  expect(rows).toEqual([
    { step: 'control', result: { ran: true, vacuous: false, kind: 'constant' } },
    { step: 'run', result: { passed: true, controlDue: true } },
    { step: 'score', result: { passed: true, reasons: [], metrics: { negative_control: 1, rewrites: 0 } } },
    {
      step: 'run',
      result: { passed: true, controlDue: false, control: { ran: true, vacuous: true, kind: 'constant' } },
    },
  ]);
  const evidence = await sql<{ step: string; name: string }>`select step, name from evidence order by name`.execute(
    database.kysely,
  );
  expect(evidence.rows).toEqual(
    ['canaryless.txt', 'control-report.json', 'control.json'].map((name) => ({ step: 'control', name })),
  );
});

test('metrics keep their values, and a metric that is not recorded is not invented', async () => {
  const rows = await records.trials('real');
  expect(rows.map(({ id, metrics }) => [id, metrics])).toEqual([
    [TRIAL, { negative_control: 1, match: 2 }],
    [OTHER, { match: 2 }],
  ]);
  const runs = await sql<{ verdict: object }>`
    select verdict from trial_runs where verdict is not null`.execute(database.kysely);
  expect(runs.rows).toEqual([
    { verdict: { passed: true, reasons: [], metrics: { negative_control: null, match: 2 } } },
  ]);
});

test('batches have a phase', async () => {
  const { rows } = await sql`select phase from batches`.execute(database.kysely);
  expect(rows).toEqual([{ phase: 'generate' }]);
});
