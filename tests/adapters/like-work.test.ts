import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { createRecords } from '../../src/adapters/postgres/records.js';
import { planForecast } from '../../src/client/plans/plan-forecast.js';
import type { CampaignSpec } from '../../src/contract/campaign.js';
import type { TrialTimes } from '../../src/contract/plan.js';
import type { Records } from '../../src/ports/records.js';
import { echoManifest } from '../../tasks/echo/suite.js';
import { campaignPlan } from '../fixtures/engine/campaign-plan.js';
import { migratedDatabase, type MigratedDatabase } from '../fixtures/postgres/postgres.js';

// What a plan is expected to come to, by the trials of a real Postgres.

let database: MigratedDatabase;
let records: Records;

beforeAll(async () => {
  database = await migratedDatabase({ maxConnections: 4 });
  records = createRecords(database);
});
afterAll(() => database?.close());

/** A campaign whose trials have ended after 10 and 14 seconds in turn, all at once, of which their steps took all but one. */
async function ended(id: string, change: (spec: CampaignSpec) => void = () => undefined): Promise<CampaignSpec> {
  const plan = campaignPlan({ id, batches: 1, trialsPerBatch: 8 });
  change(plan.spec);
  await records.createCampaign(plan);
  await sql`
    update trials set state = 'done', outcome = 'passed', started_at = '2026-01-01T00:00:00Z',
      ended_at = '2026-01-01T00:00:00Z'::timestamptz + make_interval(secs => 10 + 4 * (ordinal % 2))
    where campaign_id = ${id}`.execute(database.kysely);
  await sql`
    insert into attempts (owner_kind, owner_id, n, epoch, stage, step, attempt, worker, started_at, ended_at)
    select 'trial', id, 1, 1, 'generate', 'ask', 1, 'worker', started_at, ended_at - interval '1 second'
    from trials where campaign_id = ${id}`.execute(database.kysely);
  await ranFor(id, 20);
  return plan.spec;
}

/** It ran for so many seconds from its first trial on. */
async function ranFor(id: string, seconds: number): Promise<void> {
  await sql`
    update campaigns set epoch = 1, desired_state = 'pause' where id = ${id}`.execute(database.kysely);
  await sql`
    update campaigns set ended_as = 'completed',
      ended_at = '2026-01-01T00:00:00Z'::timestamptz + make_interval(secs => ${seconds}) where id = ${id}`.execute(
    database.kysely,
  );
  await sql`
    insert into working_times select id, '2026-01-01T00:00:00Z', ended_at from campaigns where id = ${id}`.execute(
    database.kysely,
  );
}

test('a plan like nothing that was run has no forecast; one like a campaign has its figures, for as many trials', async () => {
  const plan = campaignPlan({ id: 'next', batches: 1, trialsPerBatch: 4 });
  const before = await planForecast({ records }, plan, echoManifest);
  expect(before.systems[0]).toMatchObject({ like: 0, calls: null, wallSeconds: null });
  expect(before.all.usd).toBeNull();
  await ended('first');
  const { systems, all, done } = await planForecast({ records }, plan, echoManifest);
  expect(systems[0]).toMatchObject({ like: 8, calls: { low: 0, high: 0 }, usd: { low: 0, high: 0 } });
  // Four trials of 12 s in the mean, all at once, and the 6 s that the campaign took beside.
  const { low, high } = all.wallSeconds!;
  expect(low).toBeGreaterThan(6);
  expect(low).toBeLessThan(18);
  expect(high).toBeGreaterThan(18);
  expect(high).toBeLessThan(50);
  expect(done).toBe(0);
  // Of the campaign itself: what has ended.
  expect(
    (await planForecast({ records }, campaignPlan({ id: 'first', batches: 1, trialsPerBatch: 8 }), echoManifest)).done,
  ).toBe(8);
});

