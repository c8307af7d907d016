import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { createRecords } from '../../src/adapters/postgres/records.js';
import { planForecast } from '../../src/client/plans/plan-forecast.js';
import type { CampaignSpec } from '../../src/contract/campaign.js';
import type { Records } from '../../src/ports/records.js';
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

/** A campaign whose trials have ended after 10 and 14 seconds in turn. */
async function ended(id: string, change: (spec: CampaignSpec) => void = () => undefined): Promise<CampaignSpec> {
  const plan = campaignPlan({ id, batches: 1, trialsPerBatch: 8 });
  change(plan.spec);
  await records.createCampaign(plan);
  await sql`
    update trials set state = 'done', outcome = 'passed', started_at = '2026-01-01T00:00:00Z',
      ended_at = '2026-01-01T00:00:00Z'::timestamptz + make_interval(secs => 10 + 4 * (ordinal % 2))
    where campaign_id = ${id}`.execute(database.kysely);
  return plan.spec;
}

test('a plan like nothing that was run has no forecast; one like a campaign has its figures, for as many trials', async () => {
  const plan = campaignPlan({ id: 'next', batches: 1, trialsPerBatch: 4 });
  const before = await planForecast({ records }, plan);
  expect(before.systems[0]).toMatchObject({ like: 0, calls: null, wallSeconds: null });
  expect(before.all.usd).toBeNull();
  await ended('first');
  const { systems, all, done } = await planForecast({ records }, plan);
  expect(systems[0]).toMatchObject({ like: 8, calls: { low: 0, high: 0 }, usd: { low: 0, high: 0 } });
  // Four trials of 12 s in the mean, all at once.
  const { low, high } = all.wallSeconds!;
  expect(low).toBeLessThan(12);
  expect(high).toBeGreaterThan(12);
  expect((low + high) / 2).toBeCloseTo(12, 6);
  expect(done).toBe(0);
  // Of the campaign itself: what has ended.
  expect((await planForecast({ records }, campaignPlan({ id: 'first', batches: 1, trialsPerBatch: 8 }))).done).toBe(8);
});

test('another generator, option, judge or suite is another kind of work', async () => {
  const spec = await ended('second');
  const like = async (change: (spec: CampaignSpec) => void): Promise<number> => {
    const other = structuredClone(spec);
    change(other);
    return (await records.likeWork(other))[0]!.trials.seconds.pieces;
  };
  expect(await like(() => undefined)).toBeGreaterThanOrEqual(8);
  expect(await like((other) => (other.systems[0]!.generator = 'other'))).toBe(0);
  expect(await like((other) => (other.systems[0]!.options = { turns: 2 }))).toBe(0);
  expect(await like((other) => (other.systems[0]!.vote = { voter: 'model' }))).toBe(0);
  expect(await like((other) => (other.judge = { vote: {} }))).toBe(0);
  expect(await like((other) => (other.suite = 'other'))).toBe(0);
});
