/**
 * How long the record activities take that end or sum many trials at once, on a real Postgres, with a campaign of TRIALS
 * trials: its opening under a limit of ten trials, its close after a cancel, chunk by chunk, and, with three calls a trial,
 * its totals for the UI.
 *
 *   npx tsx bench/engine/closing.ts [TRIALS]        (default 100000)
 *
 * Prints one JSON line for each: seconds of wall clock in all and of the longest call, number of calls, and the load. An
 * activity may take 30 s.
 */
import { cpus, loadavg } from 'node:os';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { createRecordActivities } from '../../activities/records.js';
import { openDatabase } from '../../src/adapters/postgres/schema/database.js';
import { migrate } from '../../src/adapters/postgres/schema/migrate.js';
import { createRecords } from '../../src/adapters/postgres/records.js';
import { campaignPlan } from '../../tests/fixtures/engine/campaign-plan.js';
import { startStandalonePostgres } from '../../tests/fixtures/postgres/standalone-postgres.js';

const trials = Number(process.argv[2] ?? 100_000);
const TRIALS_A_BATCH = 200;
const CALLS_A_TRIAL = 3;
const postgres = await startStandalonePostgres();
const database = openDatabase({ connectionString: postgres.databaseUrl, maxConnections: 4 });
const records = createRecords(database);

/** Calls until the answer says that it was the last one. */
async function measure(what: string, call: () => Promise<boolean>): Promise<void> {
  const seconds: number[] = [];
  for (let isOver = false; !isOver;) {
    const startedAt = Date.now();
    isOver = await call();
    seconds.push((Date.now() - startedAt) / 1000);
  }
  const all = seconds.reduce((sum, each) => sum + each, 0);
  const line = { what, trials, calls: seconds.length, seconds: round(all), longest: round(Math.max(...seconds)) };
  process.stdout.write(`${JSON.stringify({ ...line, cores: cpus().length, load: round(loadavg()[0] ?? 0) })}\n`);
}

const round = (value: number): number => Math.round(value * 100) / 100;

async function plan(id: string, limit: number | null): Promise<void> {
  const made = campaignPlan({ id, batches: trials / TRIALS_A_BATCH, trialsPerBatch: TRIALS_A_BATCH });
  made.spec.budget = { usd: null, tokens: null, trials: limit };
  await records.createCampaign(made);
}

/** All trials have ended, and their calls are settled. */
async function spend(id: string): Promise<void> {
  const statements = [
    sql`update trials set state = 'done', outcome = 'passed', started_at = now(), ended_at = now() where campaign_id = ${id}`,
    sql`insert into calls (key, campaign_id, owner_kind, owner_id, stage, step, purpose, model, request_ref, response_ref, state, answered_at, scopes)
      select id || '|' || call, campaign_id, 'trial', id, 'vote', '', 'vote', 'm', '{"sha256": "a"}', '{"sha256": "b"}', 'answered', now(),
        array['campaign:' || campaign_id] from trials, generate_series(1, ${sql.lit(CALLS_A_TRIAL)}) as call where campaign_id = ${id}`,
    sql`insert into sends (key, attempt, state, estimate_micro_usd, estimate_tokens, actual_micro_usd, actual_tokens, usage_reported, worker, sent_at, ended_at)
      select key, 1, 'settled', 100, 10, 70, 7, true, 'w', now(), now() from calls where campaign_id = ${id}`,
    sql`analyze`,
  ];
  for (const statement of statements) await statement.execute(database.kysely);
}

try {
  await migrate(database);
  await plan('cancelled', null);
  const { epoch } = await records.openCampaign('cancelled');
  const by = { campaignId: 'cancelled', author: 'bench@here', reason: 'bench' };
  await records.setDesiredState({ ...by, state: 'cancel' });
  await measure('close after a cancel', async () => {
    const { status } = await records.closeCampaign({ campaignId: 'cancelled', epoch });
    return status !== null;
  });
  await plan('limited', 10);
  let opened: { epoch: number } | undefined;
  await measure('open under a limit of ten trials', async () => {
    if (opened !== undefined) return !(await records.limitTrials({ campaignId: 'limited', ...opened })).isOverLimit;
    const { epoch: own, isOverLimit } = await records.openCampaign('limited');
    opened = { epoch: own };
    return !isOverLimit;
  });
  await plan('spent', null);
  await spend('spent');
  const activities = createRecordActivities({ records, server: async () => '', code: '' });
  await measure('totals for the UI', async () => (await activities.campaignDetails('spent')).costUsd > 0);
} finally {
  await database.close();
  await postgres.close();
}