test('another generator, option, judge or suite is another kind of work', async () => {
  const spec = await ended('second');
  const like = async (change: (spec: CampaignSpec) => void): Promise<number> => {
    const other = structuredClone(spec);
    change(other);
    return (await records.likeWork(other))[0]!.trials.calls.pieces;
  };
  expect(await like(() => undefined)).toBeGreaterThanOrEqual(8);
  expect(await like((other) => (other.systems[0]!.generator = 'other'))).toBe(0);
  expect(await like((other) => (other.systems[0]!.options = { turns: 2 }))).toBe(0);
  expect(await like((other) => (other.systems[0]!.vote = { voter: 'model' }))).toBe(0);
  expect(await like((other) => (other.judge = { vote: {} }))).toBe(0);
  expect(await like((other) => (other.suite = 'other'))).toBe(0);
});

test('an answer that was lost is no part of what such a trial needs', async () => {
  const lost = (spec: CampaignSpec): void => void (spec.judge = { of: 'lost' });
  const spec = await ended('lost', lost);
  const ref = JSON.stringify({ name: 'x', sha256: 'x', sizeBytes: 1, mediaType: 'text/plain' });
  await sql`
    insert into calls (key, campaign_id, owner_kind, owner_id, stage, step, purpose, model, request_ref)
    select 'k ' || id, campaign_id, 'trial', id, 'generate', '', 'ask', 'm', ${ref}::jsonb
    from trials where campaign_id = 'lost'`.execute(database.kysely);
  const sends = (attempt: number, state: string, tokens: number) => sql`
    insert into sends (key, attempt, state, estimate_micro_usd, estimate_tokens, actual_micro_usd, actual_tokens, worker)
    select key, ${attempt}, ${state}, 900, 9000, ${tokens}, ${tokens}, 'w' from calls where campaign_id = 'lost'`;
  await sends(1, 'ambiguous', 9_000).execute(database.kysely);
  await sends(2, 'settled', 60).execute(database.kysely);
  const [{ trials } = {}] = await records.likeWork(spec);
  expect(trials).toMatchObject({
    calls: { pieces: 8, mean: 1 },
    tokens: { mean: 60, deviation: 0 },
    microUsd: { mean: 60 },
  });
});

/** Begun so many seconds ago, now in this state: a row of trials or generations. */
const since = (
  table: 'trials' | 'generations',
  id: string,
  { state, seconds }: { state: string; seconds: number },
) => sql`
  update ${sql.table(table)} set state = ${state}, started_at = now() - make_interval(secs => ${seconds}) where id = ${id}`;

