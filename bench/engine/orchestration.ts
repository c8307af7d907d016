/**
 * What a trial costs when its stages do nothing: echo with six remote stages and all records, on the real dev server and
 * a real Postgres, with the compiled worker.
 *
 *   npm run build && npx tsx bench/engine/orchestration.ts [TRIALS…]        (default 200 1000 3000)
 *
 * Prints one JSON line per size: wall and CPU per trial (of worker, Temporal server, Postgres), peak memory, history
 * events and bytes, and what the databases grew by.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { awaitCampaign, startCampaign } from '../../src/adapters/temporal/campaign-workflow.js';
import { echoPlan } from '../../tests/fixtures/engine/echo-campaign.js';
import { startEngine, type Engine, type TestWorker } from '../../tests/fixtures/engine/engine.js';
import { campaignHistories } from '../../tests/fixtures/engine/histories.js';
import { startStandalonePostgres, type StandalonePostgres } from '../../tests/fixtures/postgres/standalone-postgres.js';

const sizes = process.argv.slice(2).map(Number);

const postgres = await startStandalonePostgres();
const engine = await startEngine(postgres.databaseUrl);
try {
  // As many slots as a window of no-op trials can use; the defaults are for stages that do something.
  const worker = await engine.startWorker({ arguments: ['--slots', 'light=32,model=16,sandbox=16'] });
  await measure({ engine, postgres, worker, trials: 50 }); // warms caches up; not printed
  for (const trials of sizes.length > 0 ? sizes : [200, 1000, 3000])
    process.stdout.write(`${JSON.stringify(await measure({ engine, postgres, worker, trials }))}\n`);
} finally {
  await engine.close();
  await postgres.close();
}

interface Bench {
  engine: Engine;
  postgres: StandalonePostgres;
  worker: TestWorker;
  trials: number;
}

async function measure({ engine, postgres, worker, trials }: Bench): Promise<object> {
  const shape = { name: `bench-${trials}`, generators: ['echo'], dataset: { tasks: trials } };
  const plan = await echoPlan({ ...shape, concurrency: { batches: 4, trials: 25 } });
  await engine.records.createCampaign(plan);
  const processes = { worker: worker.pid, server: engine.serverPid(), postgres: postgres.pid };
  const before = cpuOf(processes);
  const size = await databaseBytes(engine, postgres);
  const peak = watchMemory(processes);
  const startedAt = Date.now();
  await startCampaign(engine, plan.id);
  await awaitCampaign(engine, plan.id);
  const wallMs = Date.now() - startedAt;
  const after = cpuOf(processes);
  const grown = await databaseBytes(engine, postgres);
  const row = await engine.records.campaign(plan.id);
  if (row.trials.passed !== trials) throw new Error(`only ${row.trials.passed} of ${trials} trials passed`);
  const ids = [plan.batches[0]?.trials[0]?.id, plan.batches[0]?.id, plan.id].map((id) => id ?? '');
  const [trial, batch, campaign] = await campaignHistories(engine.client, [
    engine.names.trial(ids[0] ?? ''),
    engine.names.batch(ids[1] ?? ''),
    engine.names.campaign(ids[2] ?? ''),
  ]);
  const perTrial = (total: number): number => Math.round((total / trials) * 10) / 10;
  const cpuMs = {
    worker: perTrial(after.worker - before.worker),
    server: perTrial(after.server - before.server),
    postgres: perTrial(after.postgres - before.postgres),
  };
  return {
    trials,
    cores: cpus().length,
    wallSeconds: Math.round(wallMs / 100) / 10,
    wallMsPerTrial: perTrial(wallMs),
    cpuMsPerTrial: { ...cpuMs, all: Math.round((cpuMs.worker + cpuMs.server + cpuMs.postgres) * 10) / 10 },
    peakMebibytes: peak(),
    history: Object.fromEntries(
      Object.entries({ trial, batch, campaign }).map(([name, facts]) => [
        name,
        `${facts?.events} events, ${facts?.bytes} B`,
      ]),
    ),
    databaseBytesPerTrial: {
      temporal: Math.round((grown.temporal - size.temporal) / trials),
      records: Math.round((grown.records - size.records) / trials),
      blobs: Math.round((grown.blobs - size.blobs) / trials),
    },
  };
}

type Processes = Record<'worker' | 'server' | 'postgres', number>;

/** CPU in ms of each process with all its children (Postgres works in one process a connection). */
function cpuOf(processes: Processes): Processes {
  const all = processTable();
  const total = (pid: number): number =>
    (all.get(pid)?.cpuMs ?? 0) +
    [...all].filter(([, { parent }]) => parent === pid).reduce((sum, [child]) => sum + total(child), 0);
  return { worker: total(processes.worker), server: total(processes.server), postgres: total(processes.postgres) };
}

function processTable(): Map<number, { parent: number; cpuMs: number }> {
  const table = new Map<number, { parent: number; cpuMs: number }>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      // Clock ticks of 10 ms: utime, stime, and those of children that were waited for (ended Postgres backends).
      const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + (fields[index] ?? 0), 0);
      table.set(Number(pid), { parent: fields[1] ?? 0, cpuMs: ticks * 10 });
    } catch {
      // ended while the table was read
    }
  }
  return table;
}

function watchMemory(processes: Processes): () => Record<string, number> {
  const peak: Record<string, number> = {};
  const look = (): void => {
    for (const [name, pid] of Object.entries(processes)) {
      const kibibytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
      peak[name] = Math.max(peak[name] ?? 0, Math.round(kibibytes / 1024));
    }
  };
  const timer = setInterval(look, 250);
  return () => {
    look();
    clearInterval(timer);
    return peak;
  };
}

async function databaseBytes(engine: Engine, postgres: StandalonePostgres) {
  const client = new pg.Client({ connectionString: postgres.databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ size: string }>('select pg_database_size(current_database()) as size');
  await client.end();
  return {
    records: Number(rows[0]?.size),
    temporal: folderBytes(join(engine.folder, 'temporal')),
    blobs: folderBytes(engine.blobsFolder),
  };
}

function folderBytes(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  } catch {
    return 0; // nothing stored yet
  }
}
