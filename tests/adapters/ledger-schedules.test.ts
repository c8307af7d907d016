import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { createLedger } from '../../src/adapters/postgres/ledger/ledger.js';
import { createRecords } from '../../src/adapters/postgres/records.js';
import type { Ledger } from '../../src/ports/ledger.js';
import type { Records } from '../../src/ports/records.js';
import { campaignPlan } from '../fixtures/engine/campaign-plan.js';
import { Died, openMortalDatabase, type Life, type MortalDatabase } from '../fixtures/postgres/mortal-database.js';
import { migratedDatabase, type MigratedDatabase } from '../fixtures/postgres/postgres.js';
import { drawnOf } from '../vitest/drawn.js';
import { scaled } from '../vitest/yardstick.js';

/** One dollar. */
const LIMIT = 1_000_000;
const CALLERS = 32;
const SCHEDULES = drawnOf(1_000, 5);
/** Schedules that run at the same time, each with its own campaign and its 32 callers. */
const AT_ONCE = 5;
/** The worker of everybody who does not die. */
const SURVIVOR = 'survivor';

/** What one caller wants, what it will cost, and what happens to it. */
interface Caller {
  estimate: number;
  /** What the provider will charge, as a share of the estimate. */
  share: number;
  /** How the sends of the call end, one after the other; after the last one: answered. */
  ends: ('429' | 'cut' | 'cut and billed' | 'late')[];
  /** Turns of the event loop before the provider replies. */
  patience: number;
  death: Life['death'];
}

/** Callers who together want about twice their dollar. */
function callersOf(count: number): fc.Arbitrary<Caller[]> {
  const fair = (2 * LIMIT) / count;
  const caller = fc.record<Caller>({
    estimate: fc.integer({ min: Math.ceil(fair / 4), max: Math.ceil(1.75 * fair) }),
    share: fc.double({ min: 0.05, max: 1, noNaN: true }),
    ends: fc.oneof(
      { weight: 7, arbitrary: fc.constant<Caller['ends']>([]) },
      { weight: 3, arbitrary: fc.array(fc.constantFrom('429', 'cut', 'cut and billed', 'late'), { maxLength: 2 }) },
    ),
    patience: fc.nat(3),
    // Look-up, reserve, mark and the ends are one statement each: before and after each of them.
    death: fc.oneof(
      { weight: 5, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.record({ at: fc.nat(5), when: fc.constantFrom('before', 'after') }) },
    ),
  });
  return fc.array(caller, { minLength: count, maxLength: count });
}

/** With few, each wants a large part of the money: other ends are near than with many. */
const FEW = fc.integer({ min: 4, max: 12 }).chain(callersOf);

let database: MigratedDatabase;
let mortal: MortalDatabase;
let ledger: Ledger;
let records: Records;
let schedules = 0;
let deaths = 0;
/** Refused callers that a late answer made room for. */
let letInAgain = 0;

beforeAll(async () => {
  database = await migratedDatabase({ maxConnections: 4 });
  // The database itself refuses what must never be, at any moment and not only at the end. Nothing here costs more
  // than its estimate, so "never exceed" is exact.
  await sql`alter table budgets add constraint never_exceeded
    check (settled_micro_usd + reserved_micro_usd <= limit_micro_usd and reserved_micro_usd >= 0)`.execute(
    database.kysely,
  );
  await sql
    .raw(`alter database ${new URL(database.databaseUrl).pathname.slice(1)} set synchronous_commit = off`)
    .execute(database.kysely);
  mortal = openMortalDatabase(database.databaseUrl, 16);
  ledger = createLedger(mortal);
  records = createRecords(database);
  await records.beatWorker({ instance: SURVIVOR, host: 'test', pid: 1 });
  await sql`update workers set lease_until = now() + interval '1 hour'`.execute(database.kysely);
});

afterAll(async () => {
  await mortal?.close();
  await database?.close();
});