describe('what a campaign that runs has left', () => {
  const runs = async (id: string, seconds: number): Promise<void> => {
    await sql`
      update campaigns set epoch = 1, running_since = now() - make_interval(secs => ${seconds}) where id = ${id}`.execute(
      database.kysely,
    );
  };

  test('is its trials and candidates, by batch, with what has run since when; nothing where it does not run', async () => {
    const plan = campaignPlan({ id: 'left', batches: 2, trialsPerBatch: 4 });
    await records.createCampaign(plan);
    expect(await records.workLeft('left')).toEqual([]);
    await runs('left', 60);
    const [first, second] = plan.batches[0]!.trials;
    // One of them was begun before the campaign was stopped for a while.
    await since('trials', first!.id, { state: 'running', seconds: 9_000 }).execute(database.kysely);
    await since('trials', second!.id, { state: 'running', seconds: 20 }).execute(database.kysely);
    for (const { id } of plan.batches[0]!.trials.slice(2, 3))
      await sql`update trials set state = 'done', outcome = 'failed' where id = ${id}`.execute(database.kysely);
    const [one, two, ...more] = await records.workLeft('left');
    expect(more).toEqual([]);
    expect(one).toMatchObject({ phase: 'grade', systemId: 'sys', isShared: false, trials: 1 });
    expect(one!.running.map(Math.round).toSorted((a, b) => a - b)).toEqual([20, 60]);
    expect(two).toMatchObject({ trials: 4, running: [] });
  });

  test('is a shared candidate first, until it is made', async () => {
    const plan = campaignPlan({ id: 'making', batches: 3, trialsPerBatch: 2, shared: true });
    await records.createCampaign(plan);
    await runs('making', 60);
    await since('generations', plan.batches[0]!.generation!.id, { state: 'done', seconds: 40 }).execute(
      database.kysely,
    );
    await since('generations', plan.batches[1]!.generation!.id, { state: 'running', seconds: 30 }).execute(
      database.kysely,
    );
    const left = await records.workLeft('making');
    expect(left.map(({ isShared, trials }) => [isShared, trials])).toEqual([
      [false, 2],
      [true, 2],
      [true, 2],
    ]);
    expect(left.map(({ running }) => running.map(Math.round))).toEqual([[], [30], []]);
  });

  test('is told by its own trials that have ended, among as many as ran then, also of those that still do', async () => {
    const plan = campaignPlan({ id: 'begun', batches: 1, trialsPerBatch: 8 });
    plan.spec.judge = { of: 'begun' };
    await records.createCampaign(plan);
    await runs('begun', 60);
    // At once since 30 s: four ended after 10, two run, two wait for their turn.
    await sql`
      with begun as (select id, ordinal from trials where campaign_id = 'begun' and ordinal < 6)
      update trials t set started_at = now() - interval '30 seconds', state = case when t.ordinal < 4 then 'done' else 'running' end,
        outcome = case when t.ordinal < 4 then 'passed' end,
        ended_at = case when t.ordinal < 4 then now() - interval '20 seconds' end
      from begun b where b.id = t.id`.execute(database.kysely);
    const { systems } = await records.likeTimes(plan.spec, echoManifest.stages);
    const [row] = systems[0]!.trials;
    expect(row).toMatchObject({ campaign: 'begun', trials: 4 });
    expect(row!.seconds).toBeCloseTo(10, 6);
    // Six at once for 10 s, then two for 20.
    expect(row!.atOnce).toBeCloseTo((6 * 60 + 2 * 40) / 100, 0);
  });
});

test('making shared candidates is timed where it was not interrupted', async () => {
  const plan = campaignPlan({ id: 'made', batches: 4, trialsPerBatch: 1, shared: true });
  plan.spec.judge = { of: 'made' };
  await records.createCampaign(plan);
  await ranFor('made', 100);
  for (const [index, { generation }] of plan.batches.entries())
    await sql`
      update generations set state = 'done', started_at = '2026-01-01T00:00:00Z'::timestamptz,
        ended_at = '2026-01-01T00:00:00Z'::timestamptz + make_interval(secs => ${[10, 20, 30, 5_000][index]!})
      where id = ${generation!.id}`.execute(database.kysely);
  const { systems } = await records.likeTimes(plan.spec, echoManifest.stages);
  expect(systems[0]!.candidates).toEqual({ pieces: 3, mean: 20, deviation: 10 });
});

