import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { createLedger } from '../../src/adapters/postgres/ledger/ledger.js';
import { createRecords } from '../../src/adapters/postgres/records.js';
import type { BudgetSpec } from '../../src/contract/campaign.js';
import type { TrialEnd } from '../../src/contract/verdict.js';
import { DomainFailure } from '../../src/domain/failure/domain-failure.js';
import type { Records, RunSelection } from '../../src/ports/records.js';
import { campaignPlan } from '../fixtures/engine/campaign-plan.js';
import { migratedDatabase, type MigratedDatabase } from '../fixtures/postgres/postgres.js';

/** Limits of a campaign beside money, on the real records: hours that it runs, and trials that may be started. */
let database: MigratedDatabase;
let records: Records;
let campaigns = 0;

beforeAll(async () => {
  database = await migratedDatabase({ maxConnections: 8 });
  records = createRecords(database);
});

afterAll(() => database?.close());

const FAILED: TrialEnd = {
  ...{ outcome: 'failed', blame: 'model', reason: 'wrong', message: null, skipped: [] },
  verdict: { passed: false, metrics: {}, reasons: ['wrong'] },
};
const OUT_OF_BUDGET: TrialEnd = {
  ...{ outcome: 'not_run', blame: 'budget', reason: 'budget.exhausted', message: null, verdict: null, skipped: [] },
};
const NO_CANDIDATE: TrialEnd = {
  ...{ outcome: 'errored', blame: 'infrastructure', reason: 'model.unreachable', message: null },
  ...{ verdict: null, skipped: [] },
};
const NO_BUDGET = { action: 'stop', reason: 'budget.exhausted' };

/** An open campaign with two batches of four trials. */
async function opened(budget: Partial<BudgetSpec>, shape: { shared?: boolean } = {}) {
  campaigns += 1;
  const plan = campaignPlan({ id: `limited-${campaigns}`, batches: 2, trialsPerBatch: 4, ...shape });
  plan.spec.budget = { usd: null, tokens: null, ...budget };
  await records.createCampaign(plan);
  const { epoch } = await records.openCampaign(plan.id);
  const batches = plan.batches.map(({ id, trials }) => ({ id, trials: trials.map((trial) => trial.id) }));
  return { id: plan.id, epoch, batches, first: batches[0]!.trials, second: batches[1]!.trials };
}

const claim = (trialId: string, epoch: number) =>
  records.claimTrial({ trialId, epoch, workflowId: `trial/${trialId}`, workflowRunId: `${trialId}/${epoch}` });

async function run(trialId: string, epoch: number): Promise<void> {
  const claimed = await claim(trialId, epoch);
  if (claimed.action !== 'run') throw new Error(`${trialId}: ${claimed.action}`);
  await records.closeTrial({ trialId, epoch, n: claimed.n, end: FAILED });
}

const NO_LIMITS = { usd: null, tokens: null, wallHours: null, trials: null, soft: null };
const raise = (campaignId: string, budget: Partial<BudgetSpec>): Promise<unknown> =>
  records.setBudget({ campaignId, change: { ...NO_LIMITS, ...budget }, author: 'me', reason: 'more' });

/** Plans what a command asks for and opens the campaign again. */
async function again(campaignId: string, selection: RunSelection = { action: 'resume' }): Promise<number> {
  const { epoch } = await records.campaign(campaignId);
  const said = { server: 'here', author: 'me', reason: 'go on' };
  await records.planRuns({ campaignId, selection, isDryRun: false, epoch, ...said });
  return (await records.openCampaign(campaignId)).epoch;
}

/** Trials that may be claimed, in plan order. */
async function waiting(campaignId: string): Promise<string[]> {
  return (await records.trials(campaignId)).filter(({ state }) => state === 'planned').map(({ id }) => id);
}

