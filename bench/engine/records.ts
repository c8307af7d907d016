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
import { openDatabase } from '../../src/adapters/postgres/schema/database.js';
import { migrate } from '../../src/adapters/postgres/schema/migrate.js';
import { largeCampaign } from '../../tests/fixtures/engine/large-campaign.js';
import { startStandalonePostgres } from '../../tests/fixtures/postgres/standalone-postgres.js';

const trials = Number(process.argv[2] ?? 100_000);
const calls = Number(process.argv[3] ?? 3);
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
  await largeCampaign(database, { trials, calls });
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
