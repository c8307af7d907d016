/**
 * How long the record activities take that end many trials at once, on a real Postgres, with a campaign of TRIALS trials:
 * its opening under a limit of ten trials, and its close after a cancel, chunk by chunk.
 *
 *   npx tsx bench/closing.ts [TRIALS]        (default 100000)
 *
 * Prints one JSON line for each: seconds of wall clock in all and of the longest call, number of calls, and the load. An
 * activity may take 30 s.
 */
import { cpus, loadavg } from 'node:os';
import { openDatabase } from '../src/adapters/postgres/database.js';
import { migrate } from '../src/adapters/postgres/migrate.js';
import { createRecords } from '../src/adapters/postgres/records.js';
import { campaignPlan } from '../tests/fixtures/campaign-plan.js';
import { startStandalonePostgres } from '../tests/fixtures/standalone-postgres.js';

const trials = Number(process.argv[2] ?? 100_000);
const TRIALS_A_BATCH = 200;
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
} finally {
  await database.close();
  await postgres.close();
}