describe('hours', () => {
  /** As if the campaign had been running for so much longer; one that does not run is as it was. */
  async function letPass(campaignId: string, hours: number): Promise<void> {
    await sql`
      update campaigns set running_since = running_since - make_interval(secs => ${3600 * hours})
      where id = ${campaignId}`.execute(database.kysely);
  }
  const hoursOf = async (id: string): Promise<number> => (await records.campaign(id)).work.seconds / 3600;

  it('admit nothing from the soft share on, let no step begin at their end, and go on when they are raised', async () => {
    const { id, epoch, first, second, batches } = await opened({ wallHours: 2, soft: 0.5 }, { shared: true });
    const generation = { generationId: `${id}/sys/scope-0/1`, epoch, workflowRunId: 'g' };
    const owner = { kind: 'trial', id: first[0]! } as const;
    const maker = { kind: 'generation', id: generation.generationId } as const;
    expect(await claim(first[0]!, epoch)).toMatchObject({ action: 'run' });
    await letPass(id, 1);
    expect(await claim(first[1]!, epoch)).toEqual(NO_BUDGET);
    expect(await records.claimBatch({ batchId: batches[1]!.id, epoch })).toEqual(NO_BUDGET);
    expect(await records.claimGeneration(generation)).toEqual(NO_BUDGET);
    expect(await records.admitGeneration(generation)).toEqual(NO_BUDGET);
    for (const running of [owner, maker]) await records.ownerContext(running, epoch);
    await letPass(id, 1);
    for (const running of [owner, maker])
      await expect(records.ownerContext(running, epoch)).rejects.toMatchObject({
        type: 'budget.exhausted',
        message: expect.stringContaining('2 hours') as string,
      });
    await raise(id, { wallHours: 3 });
    await records.ownerContext(owner, epoch);
    expect(await claim(second[0]!, epoch)).toMatchObject({ action: 'run' });
    expect(await records.claimGeneration(generation)).toMatchObject({ action: 'run' });
  });

  it('end the campaign as budget_exhausted, and a resume alone does not help', async () => {
    const { id, epoch, first } = await opened({ wallHours: 1 });
    await run(first[0]!, epoch);
    await letPass(id, 1);
    expect(await records.closeCampaign({ campaignId: id, epoch })).toEqual({ status: 'budget_exhausted' });
    const rows = await records.trials(id);
    expect(rows.filter(({ outcome, blame }) => outcome === 'not_run' && blame === 'budget')).toHaveLength(7);
    expect(await claim(first[1]!, await again(id))).toEqual(NO_BUDGET);
    await raise(id, { wallHours: 2 });
    expect(await claim(first[1]!, await again(id))).toMatchObject({ action: 'run' });
  });

  it('count over every start of the campaign, and neither its pauses nor the time after its end', async () => {
    const { id, epoch } = await opened({ wallHours: 1 });
    const set = (state: 'pause' | 'run') =>
      records.setDesiredState({ campaignId: id, state, author: 'me', reason: 'lunch' });
    await letPass(id, 0.25);
    await set('pause');
    const paused = await hoursOf(id);
    await letPass(id, 5);
    expect(await hoursOf(id)).toBe(paused);
    expect(paused).toBeGreaterThanOrEqual(0.25);
    await set('run');
    await letPass(id, 0.25);
    // A crash closes no campaign: whoever opens it again goes on counting.
    const next = await records.openCampaign(id);
    await letPass(id, 0.25);
    expect(next.epoch).toBeGreaterThan(epoch);
    await records.closeCampaign({ campaignId: id, epoch: next.epoch });
    const ended = await hoursOf(id);
    await letPass(id, 5);
    expect(await hoursOf(id)).toBe(ended);
    expect(ended).toBeGreaterThanOrEqual(0.75);
    expect(ended).toBeLessThan(1);
  });
});

