import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLedger } from '../../../src/adapters/postgres/ledger/ledger.js';
import { sql } from '../../../src/adapters/postgres/query-builder.js';
import { createRecords } from '../../../src/adapters/postgres/records.js';
import type { CallOwner } from '../../../src/contract/stage.js';
import type { Ledger, Settlement } from '../../../src/ports/ledger.js';
import type { Records } from '../../../src/ports/records.js';
import { campaignPlan } from '../../fixtures/engine/campaign-plan.js';
import { migratedDatabase, type MigratedDatabase } from '../../fixtures/postgres/postgres.js';

/** Sums of calls are kept once a campaign has ended (decision 0090), and calls may change all the same: an answer comes late. */
let database: MigratedDatabase;
let records: Records;
let ledger: Ledger;
let campaigns = 0;

beforeAll(async () => {
  database = await migratedDatabase({ maxConnections: 6 });
  records = createRecords(database);
  ledger = createLedger(database);
  await records.beatWorker({ instance: 'living', host: 'test', pid: 1 });
});

afterAll(async () => {
  await database?.close();
});

const blob = { sha256: 'a', sizeBytes: 1, mediaType: 'application/json', name: 'a.json', truncated: false };
const bill = (microUsd: number, more: Partial<Settlement> = {}): Settlement => ({
  ...{ actual: { microUsd, tokens: microUsd }, providerRequestId: null, usageReported: true },
  ...more,
});

/** What may become of a call, whatever became of it before. */
const STEPS = {
  ask: (call) => ledger.reserve(call).then(() => ledger.markSent(call.key, 1).catch(() => undefined)),
  'ask by one that dies': (call) => ledger.reserve({ ...call, worker: 'dead' }),
  'be found abandoned': ({ key }) => ledger.callState(key, 'living'),
  answer: ({ key }, attempt) => ledger.settle(key, attempt, { ...bill(70), responseRef: blob }),
  'answer without usage': ({ key }, attempt) =>
    ledger.settle(key, attempt, { ...bill(100, { usageReported: false }), responseRef: blob }),
  'answer, costing more': ({ key }, attempt) => ledger.settle(key, attempt, { ...bill(130), responseRef: blob }),
  'answer, fetched': ({ key }, attempt) =>
    ledger.settle(key, attempt, { ...bill(70, { isRecovered: true }), responseRef: blob }),
  'answer with a usage that cannot be': ({ key }, attempt) =>
    ledger.settle(key, attempt, {
      ...bill(100, { usageReported: false, implausible: { problem: 'too much', claimed: {} } }),
      responseRef: blob,
    }),
  charge: ({ key }, attempt) => ledger.charge(key, attempt, bill(30), 'cut off'),
  release: ({ key }, attempt) => ledger.release(key, attempt, '429'),
  lose: ({ key }, attempt) => ledger.markAmbiguous(key, attempt, 'cut'),
  'answer again': ({ key }) => ledger.noteReplay(key),
  'answer from elsewhere': (call) =>
    ledger.reuse({
      ...{ ...call, from: `elsewhere-${call.key}`, question: 'q', responseRef: blob },
      saved: { microUsd: 9, tokens: 3 },
    }),
} satisfies Record<string, (call: ReturnType<typeof callsOf>[number], attempt: number) => Promise<unknown>>;

/** Two calls of each of two trials and a generation. */
function callsOf(id: string) {
  const trial = (n: number): CallOwner => ({ kind: 'trial', id: `${id}/task-0-${n}/sys/1` });
  const generation: CallOwner = { kind: 'generation', id: `${id}/sys/scope-0/1` };
  return [trial(0), trial(1), generation].flatMap((owner) =>
    ['m', 'n'].map((model) => ({
      ...{ key: `${owner.id}|${model}`, account: { kind: 'campaign' as const, id }, epoch: 1, owner, model },
      ...{ stage: 'vote', step: '', purpose: 'vote', requestRef: blob, worker: 'living', question: null },
      estimate: { microUsd: 100, tokens: 100 },
    })),
  );
}