test.each([
  [`${CALLERS}`, callersOf(CALLERS), SCHEDULES],
  ['few', FEW, SCHEDULES / 4],
] as const)(
  '%s callers never spend more than their dollar, and stop only when it does not pay the next call',
  async (_, callers, count) => {
    const [before, started] = [schedules, performance.now()];
    const several = fc.array(callers, { minLength: AT_ONCE, maxLength: AT_ONCE });
    await fc.assert(
      fc.asyncProperty(several, async (each) => void (await Promise.all(each.map(runSchedule)))),
      { numRuns: Math.ceil(count / AT_ONCE), endOnFailure: true },
    );
    expect(schedules - before).toBeGreaterThanOrEqual(count);
    console.log(`ledger: ${schedules - before} schedules in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  },
  // Far beyond what it takes on a machine with 15 times its load.
  scaled(900_000),
);

test('they died often enough to say so', () => {
  // A thousand schedules make about 5,550 deaths. Of those let in again there are about 17, and among fewer schedules perhaps none:
  // the conformance suite lets one in.
  console.log(`ledger: ${deaths} deaths, ${letInAgain} let in again`);
  expect(deaths).toBeGreaterThan(2 * SCHEDULES);
});

/** One campaign, what happened in it, and what the provider itself has charged. */
class Schedule {
  /** What the provider really charged. */
  billed = 0;
  /** Callers that were refused for good, and what late answers had given back for certain when they asked. */
  readonly refused: { asking: Asking; givenBack: number }[] = [];
  answered = 0;
  /** What answers give back that come after their send was charged at its estimate: begun, and certainly there. */
  readonly givenBack = { begun: 0, done: 0 };
  private readonly waiting: (() => void)[] = [];

  constructor(
    readonly campaignId: string,
    private running: number,
  ) {}

  /** Resolves when money may have come back, and when nobody is left who could give any back. */
  async moved(): Promise<void> {
    const woken = new Promise<void>((resolve) => this.waiting.push(resolve));
    this.wake(0);
    await woken;
  }

  /** Some money may have come back: one of those who wait looks again. */
  move(): void {
    this.wake(1);
  }

  /** One caller has ended. */
  ended(): void {
    this.running -= 1;
    this.wake(1);
  }

  private wake(some: number): void {
    const count = this.waiting.length === this.running ? this.running : some;
    for (const wake of this.waiting.splice(0, count)) wake();
  }
}

async function runSchedule(wanted: Caller[]): Promise<void> {
  schedules += 1;
  const schedule = new Schedule(await openCampaign(`schedule-${wanted.length}-${schedules}`), wanted.length);
  const lives = wanted.map(async (caller, n) => {
    await liveAndBeReplaced(schedule, caller, n);
    schedule.ended();
  });
  // Somebody reads its sums meanwhile; not of many callers, whose turns that would change.
  if (wanted.length < CALLERS) await records.campaignTotals(schedule.campaignId, []);
  await Promise.all(lives);
  const counted = await readSums(schedule.campaignId);
  expect(counted.open).toBe(0);
  expect(counted.counted).toBe(counted.summed);
  expect(counted.answered).toBe(schedule.answered);
  // Kept while it went on, sums are those of its end all the same.
  const { spend } = (await records.campaignTotals(schedule.campaignId, [])).campaign;
  expect([spend.microUsd, spend.calls]).toEqual([counted.summed, counted.answered]);
  // Nothing the provider charged is missing from the ledger.
  expect(counted.summed).toBeGreaterThanOrEqual(schedule.billed);
  expect(counted.summed).toBeLessThanOrEqual(LIMIT);
  // Refused was only who did not fit: what fits now came back later, with an answer that nobody expected any more.
  const isLate = ({ givenBack }: Schedule['refused'][number]): number => schedule.givenBack.begun - givenBack;
  for (const one of schedule.refused)
    expect(counted.summed + isLate(one) + one.asking.caller.estimate).toBeGreaterThan(LIMIT);
  await expectAskedAgain(schedule, LIMIT - counted.summed);
}

/** Who asks again now that all have ended, as after a resume, is let in exactly when the money pays for it: also what late answers gave back. */
async function expectAskedAgain({ refused }: Schedule, money: number): Promise<void> {
  const cheapest = refused.map(({ asking }) => asking).sort((a, b) => a.caller.estimate - b.caller.estimate)[0];
  if (cheapest === undefined) return;
  const { status } = await ledger.reserve(reservation({ ...cheapest, worker: SURVIVOR }));
  expect(status).toBe(cheapest.caller.estimate <= money ? 'reserved' : 'exhausted');
  letInAgain += status === 'reserved' ? 1 : 0;
}

/** A caller, and where its worker dies, the one that does its work after it. */
async function liveAndBeReplaced(schedule: Schedule, caller: Caller, n: number): Promise<void> {
  const key = `${schedule.campaignId}/${n}`;
  const life: Life = { statements: 0, death: caller.death, dead: false };
  const worker = caller.death ? `${key}/worker` : SURVIVOR;
  if (caller.death) await lease(worker, true);
  const left = [...caller.ends];
  try {
    await mortal.live(life, () => call({ schedule, caller, key, worker, left }));
  } catch (error) {
    if (!(error instanceof Died)) throw error;
    deaths += 1;
    await lease(worker, false);
    schedule.move();
    await call({ schedule, caller, key, worker: SURVIVOR, left });
  }
}

interface Asking {
  schedule: Schedule;
  caller: Caller;
  key: string;
  worker: string;
  left: Caller['ends'];
}

/** One call as the metered model makes it, until it is answered, refused or given up. */
async function call(asking: Asking): Promise<void> {
  const { schedule, key, worker } = asking;
  for (let isWaiting = false; ;) {
    // While it waits for money nothing can change about the call: nobody else makes it.
    const state = isWaiting ? null : await ledger.callState(key, worker);
    if (state?.state === 'answered') return void (schedule.answered += 1);
    if (state?.state === 'unanswered' && state.ambiguous >= 2) return;
    if (state?.state === 'in-flight') throw new Error(`${state.worker} lives, but nobody else makes this call`);
    const givenBack = schedule.givenBack.done;
    const result = await ledger.reserve(reservation(asking));
    isWaiting = result.status === 'contended';
    switch (result.status) {
      case 'reserved':
        await send(asking, result.attempt);
        break;
      case 'exhausted':
        return void schedule.refused.push({ asking, givenBack });
      case 'contended':
        await schedule.moved();
        break;
      case 'in-flight':
      case 'superseded':
        throw new Error(`${result.status} in a campaign that nobody else runs`);
    }
  }
}

async function send({ schedule, caller, key, left }: Asking, attempt: number): Promise<void> {
  await ledger.markSent(key, attempt);
  const end = left.shift();
  for (let turn = 0; turn < caller.patience; turn += 1) await new Promise(setImmediate);
  const price = Math.ceil(caller.estimate * caller.share);
  if (end !== '429' && end !== 'cut') schedule.billed += price;
  if (end === '429') await ledger.release(key, attempt, '429');
  if (end === 'cut' || end === 'cut and billed' || end === 'late') await ledger.markAmbiguous(key, attempt, 'cut');
  if (end === undefined || end === 'late') {
    const actual = { microUsd: price, tokens: 1 };
    const back = end === 'late' ? caller.estimate - price : 0;
    schedule.givenBack.begun += back;
    await ledger.settle(key, attempt, { actual, providerRequestId: null, usageReported: true, responseRef: blob });
    schedule.givenBack.done += back;
  }
  schedule.move();
}

const blob = { sha256: 'a', sizeBytes: 1, mediaType: 'application/json', name: 'a.json', truncated: false };

function reservation({ schedule: { campaignId }, caller, key, worker }: Asking) {
  const owner = { kind: 'trial', id: `${campaignId}/t/s/1` } as const;
  const estimate = { microUsd: caller.estimate, tokens: 1 };
  const place = { stage: 'generate', step: '', purpose: 'generate', model: 'm', requestRef: blob };
  return { key, account: { kind: 'campaign' as const, id: campaignId }, epoch: 1, owner, ...place, estimate, worker };
}

/**
 * Only what the ledger looks at: the trials of a whole plan would take longer than the schedule. It has ended, so that its
 * sums are kept: calls that come late are reserved and settled as others are.
 */
async function openCampaign(id: string): Promise<string> {
  const spec = JSON.stringify({ ...campaignPlan({ id, batches: 1, trialsPerBatch: 1 }).spec, budget: { usd: 1 } });
  await sql`
    insert into campaigns (id, name, suite, spec, lock, lock_sha256, dataset_label, dataset_digest, epoch,
      ended_at, ended_as)
    values (${id}, ${id}, 'echo', ${spec}::jsonb, '{}', '', '', '', 1, now(), 'completed')`.execute(database.kysely);
  return id;
}

async function lease(instance: string, isAlive: boolean): Promise<void> {
  await sql`
    insert into workers (instance, host, pid, lease_until, retired_at)
    values (${instance}, 'test', 1, now() + interval '1 hour', case when ${isAlive} then null else now() end)
    on conflict (instance) do update set retired_at = excluded.retired_at`.execute(database.kysely);
}

async function readSums(campaignId: string) {
  const { rows } = await sql<{ open: number; counted: number; summed: number; answered: number }>`
    select count(*) filter (where s.state in ('reserved', 'sent')) as open,
      (select reserved_micro_usd + settled_micro_usd from budgets where scope = ${`campaign:${campaignId}`}) as counted,
      coalesce(sum(s.actual_micro_usd), 0)::bigint as summed,
      (select count(*) from calls where campaign_id = ${campaignId} and state = 'answered') as answered
    from sends s join calls c on c.key = s.key where c.campaign_id = ${campaignId}`.execute(database.kysely);
  return rows[0]!;
}
