import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { createLedger } from '../../src/adapters/postgres/ledger/ledger.js';
import { migrate } from '../../src/adapters/postgres/schema/migrate.js';
import { openDatabase, type Database } from '../../src/adapters/postgres/schema/database.js';
import { createRecords } from '../../src/adapters/postgres/records.js';
import type { Ledger, Reservation } from '../../src/ports/ledger.js';
import type { Records } from '../../src/ports/records.js';
import { campaignPlan } from '../fixtures/engine/campaign-plan.js';
import { freshDatabase, type FreshDatabase } from '../fixtures/postgres/postgres.js';

/**
 * A worker that was killed retires from nothing: its lease runs out. In a database whose clock says when it was started,
 * so that nobody has to wait for a lease.
 */
let fresh: FreshDatabase;
let database: Database;
let records: Records;
let ledger: Ledger;
let campaigns = 0;

beforeAll(async () => {
  fresh = await freshDatabase();
  const admin = openDatabase({ connectionString: fresh.databaseUrl, maxConnections: 1 });
  const name = sql.ref(new URL(fresh.databaseUrl).pathname.slice(1));
  await sql`alter database ${name} set search_path = public, pg_catalog`.execute(admin.kysely);
  await admin.close();
  database = openDatabase({ connectionString: fresh.databaseUrl });
  records = createRecords(database);
  ledger = createLedger(database);
  await startedAgo(3600);
  await migrate(database);
});

afterAll(async () => {
  await database?.close();
  await fresh?.drop();
});

/** From now on the server says that it was started so long ago. */
async function startedAgo(seconds: number): Promise<void> {
  await sql`
    create or replace function public.pg_postmaster_start_time() returns timestamptz language sql stable as
    ${sql.lit(`select now() - interval '${seconds} seconds'`)}`.execute(database.kysely);
}

/** The last beat of a worker came so long before its lease ended that this was so many seconds ago. */
async function lapse(instance: string, secondsAgo: number): Promise<void> {
  await sql`update workers set lease_until = now() - make_interval(secs => ${secondsAgo}) where instance = ${instance}`.execute(
    database.kysely,
  );
}

const requestRef = { sha256: 'a', sizeBytes: 1, mediaType: 'application/json', name: 'p.json', truncated: false };

/** Two calls of one worker, the first one sent. */
async function callsOf(worker: string): Promise<[sent: Reservation, reserved: Reservation]> {
  const plan = campaignPlan({ id: `lapsed-${(campaigns += 1)}`, batches: 1, trialsPerBatch: 1 });
  await records.createCampaign(plan);
  const { epoch } = await records.openCampaign(plan.id, 'there');
  await records.beatWorker({ instance: worker, host: 'far', pid: 7, server: 'there' });
  const call = (n: number): Reservation => ({
    ...{ key: `${plan.id}/${n}`, account: { kind: 'campaign' as const, id: plan.id }, epoch, worker, requestRef },
    owner: { kind: 'trial', id: `${plan.id}/task-0-0/sys/1` },
    ...{ stage: 'vote', step: '', purpose: 'vote', model: 'm', estimate: { microUsd: 100, tokens: 10 } },
  });
  for (const each of [call(1), call(2)]) expect((await ledger.reserve(each)).status).toBe('reserved');
  await ledger.markSent(call(1).key, 1);
  // An hour to come: a slow machine does not end it.
  await lapse(worker, -3600);
  return [call(1), call(2)];
}

describe('a worker that was killed', () => {
  beforeEach(() => startedAgo(3600));

  it('holds its calls and its campaign until its lease runs out, and no longer', async () => {
    const [sent, reserved] = await callsOf('killed');
    const ask = ({ key }: Reservation) => ledger.callState(key, 'other');
    const owner = () => records.leaseOwner({ campaignId: sent.account.id, server: 'here' });
    for (const call of [sent, reserved]) expect(await ask(call)).toEqual({ state: 'in-flight', worker: 'killed' });
    expect(await owner()).toMatchObject({ instance: 'killed' });

    await lapse('killed', 1);
    expect(await owner()).toBeNull();
    expect(await ask(sent)).toEqual({ state: 'unanswered', ambiguous: 1, lost: [] });
    expect(await ask(reserved)).toEqual({ state: 'unanswered', ambiguous: 0, lost: [] });
    // Not sent, it is not sent any more; an answer that was paid is kept, however late it comes.
    await expect(ledger.markSent(reserved.key, 1)).rejects.toMatchObject({ type: 'call.in-flight' });
    const bill = { actual: { microUsd: 60, tokens: 6 }, providerRequestId: null, usageReported: true };
    expect(await ledger.settle(sent.key, 1, { ...bill, responseRef: requestRef })).toEqual(requestRef);
    expect((await records.campaign(sent.account.id)).spend).toMatchObject({ microUsd: 60, calls: 1, repeatedCalls: 0 });
  });

  it('lives on while a database that has just come back gives everybody the time to renew, and is said to until then', async () => {
    const [sent] = await callsOf('cut-off');
    await lapse('cut-off', 3600);
    await startedAgo(1);
    expect(await ledger.callState(sent.key, 'other')).toEqual({ state: 'in-flight', worker: 'cut-off' });
    const owner = await records.leaseOwner({ campaignId: sent.account.id, server: 'here' });
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from ${owner?.livesUntil}::timestamptz - now())::float8 as seconds`.execute(database.kysely);
    expect(rows[0]?.seconds).toBeGreaterThan(0);
    expect(rows[0]?.seconds).toBeLessThanOrEqual(29);

    await startedAgo(31);
    expect(await records.leaseOwner({ campaignId: sent.account.id, server: 'here' })).toBeNull();
    expect(await ledger.callState(sent.key, 'other')).toMatchObject({ state: 'unanswered', ambiguous: 1 });
  });

  it('leaves what the reaper removes only after another lease, in which the database was up', async () => {
    await records.beatWorker({ instance: 'reaped', host: 'far', pid: 7 });
    const lapsed = () => records.lapsedWorkers(['reaped', 'unknown']);
    await lapse('reaped', 1);
    expect(await lapsed()).toEqual([]);
    await lapse('reaped', 31);
    expect(await lapsed()).toEqual(['reaped']);
    await startedAgo(59);
    expect(await lapsed()).toEqual([]);
    await startedAgo(61);
    expect(await lapsed()).toEqual(['reaped']);
  });

  it('is alive again as soon as it renews', async () => {
    const [sent] = await callsOf('slow');
    await lapse('slow', 1);
    await records.beatWorker({ instance: 'slow', host: 'far', pid: 7, server: 'there' });
    expect(await ledger.callState(sent.key, 'other')).toEqual({ state: 'in-flight', worker: 'slow' });
  });
});
