/**
 * How long commands that only read take where much is stored: `list`, `status`, `report` on a real Postgres with one
 * campaign of TRIALS trials, five steps with evidence and CALLS model calls each, all done.
 *
 *   npx tsx bench/engine/records.ts [TRIALS] [CALLS]        (default 100000 and 3)
 *
 * Each command runs in a process of its own. Prints one JSON line for each: seconds of wall clock, CPU seconds and peak
 * memory of the command, CPU seconds of Postgres for it (on Linux), and the machine's load: on a busy one the CPU
 * seconds say more than the clock. The last line has the bytes of the report's files; the aim is 2 s, 300 MB and 5 MB for
 * `report` and its page.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { openDatabase, type Database } from '../../src/adapters/postgres/schema/database.js';
import { migrate } from '../../src/adapters/postgres/schema/migrate.js';
import { createRecords } from '../../src/adapters/postgres/records.js';
import { campaignPlan } from '../../tests/fixtures/engine/campaign-plan.js';
import { startStandalonePostgres } from '../../tests/fixtures/postgres/standalone-postgres.js';

const trials = Number(process.argv[2] ?? 100_000);
const calls = Number(process.argv[3] ?? 3);
const TRIALS_A_BATCH = 500;
const COMMANDS = [
  ['list'],
  ['status'],
  ['status', '--json'],
  ['report'],
  ['report', '--format', 'json'],
  ['export', '--format', 'csv'],
  ['export', '--format', 'junit'],
  ['budget', 'latest'],
];

const folder = await mkdtemp(join(tmpdir(), 'durabench-bench-records-'));
const postgres = await startStandalonePostgres();
const database = openDatabase({ connectionString: postgres.databaseUrl, maxConnections: 4 });
try {
  await migrate(database);
  await fill(database);
  for (const argv of COMMANDS) {
    const line = { command: argv.join(' '), trials, calls: trials * calls, ...(await command(argv)) };
    process.stdout.write(`${JSON.stringify({ ...line, cores: cpus().length, load: Math.round(loadavg()[0] ?? 0) })}\n`);
  }
  const sizeOf = async (name: string): Promise<number> =>
    (await stat(join(folder, 'state', 'reports', 'bench', name))).size;
  const [html, json, markdown] = await Promise.all(['report.html', 'report.json', 'report.md'].map(sizeOf));
  process.stdout.write(`${JSON.stringify({ bytes: { html, json, markdown } })}\n`);
} finally {
  await database.close();
  await postgres.close();
  await rm(folder, { recursive: true, force: true });
}

/** Whole rows, as a campaign that has ended leaves them. */
async function fill({ kysely }: Database): Promise<void> {
  const plan = campaignPlan({ id: 'bench', batches: trials / TRIALS_A_BATCH, trialsPerBatch: TRIALS_A_BATCH });
  await createRecords(database).createCampaign(plan);
  const statements = [
    sql`update campaigns set epoch = 1, opened_at = now() - interval '1 day', ended_at = now(), ended_as = 'completed'`,
    sql`update batches set closed_at = now()`,
    sql`update trials set state = 'done', started_at = now(), ended_at = now(), metrics = '{"localized": 1, "voted": 1}',
      outcome = case when ordinal % 3 = 0 then 'failed' else 'passed' end,
      blame = case when ordinal % 3 = 0 then 'model' end, reason = case when ordinal % 3 = 0 then 'wrong' end`,
    sql`update trial_runs r set outcome = t.outcome, started_at = now(), ended_at = now(), epoch = 1,
      verdict = '{"passed": true, "metrics": {}, "reasons": []}' from trials t where t.id = r.trial_id`,
    sql`insert into steps (owner_kind, owner_id, stage, step, input_hash, n, attempt, result, started_at, ended_at)
      select 'trial', id, stage, '', 'hash', 1, 1, '{"some": "result"}', now(), now()
      from trials, unnest(array['harvest', 'generate', 'localize', 'vote', 'score']) as stage`,
    sql`insert into evidence (owner_kind, owner_id, n, stage, step, input_hash, attempt, name, sha256, size_bytes, media_type, truncated)
      select owner_kind, owner_id, 1, stage, '', 'hash', 1, 'log.txt', md5(owner_id || stage), 20000, 'text/plain', false from steps`,
    sql`insert into attempts (owner_kind, owner_id, n, stage, step, epoch, attempt, worker, started_at, ended_at)
      select owner_kind, owner_id, 1, stage, '', 1, 1, 'w', now() - interval '3 seconds', now() from steps`,
    sql`insert into calls (key, campaign_id, owner_kind, owner_id, stage, step, purpose, model, request_ref, response_ref, state, answered_at, scopes)
      select id || '|' || call, 'bench', 'trial', id, 'vote', '', 'vote', 'm', '{"sha256": "a"}', '{"sha256": "b"}', 'answered', now(),
        array['campaign:bench'] from trials, generate_series(1, ${sql.lit(calls)}) as call`,
    sql`insert into sends (key, attempt, state, estimate_micro_usd, estimate_tokens, actual_micro_usd, actual_tokens, usage_reported, worker, sent_at, ended_at)
      select key, 1, 'settled', 100, 10, 70, 7, true, 'w', now(), now() from calls`,
    sql`vacuum analyze`,
  ];
  for (const statement of statements) await statement.execute(kysely);
}

/** The built command line, as a user runs it; Temporal is not needed to read. */
async function command(argv: string[]): Promise<{
  seconds: number;
  cpuSeconds: number;
  peakMiB: number;
  postgresCpuSeconds: number | null;
  code: number | null;
}> {
  const before = await endedBackendSeconds();
  const started = performance.now();
  // Told when it ends: what the kernel has counted for it.
  const counted = 'const u=process.resourceUsage();process._rawDebug("used",u.maxRSS,u.userCPUTime+u.systemCPUTime)';
  const tell = `data:text/javascript,process.on("exit",()=>{${counted}})`;
  const cli = join(import.meta.dirname, '..', '..', 'dist', 'src', 'cli', 'main.js');
  const child = spawn(process.execPath, ['--import', tell, cli, ...argv], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...{ HOME: folder, PATH: process.env['PATH'], DURABENCH_HOME: join(folder, 'state') },
      ...{ DATABASE_URL: postgres.databaseUrl, TEMPORAL_ADDRESS: '127.0.0.1:1' },
    },
  });
  let words = '';
  child.stderr.on('data', (piece: Buffer) => (words += piece.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const seconds = Math.round((performance.now() - started) / 10) / 100;
  const [, peakKiB = 0, cpuMicroseconds = 0] = /used (\d+) (\d+)/.exec(words) ?? [];
  const cpuSeconds = Math.round(Number(cpuMicroseconds) / 10_000) / 100;
  if (code !== 0) process.stderr.write(words);
  await sleep(500); // its backends end after it
  const after = await endedBackendSeconds();
  const postgresCpuSeconds = before === null || after === null ? null : Math.round((after - before) * 100) / 100;
  return { seconds, cpuSeconds, peakMiB: Math.round(Number(peakKiB) / 1024), postgresCpuSeconds, code };
}

/** CPU of all backends that have ended: what the kernel keeps for their parent (man 5 proc: cutime, cstime). */
async function endedBackendSeconds(): Promise<number | null> {
  const stat = await readFile(`/proc/${postgres.pid}/stat`, 'utf8').catch(() => null);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields === undefined ? null : (Number(fields[13]) + Number(fields[14])) / 100;
}
