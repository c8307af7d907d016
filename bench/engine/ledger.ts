/**
 * What paying for a call costs in the ledger: look-up, reserve, mark, settle on a real Postgres, every caller against
 * the one budget of one campaign.
 *
 *   npx tsx bench/engine/ledger.ts [SECONDS]        (default 10 for each number of callers)
 *
 * Prints one JSON line for 1, 8 and 32 callers: calls a second, and of each step the median and the 95th percentile in
 * milliseconds; first with the limit far away, then near it, where most callers wait for money.
 */
import { cpus } from 'node:os';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { openDatabase, type Database } from '../../src/adapters/postgres/schema/database.js';
import { createLedger } from '../../src/adapters/postgres/ledger/ledger.js';
import { migrate } from '../../src/adapters/postgres/schema/migrate.js';
import { createRecords } from '../../src/adapters/postgres/records.js';
import type { Ledger } from '../../src/ports/ledger.js';
import { campaignPlan } from '../../tests/fixtures/engine/campaign-plan.js';
import { startStandalonePostgres } from '../../tests/fixtures/postgres/standalone-postgres.js';

const seconds = Number(process.argv[2] ?? 10);
const WORKER = 'bench';
const ESTIMATE = { microUsd: 100, tokens: 10 };
const blob = { sha256: 'a', sizeBytes: 1, mediaType: 'application/json', name: 'a.json', truncated: false };

const postgres = await startStandalonePostgres();
const database = openDatabase({ connectionString: postgres.databaseUrl, maxConnections: 32 });
try {
  await migrate(database);
  const records = createRecords(database);
  await records.beatWorker({ instance: WORKER, host: 'bench', pid: process.pid });
  await sql`update workers set lease_until = now() + interval '1 hour'`.execute(database.kysely);
  await measure({ database, callers: 8, limit: null, name: 'warm-up', seconds: 2 }); // not printed
  for (const limit of ['far', 'near'] as const)
    for (const callers of [1, 8, 32]) {
      const name = `${limit}-${callers}`;
      // Near: money for half the callers at once, however much is spent.
      const room = limit === 'near' ? Math.max(1, callers / 2) * ESTIMATE.microUsd : null;
      const line = await measure({ database, callers, limit: room, name, seconds });
      process.stdout.write(`${JSON.stringify({ limit, ...line })}\n`);
    }
} finally {
  await database.close();
  await postgres.close();
}

interface Measuring {
  database: Database;
  callers: number;
  /** Micro-dollars that may be reserved at once; calls then cost nothing in the end. null: no limit. */
  limit: number | null;
  name: string;
  seconds: number;
}

type Step = 'callState' | 'reserve' | 'markSent' | 'settle';
type Times = Record<Step, number[]>;

async function measure({ database: { kysely }, callers, limit, name, seconds: forSeconds }: Measuring) {
  const plan = campaignPlan({ id: name, batches: 1, trialsPerBatch: 1 });
  plan.spec.budget = { usd: limit === null ? null : limit / 1e6, tokens: null };
  const records = createRecords({ kysely, close: async () => undefined });
  await records.createCampaign(plan);
  await records.openCampaign(name);
  const ledger = createLedger({ kysely, close: async () => undefined });
  const times: Times = { callState: [], reserve: [], markSent: [], settle: [] };
  const until = performance.now() + forSeconds * 1000;
  const counts = await Promise.all(
    Array.from({ length: callers }, (_, caller) => callAgainAndAgain({ ledger, times, name, caller, until })),
  );
  const total = (pick: (count: Count) => number): number => counts.reduce((sum, count) => sum + pick(count), 0);
  return {
    callers,
    cores: cpus().length,
    callsPerSecond: Math.round(total(({ paid }) => paid) / forSeconds),
    refusedPerSecond: Math.round(total(({ contended }) => contended) / forSeconds),
    milliseconds: Object.fromEntries(Object.entries(times).map(([step, all]) => [step, percentiles(all)])),
  };
}

interface Count {
  paid: number;
  contended: number;
}

async function callAgainAndAgain(caller: {
  ledger: Ledger;
  times: Times;
  name: string;
  caller: number;
  until: number;
}): Promise<Count> {
  const { ledger, times, name, until } = caller;
  const count: Count = { paid: 0, contended: 0 };
  const timed = async <Result>(step: Step, work: () => Promise<Result>): Promise<Result> => {
    const since = performance.now();
    const result = await work();
    times[step].push(performance.now() - since);
    return result;
  };
  for (let n = 0; performance.now() < until; n += 1) {
    const key = `${name}/${caller.caller}/${n}`;
    await timed('callState', () => ledger.callState(key, WORKER));
    const call = {
      ...{
        key,
        account: { kind: 'campaign' as const, id: name },
        epoch: 1,
        owner: { kind: 'trial', id: `${name}/t/s/1` } as const,
      },
      ...{ stage: 'generate', step: '', purpose: 'generate', model: 'm', requestRef: blob },
      ...{ estimate: ESTIMATE, worker: WORKER },
    };
    const reserved = await timed('reserve', () => ledger.reserve(call));
    if (reserved.status !== 'reserved') {
      count.contended += 1;
      await new Promise((resolve) => setTimeout(resolve, 5)); // the metered model waits 2 s
      continue;
    }
    await timed('markSent', () => ledger.markSent(key, reserved.attempt));
    const bill = { actual: { microUsd: 0, tokens: 10 }, providerRequestId: null, usageReported: true };
    await timed('settle', () => ledger.settle(key, reserved.attempt, { ...bill, responseRef: blob }));
    count.paid += 1;
  }
  return count;
}

function percentiles(all: number[]): { p50: number; p95: number } {
  const sorted = all.sort((a, b) => a - b);
  const at = (share: number): number => Math.round((sorted[Math.floor(share * sorted.length)] ?? 0) * 10) / 10;
  return { p50: at(0.5), p95: at(0.95) };
}