describe('how long such trials took', () => {
  const times = async (id: string): Promise<TrialTimes> => {
    const { spec } = campaignPlan({ id, batches: 1, trialsPerBatch: 1 });
    const { systems } = await records.likeTimes({ ...spec, judge: { of: id } }, echoManifest.stages);
    return systems[0]!.trials[0]!;
  };
  /** Trials from and to a second, of one batch of which two run at once, with steps of so many seconds. */
  const campaign = async (id: string, trials: [from: number, to: number][], steps: Record<string, number> = {}) => {
    const plan = campaignPlan({ id, batches: 1, trialsPerBatch: trials.length });
    Object.assign(plan.spec, { judge: { of: id }, concurrency: { batches: 1, trials: 2, model: 8, sandbox: 2 } });
    await records.createCampaign(plan);
    for (const [ordinal, [from, to]] of trials.entries())
      await sql`
        update trials set state = 'done', outcome = 'passed',
          started_at = '2026-01-01T00:00:00Z'::timestamptz + make_interval(secs => ${from}),
          ended_at = '2026-01-01T00:00:00Z'::timestamptz + make_interval(secs => ${to})
        where id = ${plan.batches[0]!.trials[ordinal]!.id}`.execute(database.kysely);
    for (const [name, seconds] of Object.entries(steps)) {
      const [stage, step = ''] = name.split('/');
      await sql`
        insert into attempts (owner_kind, owner_id, n, epoch, stage, step, attempt, worker, started_at, ended_at)
        select 'trial', id, 1, 1, ${stage}, ${step}, 1, 'worker', started_at,
          started_at + make_interval(secs => ${seconds})
        from trials where campaign_id = ${id}`.execute(database.kysely);
    }
    return plan;
  };

  test('is what they and the places they waited for took, among as many as they saw, and of that their steps by queue', async () => {
    // From 10 to 14 one of two places stands free.
    const spans: [number, number][] = [
      [0, 10],
      [0, 12],
      [12, 22],
      [14, 24],
    ];
    await campaign('timed', spans, { 'harvest/': 1, 'generate/ask': 3, 'generate/': 0.5, 'execute/': 2 });
    await ranFor('timed', 30);
    const row = await times('timed');
    expect(row).toMatchObject({ campaign: 'timed', trials: 4, own: 6.5, model: 3, sandbox: 2, deviation: 0 });
    // Trials of 10.5 s, and 4 s for four of them.
    expect(row.seconds).toBeCloseTo(10.5 + 1, 6);
    // Alone for 2 + 2 + 2 s, two for 18 s of 42.
    expect(row.atOnce).toBeCloseTo((((10 + 8) * 4 + 6) / 42) * (11.5 / 10.5), 6);
    const { spec } = campaignPlan({ id: 'timed', batches: 1, trialsPerBatch: 1 });
    expect((await records.likeTimes({ ...spec, judge: { of: 'timed' } }, echoManifest.stages)).edges).toEqual([
      { before: 0, after: 6 },
    ]);
  });

  test('leaves out what was interrupted: trials, places that stood free meanwhile, and how the campaign began and ended', async () => {
    // Stopped from 20 to 1,000 s, in the midst of the third.
    const spans: [number, number][] = [
      [0, 10],
      [0, 10],
      [11, 1_010],
      [1_001, 1_011],
      [1_013, 1_023],
    ];
    await campaign('paused', spans);
    await ranFor('paused', 1_030);
    await sql`delete from working_times where campaign_id = 'paused'`.execute(database.kysely);
    for (const [from, to] of [
      [0, 20],
      [1_000, 1_030],
    ] as const)
      await sql`
        insert into working_times select 'paused', '2026-01-01T00:00:00Z'::timestamptz + make_interval(secs => ${from}),
          '2026-01-01T00:00:00Z'::timestamptz + make_interval(secs => ${to})`.execute(database.kysely);
    const row = await times('paused');
    expect(row.trials).toBe(4);
    expect(row.seconds).toBeLessThan(14);
    const { spec } = campaignPlan({ id: 'paused', batches: 1, trialsPerBatch: 1 });
    expect((await records.likeTimes({ ...spec, judge: { of: 'paused' } }, echoManifest.stages)).edges).toEqual([]);
  });

  test('is told by the newest campaigns', async () => {
    for (let n = 0; n < 14; n += 1) {
      const plan = campaignPlan({ id: `new-${n}`, batches: 1, trialsPerBatch: 3 });
      plan.spec.judge = { of: 'newest' };
      await records.createCampaign(plan);
      await sql`
        update trials set state = 'done', outcome = 'passed', started_at = '2026-01-01T00:00:00Z',
          ended_at = '2026-01-01T00:00:05Z' where campaign_id = ${plan.id}`.execute(database.kysely);
      await ranFor(plan.id, 5);
    }
    const { spec } = campaignPlan({ id: 'newest', batches: 1, trialsPerBatch: 1 });
    const { systems } = await records.likeTimes({ ...spec, judge: { of: 'newest' } }, echoManifest.stages);
    const told = systems[0]!.trials.map((row) => row.campaign);
    expect(new Set(told)).toEqual(new Set(Array.from({ length: 12 }, (_, n) => `new-${n + 2}`)));
  });
});