describe('trials', () => {
  it('start up to the limit, the first of every batch; the rest is not run until it is raised', async () => {
    const { id, epoch, first, second } = await opened({ trials: 3 });
    expect(await waiting(id)).toEqual([first[0], first[1], second[0]]);
    expect(await claim(second[1]!, epoch)).toEqual({ action: 'skip', outcome: 'not_run' });
    for (const trialId of await waiting(id)) await run(trialId, epoch);
    expect(await records.closeCampaign({ campaignId: id, epoch })).toEqual({ status: 'budget_exhausted' });
    const row = await records.campaign(id);
    expect(row).toMatchObject({ trials: { done: 8, failed: 3, not_run: 5 }, work: { trials: 3 } });
    expect((await records.trial(second[1]!)).trial).toMatchObject({ blame: 'budget', reason: 'budget.exhausted' });

    await raise(id, { trials: 5 });
    const next = await again(id);
    expect(await waiting(id)).toEqual([first[2], second[1]]);
    for (const trialId of await waiting(id)) await run(trialId, next);
    expect(await records.closeCampaign({ campaignId: id, epoch: next })).toEqual({ status: 'budget_exhausted' });

    await raise(id, {});
    const last = await again(id);
    for (const trialId of await waiting(id)) await run(trialId, last);
    expect(await records.closeCampaign({ campaignId: id, epoch: last })).toEqual({ status: 'completed' });
    expect((await records.campaign(id)).work.trials).toBe(8);
  });

  it('beyond the limit of a large campaign are ended in chunks, each a call of its own; whoever dies in between goes on', async () => {
    campaigns += 1;
    const plan = campaignPlan({ id: `limited-${campaigns}`, batches: 12, trialsPerBatch: 500 });
    plan.spec.budget = { usd: null, tokens: null, trials: 20 };
    await records.createCampaign(plan);
    const { id } = plan;
    const ended = async (): Promise<number> => (await records.campaign(id)).trials.not_run;
    const dead = await records.openCampaign(id);
    expect([dead.isOverLimit, await ended()]).toEqual([true, 2_500]);
    const { epoch, isOverLimit } = await records.openCampaign(id);
    expect([isOverLimit, await ended()]).toEqual([true, 5_000]);
    await expect(records.limitTrials({ campaignId: id, epoch: dead.epoch })).rejects.toMatchObject({
      type: 'operator.superseded',
    });
    expect(await records.limitTrials({ campaignId: id, epoch })).toEqual({ isOverLimit: false });
    const first = plan.batches.flatMap(({ trials }, batch) => trials.slice(0, batch < 8 ? 2 : 1));
    expect(await waiting(id)).toEqual(first.map((trial) => trial.id));
    expect(await records.limitTrials({ campaignId: id, epoch })).toEqual({ isOverLimit: false });
    expect(await ended()).toBe(5_980);
  });

  it('beyond the limit of a cancelled campaign are left to its close', async () => {
    campaigns += 1;
    const plan = campaignPlan({ id: `limited-${campaigns}`, batches: 6, trialsPerBatch: 500 });
    plan.spec.budget = { usd: null, tokens: null, trials: 2 };
    await records.createCampaign(plan);
    const { epoch } = await records.openCampaign(plan.id);
    await records.setDesiredState({ campaignId: plan.id, state: 'cancel', author: 'me', reason: 'enough' });
    expect(await records.limitTrials({ campaignId: plan.id, epoch })).toEqual({ isOverLimit: false });
    expect((await records.campaign(plan.id)).trials.not_run).toBe(2_500);
  });

  it('that were interrupted, or are run again, take no further place', async () => {
    const { id, epoch, first, second } = await opened({ trials: 2 });
    await claim(first[0]!, epoch);
    const next = (await records.openCampaign(id)).epoch;
    expect(await waiting(id)).toEqual([first[0], second[0]]);
    for (const trialId of await waiting(id)) await run(trialId, next);
    await records.closeCampaign({ campaignId: id, epoch: next });
    const last = await again(id, { action: 'retry', which: 'failed', fresh: false });
    expect(await waiting(id)).toEqual([first[0], second[0]]);
    expect(await claim(first[0]!, last)).toMatchObject({ action: 'run', n: 3 });
  });

  it('that ended before they began, for want of a candidate, have taken none when they are planned again', async () => {
    const { id, epoch, batches, first, second } = await opened({}, { shared: true });
    for (const batch of batches) await records.closeBatch({ batchId: batch.id, epoch, openTrials: NO_CANDIDATE });
    await records.closeCampaign({ campaignId: id, epoch });
    await again(id, { action: 'retry', which: 'errored', fresh: false });
    expect((await records.trials(id)).map(({ n }) => n)).toEqual(Array(8).fill(2));
    expect((await records.campaign(id)).work.trials).toBe(0);
    await raise(id, { trials: 3 });
    expect(await waiting(id)).toEqual([first[0], first[1], second[0]]);
  });

  it('that a lowered limit ends take their candidate with them, and no other', async () => {
    const { id, epoch, batches, first } = await opened({}, { shared: true });
    const [one, other] = [0, 1].map((batch) => ({ generationId: `${id}/sys/scope-${batch}/1`, epoch }));
    for (const generation of [one!, other!]) {
      await records.claimGeneration({ ...generation, workflowRunId: 'g' });
      expect(await records.admitGeneration(generation)).toEqual({ action: 'run' });
    }
    await raise(id, { trials: 1 });
    expect(await records.admitGeneration(one!)).toEqual({ action: 'run' });
    expect(await records.admitGeneration(other!)).toEqual(NO_BUDGET);
    await records.closeBatch({ batchId: batches[1]!.id, epoch, openTrials: OUT_OF_BUDGET });
    expect(await claim(first[0]!, epoch)).toMatchObject({ action: 'run' });
  });

  it('beyond the limit make no candidate', async () => {
    const { id, epoch, batches } = await opened({ trials: 1 }, { shared: true });
    const page = await records.batchPage({ campaignId: id, epoch, after: null });
    expect(page.map((batch) => batch.id)).toEqual([batches[0]!.id]);
    expect(await records.claimBatch({ batchId: batches[1]!.id, epoch })).toEqual({ action: 'skip', outcome: null });
  });

  it('that wait end at once when the limit is set on the way', async () => {
    const { id, epoch, first, second } = await opened({});
    await claim(second[2]!, epoch);
    await raise(id, { trials: 3 });
    expect(await waiting(id)).toEqual([first[0], second[0]]);
    const states = (await records.trials(id)).map(({ state }) => state);
    expect(states.filter((state) => state === 'running')).toHaveLength(1);
  });
});

