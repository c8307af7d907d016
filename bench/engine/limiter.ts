/**
 * How close two workers come to what a throttled provider allows: 60 requests and 30,000 tokens a minute, 5 % of 500s,
 * an outage of 60 s. Real engine, real Postgres, compiled workers.
 *
 *   npm run build && npx tsx bench/engine/limiter.ts [TRIALS]        (default 180; three runs of some four minutes each)
 *
 * Prints one JSON line for each way a provider may say what it allows: Retry-After with every refusal, with none, and
 * rate headers with every reply.
 */
import { cpus } from 'node:os';
import { startEngine } from '../../tests/fixtures/engine/engine.js';
import { startStandalonePostgres } from '../../tests/fixtures/postgres/standalone-postgres.js';
import { runThrottled, type Throttle } from '../../tests/fixtures/engine/throttled-run.js';

const tasks = Number(process.argv[2] ?? 180);
const limits = { requestsPerMinute: 60, tokensPerMinute: 30_000, burstSeconds: 60, errorShare: 0.05 };
const outage = { afterMs: 30_000, forMs: 60_000 };
const WAYS: Record<string, Throttle> = {
  'retry-after': { ...limits, outage, retryAfter: 'always', headers: false },
  'no word': { ...limits, outage, retryAfter: 'never', headers: false },
  'rate headers': { ...limits, outage, retryAfter: 'never', headers: true },
};

const postgres = await startStandalonePostgres();
const engine = await startEngine(postgres.databaseUrl);
try {
  await Promise.all([engine.startWorker(), engine.startWorker()]);
  for (const [way, throttle] of Object.entries(WAYS)) {
    const name = `limiter-${way.replaceAll(' ', '-')}`;
    const { row, requests, makespanSeconds, idealSeconds } = await runThrottled(engine, {
      ...{ name, tasks, throttle, window: 50 },
    });
    const count = (status: number): number => requests.filter((seen) => seen.status === status).length;
    const line = {
      ...{ way, tasks, cores: cpus().length, status: row.status, trials: row.trials },
      ...{ repeatedCalls: row.spend.repeatedCalls, makespanSeconds, idealSeconds: Math.round(idealSeconds * 10) / 10 },
      ratio: Math.round((100 * makespanSeconds) / idealSeconds) / 100,
      requests: { answered: count(200), refused: count(429), failed: count(500), away: count(503) },
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  }
} finally {
  await engine.close();
  await postgres.close();
}