/** A campaign that has ended. Its budget has a row, as that of every campaign that reserved anything. */
async function ended(): Promise<string> {
  campaigns += 1;
  const id = `kept-${campaigns}`;
  await records.createCampaign(campaignPlan({ id, batches: 1, trialsPerBatch: 2, shared: true }));
  await records.openCampaign(id);
  await ledger.setLimit({ kind: 'campaign', id }, { microUsd: null, tokens: null, soft: null });
  await sql`update campaigns set ended_at = now(), ended_as = 'completed' where id = ${id}`.execute(database.kysely);
  return id;
}

/** Everything that is summed from calls. */
async function sumsOf(id: string) {
  const { campaign, totals, calls } = await records.campaignTotals(id, []);
  const trials = (await records.trials(id)).map((trial) => [
    trial.id,
    trial.costMicroUsd,
    trial.tokens,
    trial.reusedCalls,
  ]);
  return { spend: campaign.spend, ofTrials: totals.spend, calls, trials };
}

const forget = (id: string) => sql`delete from kept_sums where campaign_id = ${id}`.execute(database.kysely);

const step = fc.record({
  name: fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[])),
  call: fc.nat(5),
  attempt: fc.integer({ min: 1, max: 2 }),
});

test('are those of the calls as they are, whatever becomes of these after the end', async () => {
  const seen = { steps: 0, changes: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const id = await ended();
      const calls = callsOf(id);
      let before = JSON.stringify(await sumsOf(id));
      for (const { name, call, attempt } of steps) {
        await STEPS[name](calls[call]!, attempt);
        const kept = await sumsOf(id);
        await forget(id);
        const summed = await sumsOf(id);
        expect(kept, name).toEqual(summed);
        // Summed in another way: of all calls at once.
        expect(kept.spend, name).toEqual((await records.campaign(id)).spend);
        seen.steps += 1;
        seen.changes += JSON.stringify(summed) === before ? 0 : 1;
        before = JSON.stringify(summed);
      }
    }),
    { numRuns: 20 },
  );
  expect(seen.changes).toBeGreaterThan(seen.steps / 10);
});

test('are read until something changes, and summed anew by another query', async () => {
  const id = await ended();
  const [call] = callsOf(id);
  await STEPS.ask(call!);
  await STEPS.answer(call!, 1);
  const summed = await sumsOf(id);
  expect(summed.trials[0]).toEqual([call!.owner.id, 70, 70, 0]);
  const falsify = () =>
    sql`update kept_sums set micro_usd = array[1], repeated_calls = 5 where campaign_id = ${id}`.execute(
      database.kysely,
    );
  await falsify();
  const false_ = await sumsOf(id);
  expect([false_.trials[0]![1], false_.spend.repeatedCalls]).toEqual([1, 5]);
  await ledger.noteReplay(call!.key);
  expect(await sumsOf(id)).toEqual({ ...summed, spend: { ...summed.spend, replayedCalls: 1 } });
  await falsify();
  await sql`update kept_sums set queries = 'of before' where campaign_id = ${id}`.execute(database.kysely);
  expect((await sumsOf(id)).trials).toEqual(summed.trials);
});

test('are kept of no campaign that runs, and go with the campaign', async () => {
  const keptOf = async (id: string) =>
    (await sql`select from kept_sums where campaign_id = ${id}`.execute(database.kysely)).rows.length;
  const id = await ended();
  await records.openCampaign(id);
  await sumsOf(id);
  expect(await keptOf(id)).toBe(0);
  await sql`update campaigns set ended_at = now(), ended_as = 'completed' where id = ${id}`.execute(database.kysely);
  await sumsOf(id);
  expect(await keptOf(id)).toBe(1);
  await records.removeCampaign({ campaignId: id, author: 'me', reason: '' });
  expect(await keptOf(id)).toBe(0);
});