describe('the limit over all campaigns', () => {
  const limit = (usd: number | null): Promise<unknown> =>
    records.setInstallationBudget({ change: { usd, tokens: null, soft: null }, author: 'me', reason: 'so it is' });

  it('raised, lets those it had stopped go on: open ones at once, ended ones by a resume', async () => {
    const ledger = createLedger(database);
    await records.beatWorker({ instance: 'w', host: 'h', pid: 1 });
    const [open, ended] = [await opened({}), await opened({})];
    await limit(0);
    for (const { id: campaignId, epoch, first } of [open, ended]) {
      const ref = { name: 'p', sha256: 'a', sizeBytes: 1, mediaType: 'text/plain', truncated: false };
      const refused = await ledger.reserve({
        ...{
          key: `${campaignId}/call`,
          account: { kind: 'campaign' as const, id: campaignId },
          epoch,
          owner: { kind: 'trial', id: first[0]! },
          worker: 'w',
        },
        ...{ stage: 'generate', step: '', purpose: 'generate', model: 'm', requestRef: ref },
        estimate: { microUsd: 1, tokens: 1 },
      });
      expect(refused).toMatchObject({ status: 'exhausted', scope: 'installation' });
      expect(await claim(first[1]!, epoch)).toEqual(NO_BUDGET);
    }
    const { id: campaignId, epoch } = ended;
    expect(await records.closeCampaign({ campaignId, epoch })).toEqual({ status: 'budget_exhausted' });
    await limit(1);
    expect(await claim(open.first[1]!, open.epoch)).toMatchObject({ action: 'run' });
    expect(await claim(ended.first[1]!, await again(campaignId))).toMatchObject({ action: 'run' });
    await limit(null);
  });
});

describe('limits that are set while work ends for want of money', () => {
  it('never stand in each other’s way: all lock in one order', async () => {
    for (let round = 0; round < 12; round += 1) {
      const { id, epoch, batches } = await opened({}, { shared: true });
      const trials = await waiting(id);
      const failure = new DomainFailure('budget.exhausted', 'spent').toFailure();
      const closers = [
        ...trials.map((trialId) => () => records.closeTrial({ trialId, epoch, n: 1, end: OUT_OF_BUDGET })),
        ...batches.map(
          ({ id: batchId }) =>
            () =>
              records.closeBatch({ batchId, epoch, openTrials: OUT_OF_BUDGET }),
        ),
        ...[0, 1].map((batch) => () => {
          return records.closeGeneration({
            generationId: `${id}/sys/scope-${batch}/1`,
            epoch,
            candidate: null,
            failure,
          });
        }),
        ...[2, 4, 6].map((limit) => () => raise(id, { trials: limit })),
        () => records.setInstallationBudget({ change: { usd: 9, tokens: null, soft: null }, author: 'me', reason: '' }),
      ];
      // Every round in another order, the same ones each time.
      const order = closers.map((_, index) => (index * 5 + round * 3) % closers.length);
      await Promise.all(order.map((index) => closers[index]!()));
    }
    const none = { usd: null, tokens: null, soft: null };
    await records.setInstallationBudget({ change: none, author: 'me', reason: '' });
  });
});
