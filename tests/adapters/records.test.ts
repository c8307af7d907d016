import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { openDatabase } from '../../src/adapters/postgres/schema/database.js';
import { onDatabase } from '../../src/adapters/postgres/schema/database-failure.js';
import { migrate } from '../../src/adapters/postgres/schema/migrate.js';
import { MIGRATIONS } from '../../src/adapters/postgres/schema/migrations.js';
import { createRecords } from '../../src/adapters/postgres/records.js';
import type { EvidenceRef } from '../../src/contract/evidence.js';
import type { CampaignPlan } from '../../src/contract/plan.js';
import { WORKSPACE_MEDIA_TYPE } from '../../src/contract/sandbox-result.js';
import type { TrialEnd } from '../../src/contract/verdict.js';
import type { AttemptRecord, Records, RunSelection, StepRecord } from '../../src/ports/records.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { campaignPlan } from '../fixtures/engine/campaign-plan.js';
import { freshDatabase, migratedDatabase, type MigratedDatabase } from '../fixtures/postgres/postgres.js';
import { throughCuts } from '../fixtures/postgres/through-cuts.js';
import { totalsOf } from '../fixtures/engine/trial-totals.js';

const SUPERSEDED = { name: 'DomainFailure', type: 'operator.superseded' };
const PASSED: TrialEnd = {
  outcome: 'passed',
  blame: null,
  reason: null,
  message: null,
  verdict: { passed: true, reasons: [], metrics: { validated: 1, coverage: null, seconds: 0.5 } },
  skipped: [{ stage: 'vote', reason: 'one match' }],
};
const FAILED: TrialEnd = { ...PASSED, outcome: 'failed', blame: 'model', reason: 'test.assertion' };
const OUT_OF_BUDGET: TrialEnd = {
  outcome: 'not_run',
  blame: 'budget',
  reason: 'budget.exhausted',
  message: null,
  verdict: null,
  skipped: [],
};
const GENERATION_BROKE: TrialEnd = { ...OUT_OF_BUDGET, outcome: 'errored', blame: 'infrastructure' };

let database: MigratedDatabase;
let records: Records;
let campaigns = 0;

beforeAll(async () => {
  database = await migratedDatabase();
  records = createRecords(database);
});

afterAll(async () => {
  await database?.close();
});

/** A campaign of its own for each test; returns its keys. */
async function planned(shape: { batches?: number; trialsPerBatch?: number; shared?: boolean } = {}) {
  const id = `c${(campaigns += 1)}`;
  const plan = campaignPlan({ id, batches: 1, trialsPerBatch: 3, ...shape });
  await records.createCampaign(plan);
  const trialIds = plan.batches.flatMap((batch) => batch.trials.map((trial) => trial.id));
  return { id, plan, trialIds, batchIds: plan.batches.map((batch) => batch.id) };
}

function claim(trialId: string, epoch: number, workflowRunId = `wf-${trialId}-${epoch}`) {
  return records.claimTrial({ trialId, epoch, workflowId: `trial/${trialId}`, workflowRunId });
}

async function runTrial(trialId: string, epoch: number, end: TrialEnd): Promise<void> {
  const claimed = await claim(trialId, epoch);
  if (claimed.action !== 'run') throw new Error(`not run: ${JSON.stringify(claimed)}`);
  await records.closeTrial({ trialId, epoch, n: claimed.n, end });
}

/** What `durabench resume` does: plans, then its workflow opens the campaign. */
async function resume(campaignId: string, selection: RunSelection = { action: 'resume' }) {
  const { epoch } = await records.campaign(campaignId);
  const asked = { campaignId, selection, epoch, server: 'here', author: 'me@here', reason: 'test' };
  const runs = await records.planRuns({ ...asked, isDryRun: false });
  return { runs, ...(await records.openCampaign(campaignId, 'here')) };
}

function attempt(change: Partial<AttemptRecord> = {}): AttemptRecord {
  const times = { startedAt: '2026-01-01T00:00:00.000Z', endedAt: '2026-01-01T00:00:01.000Z' };
  return { attempt: 1, worker: 'w1', ...times, failure: null, ...change };
}

function stepOf(trialId: string, epoch: number, change: Partial<StepRecord> = {}): StepRecord {
  return {
    owner: { kind: 'trial', id: trialId },
    epoch,
    n: 1,
    stage: 'vote',
    step: 'match-1',
    inputHash: 'input',
    result: { accepted: true },
    evidence: [
      {
        sha256: 'e'.repeat(64),
        sizeBytes: 3_000_000_000,
        mediaType: 'text/plain',
        name: 'votes.txt',
        truncated: false,
      },
    ],
    votes: [{ match: 1, round: 1, voter: 1, model: 'oracle', answer: 'yes', reason: 'it’s it' }],
    attempt: attempt(),
    ...change,
  };
}

async function countOf(table: 'steps' | 'evidence' | 'votes' | 'attempts', ownerId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)} where owner_id = ${ownerId}`.execute(database.kysely);
  return rows[0]!.count;
}

/** Whether anybody stands at a row that another transaction has locked. */
async function someoneWaits(): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
    database.kysely,
  );
  return rows.length > 0;
}

const trialState = async (trialId: string) => (await records.trial(trialId)).trial;

describe('migrations', () => {
  it('run once, also when several processes start together', async () => {
    const other = await freshDatabase();
    const starters = Array.from({ length: 4 }, () => openDatabase({ connectionString: other.databaseUrl }));
    await Promise.all(starters.map((starter) => migrate(starter)));
    const { rows } = await sql<{ version: number }>`select version from schema_migrations order by 1`.execute(
      starters[0]!.kysely,
    );
    expect(rows.map((row) => row.version)).toEqual(MIGRATIONS.map((migration) => migration.version));
    await Promise.all(starters.map((starter) => starter.close()));
    await other.drop();
  });

  it('refuse a schema of a newer version with the fix, and touch nothing', async () => {
    const older = MIGRATIONS.slice(0, 1);
    const refused = migrate(database, older);
    const message: unknown = expect.stringMatching(`schema version ${MIGRATIONS.at(-1)?.version};.*up to 1`);
    await expect(refused).rejects.toMatchObject({ name: 'UserError', message });
    await expect(refused).rejects.toMatchObject({
      problems: [{ fix: expect.stringContaining('newer Durabench') as string }],
    });
  });

  it('are numbered upwards, and one that came late to a database is applied all the same', async () => {
    const versions = MIGRATIONS.map((migration) => migration.version);
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
    const other = await freshDatabase();
    const late = openDatabase({ connectionString: other.databaseUrl });
    await migrate(
      late,
      // Two that none of the later ones builds on.
      MIGRATIONS.filter(({ version }) => version !== 16 && version !== 17),
    );
    await migrate(late);
    const { rows } = await sql<{ version: number }>`select version from schema_migrations order by 1`.execute(
      late.kysely,
    );
    expect(rows.map((row) => row.version)).toEqual(versions);
    await late.close();
    await other.drop();
  });
});

describe('a plan', () => {
  it('is stored whole: campaign, batches, generations, trials and their first runs', async () => {
    const { id, trialIds } = await planned({ batches: 2, trialsPerBatch: 3, shared: true });
    const campaign = await records.campaign(id);
    expect(campaign).toMatchObject({
      status: 'planned',
      epoch: 0,
      desiredState: 'run',
      dataset: 'echo@1',
      endedAt: null,
      trials: { planned: 6, done: 0, passed: 0, failed: 0, errored: 0, not_run: 0 },
      spend: {
        ...{ microUsd: 0, tokens: 0, calls: 0, repeatedCalls: 0, recoveredCalls: 0, replayedCalls: 0 },
        overshoot: { microUsd: 0, tokens: 0, requests: 0 },
      },
    });
    expect(campaign.spec.concurrency.trials).toBe(25);
    const rows = await records.trials(id);
    expect(rows.map((row) => row.id)).toEqual(trialIds);
    expect(rows[0]).toMatchObject({ group: 'group-0', category: 'c', state: 'planned', n: 1, metrics: {} });
    expect((await records.trial(trialIds[0]!)).runs).toMatchObject([{ n: 1, outcome: null, startedAt: null }]);
  });

  it('says where its trials stand, and which begin so, without reading their rows', async () => {
    const { id, trialIds } = await planned({ batches: 2 });
    const [first = '', second = '', third = '', ...others] = trialIds;
    const { epoch } = await records.openCampaign(id);
    await runTrial(second, epoch, PASSED);
    for (const trialId of [third, first]) await claim(trialId, epoch);
    expect(await records.trialStates(id)).toEqual({ planned: others.length, done: 1, running: [first, third] });
    expect(await records.trialStates('nobody')).toEqual({ planned: 0, done: 0, running: [] });
    expect(await records.trialIds(id, `${id}/`)).toEqual(trialIds);
    expect(await records.trialIds(id, second)).toEqual([second]);
    expect(await records.trialIds(id, `${id}/%`)).toEqual([]);
  });

  it('is stored not at all when one row of it is wrong', async () => {
    const plan = campaignPlan({ id: 'broken', batches: 2, trialsPerBatch: 3 });
    plan.batches[1]!.trials[2] = plan.batches[0]!.trials[0]!;
    await expect(records.createCampaign(plan)).rejects.toThrow(/duplicate key/);
    expect(await records.resolveCampaign('broken')).toBeNull();
    expect(await records.trials('broken')).toEqual([]);
  });

  it('attaches to an equal lock and refuses another one', async () => {
    const { id, plan, trialIds } = await planned();
    const { epoch } = await records.openCampaign(id);
    await runTrial(trialIds[0]!, epoch, PASSED);
    await records.createCampaign(plan);
    expect((await records.campaign(id)).trials).toMatchObject({ planned: 3, passed: 1 });
    const other = records.createCampaign({ ...plan, lock: { ...plan.lock, sha256: 'lock-2' } });
    await expect(other).rejects.toSatisfy((error: Error) => error.message.split('\n').length === 3);
  });

  it('takes over another price as an event, and nothing else that is asked with it', async () => {
    const { plan } = await planned();
    const priced = (id: string, input: number, changes: Partial<CampaignPlan['lock']> = {}): CampaignPlan => {
      const price = { input, output: 2 };
      const m = { name: 'm', baseUrl: 'http://m/v1', apiKeyEnv: null, price, maxOutputTokens: 1 };
      const models = { m: { ...m, temperature: null, timeoutSeconds: 1 } };
      const sha256 = `lock of ${JSON.stringify([input, changes])}`;
      const lock = { ...plan.lock, prices: { m: { ...price, cachedInput: input } }, ...changes, sha256 };
      return { ...plan, id, batches: [], spec: { ...plan.spec, models }, lock };
    };
    const id = `priced-${plan.id}`;
    await records.createCampaign(priced(id, 1));
    await records.createCampaign(priced(id, 3), { author: 'ann' });
    await records.createCampaign(priced(id, 3), { author: 'ann' });
    const { spec, lock } = await records.campaign(id);
    expect(spec.models['m']?.price).toEqual({ input: 3, output: 2 });
    expect(lock.prices).toEqual({ m: { input: 3, output: 2, cachedInput: 3 } });
    const settings = (input: number): object => ({ prices: { m: { input, output: 2 } } });
    expect(await records.events(id)).toMatchObject([
      { action: 'settings', author: 'ann', details: { before: settings(1), after: settings(3) } },
    ]);
    const other = records.createCampaign(priced(id, 4, { graderDigest: 'another' }));
    await expect(other).rejects.toThrow(/What differs: grader\./);
    expect((await records.campaign(id)).spec.models['m']?.price).toEqual({ input: 3, output: 2 });
  });

  it('of 3,000 trials is inserted many rows at a time, and pages in plan order', async () => {
    let statements = 0;
    const kysely = database.kysely.withPlugin({
      transformQuery: ({ node }) => ((statements += 1), node),
      transformResult: async ({ result }) => result,
    });
    const plan = campaignPlan({ id: 'large', batches: 120, trialsPerBatch: 25 });
    await createRecords({ ...database, kysely }).createCampaign(plan);
    expect(statements).toBeGreaterThan(3);
    expect(statements).toBeLessThan(60);
    const { id } = plan;
    const batchIds = plan.batches.map((batch) => batch.id);
    const trialIds = plan.batches.flatMap((batch) => batch.trials.map((trial) => trial.id));
    const { epoch, batchCount, concurrency } = await records.openCampaign(id);
    expect({ batchCount, concurrency }).toEqual({ batchCount: 120, concurrency: { batches: 2, trials: 25 } });
    const batches: string[] = [];
    for (let after: string | null = null; ; after = batches.at(-1)!) {
      const page = await records.batchPage({ campaignId: id, epoch, after });
      expect(page.length).toBeLessThanOrEqual(50);
      if (page.length === 0) break;
      batches.push(...page.map((batch) => batch.id));
    }
    expect(batches).toEqual(batchIds);
    const trials = await records.trialPage({ batchId: batchIds[7]!, epoch, after: trialIds[7 * 25 + 4]! });
    expect(trials).toEqual(trialIds.slice(7 * 25 + 5, 8 * 25));
  });
});

describe('the secret of a campaign', () => {
  it('is the same whenever and by whomever it is run, another for another campaign, and in no row that is shown', async () => {
    const [one, other] = [await planned(), await planned()];
    const secretOf = async ({ id, trialIds }: typeof one): Promise<string> => {
      const { epoch } = await resume(id);
      await claim(trialIds[0]!, epoch);
      return (await records.ownerContext({ kind: 'trial', id: trialIds[0]! }, epoch)).secret;
    };
    const secret = await secretOf(one);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(await secretOf(one)).toBe(secret);
    expect(await secretOf(other)).not.toBe(secret);
    const shown = [await records.campaign(one.id), await records.trial(one.trialIds[0]!), await records.events(one.id)];
    expect(JSON.stringify(shown)).not.toContain(secret);
  });
});

describe('a claim', () => {
  it('runs a planned trial once, and answers the same run to the same workflow run', async () => {
    const { id, trialIds } = await planned();
    const { epoch } = await records.openCampaign(id);
    const [trialId] = trialIds as [string];
    const first = await claim(trialId, epoch, 'wf-1');
    expect(first).toMatchObject({ action: 'run', n: 1, suite: 'echo' });
    expect(first).toMatchObject({ spec: { trialId, taskId: 'task-0-0', systemId: 'sys', settings: { top: 3 } } });
    expect(await claim(trialId, epoch, 'wf-1')).toEqual(first);
    await records.closeTrial({ trialId, epoch, n: 1, end: PASSED });
    expect(await claim(trialId, epoch, 'wf-1')).toEqual({ action: 'skip', outcome: 'passed' });
  });

  it('by another workflow run of the same epoch replaces the run that is gone', async () => {
    const { id, trialIds } = await planned();
    const { epoch } = await records.openCampaign(id);
    const [trialId] = trialIds as [string];
    await claim(trialId, epoch, 'terminated');
    expect(await claim(trialId, epoch, 'next')).toMatchObject({ action: 'run', n: 2 });
    await expect(records.closeTrial({ trialId, epoch, n: 1, end: FAILED })).rejects.toMatchObject(SUPERSEDED);
    const { runs } = await records.trial(trialId);
    expect(runs).toMatchObject([
      { n: 1, reason: 'run.interrupted' },
      { n: 2, workflowRunId: 'next' },
    ]);
  });

  it('gives a trial to one of many that ask at once', async () => {
    const { id, trialIds } = await planned();
    const { epoch } = await records.openCampaign(id);
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim(trialIds[0]!, epoch, 'same')));
    expect(new Set(claims.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect((await records.trial(trialIds[0]!)).runs).toHaveLength(1);
  });

  it('answers hold and stop as the operator asks; what changes nothing is no event', async () => {
    const { id, trialIds, batchIds } = await planned({ shared: true });
    const { epoch } = await records.openCampaign(id);
    const generationId = `${id}/sys/scope-0/1`;
    const all = () =>
      Promise.all([
        claim(trialIds[0]!, epoch),
        records.claimBatch({ batchId: batchIds[0]!, epoch }),
        records.claimGeneration({ generationId, epoch, workflowRunId: 'g' }),
      ]);
    const set = (state: 'pause' | 'cancel' | 'run') =>
      records.setDesiredState({ campaignId: id, state, author: 'me', reason: 'test' });
    await set('pause');
    expect(await all()).toEqual(Array(3).fill({ action: 'pause' }));
    expect((await records.campaign(id)).status).toBe('paused');
    await set('cancel');
    expect(await all()).toEqual(Array(3).fill({ action: 'stop', reason: 'operator.cancelled' }));
    await set('cancel'); // again
    await set('pause'); // takes no cancel back
    expect(await all()).toEqual(Array(3).fill({ action: 'stop', reason: 'operator.cancelled' }));
    await set('run');
    expect((await all()).map((answer) => answer.action)).toEqual(['run', 'run', 'run']);
    const events = await database.kysely.selectFrom('events').selectAll().where('campaign_id', '=', id).execute();
    expect(events.map((event) => event.action)).toEqual(['pause', 'cancel', 'resume']);
    expect(events[0]).toMatchObject({ author: 'me', reason: 'test', at: expect.stringMatching(/Z$/) as string });
  });

  it('stops with superseded for an old epoch, also for what is done', async () => {
    const { id, trialIds, batchIds } = await planned();
    const { epoch } = await records.openCampaign(id);
    await runTrial(trialIds[1]!, epoch, PASSED);
    await records.openCampaign(id);
    const stop = { action: 'stop', reason: 'operator.superseded' };
    expect(await claim(trialIds[0]!, epoch)).toEqual(stop);
    expect(await claim(trialIds[1]!, epoch)).toEqual(stop);
    expect(await records.claimBatch({ batchId: batchIds[0]!, epoch })).toEqual(stop);
  });
});

describe('a stale epoch', () => {
  it('writes nothing', async () => {
    const { id, trialIds, batchIds } = await planned({ shared: true });
    const generationId = `${id}/sys/scope-0/1`;
    const [trialId] = trialIds as [string];
    const { epoch } = await records.openCampaign(id);
    await claim(trialId, epoch);
    await records.claimGeneration({ generationId, epoch, workflowRunId: 'g' });
    await records.openCampaign(id);
    const failed = attempt({ failure: { type: 'sandbox.lost', blame: 'infrastructure', message: 'gone' } });
    const owner = { kind: 'trial', id: trialId } as const;
    for (const write of [
      () => records.recordStep(stepOf(trialId, epoch)),
      () => records.recordStep(stepOf(trialId, epoch, { owner: { kind: 'generation', id: generationId } })),
      () => records.recordFailedAttempt({ owner, epoch, n: 1, stage: 'vote', step: '', attempt: failed }),
      () => records.closeTrial({ trialId, epoch, n: 1, end: PASSED }),
      () => records.closeBatch({ batchId: batchIds[0]!, epoch, openTrials: FAILED }),
      () => records.closeGeneration({ generationId, epoch, candidate: null, failure: failed.failure }),
      () => records.closeCampaign({ campaignId: id, epoch }),
      () => records.batchPage({ campaignId: id, epoch, after: null }),
      () => records.trialPage({ batchId: batchIds[0]!, epoch, after: null }),
      () => records.ownerContext(owner, epoch),
    ]) {
      await expect(write()).rejects.toMatchObject(SUPERSEDED);
    }
    for (const table of ['steps', 'evidence', 'votes', 'attempts'] as const) {
      expect(await countOf(table, trialId)).toBe(0);
      expect(await countOf(table, generationId)).toBe(0);
    }
    expect(await records.campaign(id)).toMatchObject({ status: 'running', trials: { done: 0 } });
  });
});

describe('a resume', () => {
  it('plans run n+1 for what was interrupted, keeps n for what never started, and leaves the rest', async () => {
    const { id, trialIds } = await planned({ trialsPerBatch: 5 });
    const [graded, errored, interrupted, untouched] = trialIds as [string, string, string, string, string];
    const first = await records.openCampaign(id);
    await runTrial(graded, first.epoch, FAILED);
    await runTrial(errored, first.epoch, GENERATION_BROKE);
    await claim(interrupted, first.epoch);
    const second = await resume(id);
    expect(second.epoch).toBeGreaterThan(first.epoch);
    const told = second.runs.map(({ trialId, n, why }) => [trialId, n, why]);
    expect(told).toEqual([
      [interrupted, 2, 'interrupted'],
      [untouched, 1, 'not started'],
      [trialIds[4], 1, 'not started'],
    ]);
    const state = async (trialId: string) => {
      const { trial, runs } = await records.trial(trialId);
      return { state: trial.state, outcome: trial.outcome, n: trial.n, runs: runs.length };
    };
    expect(await state(graded)).toEqual({ state: 'done', outcome: 'failed', n: 1, runs: 1 });
    expect(await state(errored)).toEqual({ state: 'done', outcome: 'errored', n: 1, runs: 1 });
    expect(await state(interrupted)).toEqual({ state: 'planned', outcome: null, n: 2, runs: 2 });
    expect(await state(untouched)).toEqual({ state: 'planned', outcome: null, n: 1, runs: 1 });
    expect(await claim(interrupted, second.epoch)).toMatchObject({ action: 'run', n: 2 });
    const left = await records.trialPage({ batchId: `${id}/0`, epoch: second.epoch, after: null });
    expect(left).toEqual(trialIds.slice(2));
  });

  it('plans not_run trials again, with their batch and their failed generation, but no finished one', async () => {
    const { id, trialIds, batchIds } = await planned({ batches: 3, trialsPerBatch: 2, shared: true });
    const generation = (index: number) => `${id}/sys/scope-${index}/1`;
    const { epoch } = await records.openCampaign(id);
    const candidate = { sha256: 'a'.repeat(64), sizeBytes: 1, files: 1, provenance: 'generated' } as const;
    for (const index of [0, 1, 2]) {
      await records.claimGeneration({ generationId: generation(index), epoch, workflowRunId: 'g' });
    }
    const close = { epoch, candidate: null, failure: null };
    await records.closeGeneration({ ...close, generationId: generation(0), candidate });
    await records.closeGeneration({
      ...close,
      generationId: generation(1),
      failure: { type: 'budget.exhausted', blame: 'budget', message: '' },
    });
    await records.closeGeneration({
      ...close,
      generationId: generation(2),
      failure: { type: 'model.unauthorized', blame: 'infrastructure', message: '' },
    });
    await records.closeBatch({ batchId: batchIds[0]!, epoch, openTrials: PASSED });
    await records.closeBatch({ batchId: batchIds[1]!, epoch, openTrials: OUT_OF_BUDGET });
    await records.closeBatch({ batchId: batchIds[2]!, epoch, openTrials: GENERATION_BROKE });
    expect(await records.closeCampaign({ campaignId: id, epoch })).toEqual({ status: 'budget_exhausted' });

    const again = await resume(id);
    const page = await records.batchPage({ campaignId: id, epoch: again.epoch, after: null });
    expect(page).toEqual([{ id: batchIds[1], phase: 'generate' }]);
    expect(again.batchCount).toBe(1);
    const claimed = (index: number) =>
      records.claimGeneration({ generationId: generation(index), epoch: again.epoch, workflowRunId: 'g2' });
    expect(await claimed(0)).toEqual({ action: 'skip', outcome: null });
    expect(await claimed(1)).toMatchObject({ action: 'run', n: 2 });
    expect(await records.ownerContext({ kind: 'generation', id: generation(1) }, again.epoch)).toMatchObject({
      run: 2,
    });
    expect(await claimed(2)).toEqual({ action: 'skip', outcome: 'errored' });
    expect(await claim(trialIds[2]!, again.epoch)).toMatchObject({ action: 'run', n: 1 });
  });

  it('in the middle of closing trials loses no end and no trial', async () => {
    const { id, trialIds } = await planned({ trialsPerBatch: 60 });
    const { epoch } = await records.openCampaign(id);
    await Promise.all(trialIds.map((trialId) => claim(trialId, epoch)));
    const closing = trialIds.map((trialId) => records.closeTrial({ trialId, epoch, n: 1, end: PASSED }));
    const opening = records.openCampaign(id);
    const ends = await Promise.allSettled(closing);
    await opening;
    const rows = await records.trials(id);
    for (const [index, row] of rows.entries()) {
      const end = ends[index]!;
      if (end.status === 'rejected') expect(end.reason).toMatchObject(SUPERSEDED);
      const expected = end.status === 'fulfilled' ? { state: 'done', n: 1 } : { state: 'planned', n: 2 };
      expect({ state: row.state, n: row.n }).toEqual(expected);
    }
  });

  it.each(['generation', 'batch', 'trial'] as const)(
    'refuses whoever waited for it at the row of a %s',
    async (row) => {
      const { id, trialIds, batchIds } = await planned({ shared: true });
      const generationId = `${id}/sys/scope-0/1`;
      const { epoch } = await records.openCampaign(id);
      await records.claimGeneration({ generationId, epoch, workflowRunId: 'g' });
      await claim(trialIds[0]!, epoch, 'first');
      const late = {
        generation: () => records.closeGeneration({ generationId, epoch, candidate: null, failure: null }),
        batch: () => records.closeBatch({ batchId: batchIds[0]!, epoch, openTrials: FAILED }),
        trial: async () => {
          const claimed = await claim(trialIds[0]!, epoch, 'second');
          if (claimed.action === 'stop') throw Object.assign(new Error(), { ...SUPERSEDED, type: claimed.reason });
        },
      };
      const key = { generation: generationId, batch: batchIds[0]!, trial: trialIds[0]! }[row];
      // As an open does it: the campaign's row first, then what it opens again.
      let refused: Promise<unknown> = Promise.resolve();
      await database.kysely.transaction().execute(async (opening) => {
        const table = sql.table({ generation: 'generations', batch: 'batches', trial: 'trials' }[row]);
        await sql`update campaigns set epoch = epoch + 1 where id = ${id}`.execute(opening);
        await sql`update ${table} set id = id where id = ${key}`.execute(opening);
        refused = expect(late[row]()).rejects.toMatchObject(SUPERSEDED);
        expect(await waitUntil(someoneWaits)).toBe(true);
      });
      await refused;
      expect((await records.trials(id)).map(({ state }) => state)).toEqual(['running', 'planned', 'planned']);
    },
  );

  it.each(['trial', 'generation'] as const)(
    'that has looked for what was running already: the old epoch claims no planned %s any more',
    async (row) => {
      const { id, trialIds } = await planned({ shared: true });
      const generationId = `${id}/sys/scope-0/1`;
      const { epoch } = await records.openCampaign(id);
      const claimed = {
        trial: () => claim(trialIds[0]!, epoch),
        generation: () => records.claimGeneration({ generationId, epoch, workflowRunId: 'g' }),
      }[row];
      let late: Promise<unknown> = Promise.resolve();
      await database.kysely.transaction().execute(async (opening) => {
        await sql`update campaigns set epoch = epoch + 1 where id = ${id}`.execute(opening);
        late = claimed();
        await Promise.race([late, waitUntil(someoneWaits)]);
      });
      expect(await late).toEqual({ action: 'stop', reason: 'operator.superseded' });
      expect((await records.trials(id)).map(({ state }) => state)).toEqual(['planned', 'planned', 'planned']);
    },
  );

  it('of a cancelled campaign that nobody set to run again plans nothing', async () => {
    const { id, trialIds } = await planned();
    const { epoch } = await records.openCampaign(id);
    await claim(trialIds[0]!, epoch);
    await records.setDesiredState({ campaignId: id, state: 'cancel', author: 'me', reason: '' });
    await records.closeCampaign({ campaignId: id, epoch });
    const again = await records.openCampaign(id);
    expect(again.batchCount).toBe(0);
    expect(await records.closeCampaign({ campaignId: id, epoch: again.epoch })).toEqual({ status: 'cancelled' });
    await resume(id);
    expect((await records.trials(id)).map((trial) => [trial.state, trial.n])).toEqual([
      ['planned', 2],
      ['planned', 1],
      ['planned', 1],
    ]);
  });
});

describe('a retry', () => {
  const retry = (which: Extract<RunSelection, { action: 'retry' }>['which'], fresh = false): RunSelection => {
    return { action: 'retry', which, fresh };
  };

  /** One trial of each outcome. */
  async function ended() {
    const { id, trialIds, batchIds } = await planned({ trialsPerBatch: 4 });
    const { epoch } = await records.openCampaign(id);
    const ends = [PASSED, FAILED, GENERATION_BROKE, { ...OUT_OF_BUDGET, blame: 'operator' } as TrialEnd];
    for (const [index, end] of ends.entries()) await runTrial(trialIds[index]!, epoch, end);
    await records.closeBatch({ batchId: batchIds[0]!, epoch, openTrials: null });
    await records.closeCampaign({ campaignId: id, epoch });
    const [passed, failed, errored, notRun] = trialIds as [string, string, string, string];
    return { id, epoch, passed, failed, errored, notRun };
  }

  it('plans what it names as run n+1, and nothing else; earlier runs stay', async () => {
    const { id, epoch, errored, notRun } = await ended();
    const again = await resume(id, retry('errored'));
    expect(again.runs).toMatchObject([{ trialId: errored, n: 2, kind: 'grade', why: 'errored: budget.exhausted' }]);
    expect(again.epoch).toBeGreaterThan(epoch);
    expect(await trialState(notRun)).toMatchObject({ state: 'done', outcome: 'not_run' });
    await runTrial(errored, again.epoch, PASSED);
    const { trial, runs } = await records.trial(errored);
    expect(trial).toMatchObject({ outcome: 'passed', n: 2, runs: 2, again: null });
    expect(runs.map(({ outcome, kind }) => [outcome, kind])).toEqual([
      ['errored', 'grade'],
      ['passed', 'grade'],
    ]);
    expect((await resume(id, retry('not_run'))).runs.map(({ trialId }) => trialId)).toEqual([notRun]);
  });

  it('of a graded failure leaves the score at the first graded run and shows the other one apart', async () => {
    const { id, failed } = await ended();
    const before = (await records.campaign(id)).trials;
    const again = await resume(id, retry('failed'));
    expect(again.runs).toMatchObject([{ trialId: failed, n: 2, kind: 'again' }]);
    expect((await records.campaign(id)).trials).toEqual(before);
    await runTrial(failed, again.epoch, PASSED);
    expect(await trialState(failed)).toMatchObject({
      ...{ outcome: 'failed', reason: 'test.assertion', n: 1, runs: 2 },
      again: { n: 2, outcome: 'passed', reason: null },
    });
    expect((await records.campaign(id)).trials).toEqual(before);
    // It passed since, so there is nothing more to try.
    await records.closeCampaign({ campaignId: id, epoch: again.epoch });
    expect((await resume(id, retry('failed'))).runs).toEqual([]);
  });

  it('of a graded trial does its steps again, an interrupted one goes on with them, and fresh samples have keys of their own', async () => {
    const { id, failed } = await ended();
    const owner = { kind: 'trial', id: failed } as const;
    const find = (n: number) => records.findStep({ owner, n, stage: 'vote', step: 'match-1', inputHash: 'input' });
    // Run 1 left a step; it is too late to record it in the campaign's epoch, so it is written as it would stand.
    await sql`
      insert into steps (owner_kind, owner_id, stage, step, input_hash, n, attempt, result, started_at, ended_at)
      values ('trial', ${failed}, 'vote', 'match-1', 'input', 1, 1, '{"run": 1}', now(), now())`.execute(
      database.kysely,
    );
    const again = await resume(id, retry([failed], true));
    expect(await find(1)).toEqual({ run: 1 });
    expect(await find(2)).toBeUndefined();
    expect((await records.ownerContext(owner, again.epoch)).fresh).toBe(2);
    await claim(failed, again.epoch);
    await records.recordStep(stepOf(failed, again.epoch, { n: 2, result: { run: 2 } }));
    expect(await find(2)).toEqual({ run: 2 });
    const third = await resume(id); // interrupted
    expect(third.runs).toMatchObject([
      { n: 3, kind: 'again', why: 'interrupted' },
      { why: 'not run: budget.exhausted' },
    ]);
    expect(await find(3)).toEqual({ run: 2 });
    expect((await records.ownerContext(owner, third.epoch)).fresh).toBe(2);
    expect(await find(1)).toEqual({ run: 1 });
    // Claimed by a workflow that vanished within the epoch: the run after it has the same purpose.
    await claim(failed, third.epoch, 'wf-one');
    expect(await claim(failed, third.epoch, 'wf-two')).toMatchObject({ action: 'run', n: 4 });
    expect(await find(4)).toEqual({ run: 2 });
  });

  it('tells the same in a dry run and changes nothing; one that comes too late is refused; it stands in the record', async () => {
    const { id, epoch, errored } = await ended();
    const asked = { campaignId: id, selection: retry('errored'), server: 'here', author: 'me@here', reason: 'why not' };
    const dry = await records.planRuns({ ...asked, epoch, isDryRun: true });
    expect(dry.map(({ trialId }) => trialId)).toEqual([errored]);
    expect(await records.campaign(id)).toMatchObject({ epoch, status: 'completed' });
    expect(await records.planRuns({ ...asked, epoch, isDryRun: false })).toEqual(dry);
    await expect(records.planRuns({ ...asked, epoch, isDryRun: false })).rejects.toMatchObject({
      name: 'UserError',
    });
    expect(await records.campaign(id)).toMatchObject({ status: 'running', server: 'here' });
    expect(await records.events(id)).toMatchObject([
      { action: 'retry', author: 'me@here', reason: 'why not', details: { trials: 1 } },
    ]);
  });
});

describe('a regrade', () => {
  it('does the score anew on the steps of the run that counts, and counts from then on; the old verdict stays', async () => {
    const { id, trialIds } = await planned({ trialsPerBatch: 3 });
    const [trialId, errored] = trialIds as [string, string];
    const { epoch } = await records.openCampaign(id);
    await claim(trialId, epoch);
    await records.recordStep(stepOf(trialId, epoch));
    await records.recordStep(
      stepOf(trialId, epoch, { stage: 'score', step: '', result: 'old', votes: [], evidence: [] }),
    );
    await records.closeTrial({ trialId, epoch, n: 1, end: FAILED });
    await runTrial(errored, epoch, GENERATION_BROKE);
    await records.closeCampaign({ campaignId: id, epoch });

    const again = await resume(id, { action: 'regrade', vote: false });
    expect(again.runs).toMatchObject([{ trialId, n: 2, kind: 'regrade' }]);
    const owner = { kind: 'trial', id: trialId } as const;
    const find = (stage: 'vote' | 'score', step: string) =>
      records.findStep({ owner, n: 2, stage, step, inputHash: 'input' });
    expect(await find('vote', 'match-1')).toEqual({ accepted: true });
    expect(await find('score', '')).toBeUndefined();
    // Until it is done, and where it fails, the old verdict counts.
    expect(await trialState(trialId)).toMatchObject({ outcome: 'failed', n: 1, regraded: null });
    await runTrial(trialId, again.epoch, PASSED);
    expect(await trialState(trialId)).toMatchObject({
      ...{ outcome: 'passed', n: 2, runs: 2, again: null },
      regraded: { n: 1, outcome: 'failed', reason: 'test.assertion' },
    });
    expect((await records.campaign(id)).trials).toMatchObject({ passed: 1, failed: 0, errored: 1 });
    await records.closeCampaign({ campaignId: id, epoch: again.epoch });

    const third = await resume(id, { action: 'regrade', vote: true });
    await claim(trialId, third.epoch);
    await records.closeTrial({ trialId, epoch: third.epoch, n: 3, end: GENERATION_BROKE });
    expect(await trialState(trialId)).toMatchObject({ outcome: 'passed', n: 2, runs: 3 });
    await records.closeCampaign({ campaignId: id, epoch: third.epoch });

    // A regrade of a regrade too has the times of the run that did the work.
    const fourth = await resume(id, { action: 'regrade', vote: false });
    await runTrial(trialId, fourth.epoch, PASSED);
    const { trial, runs } = await records.trial(trialId);
    const times = ({ startedAt, endedAt }: { startedAt: string | null; endedAt: string | null }) =>
      [startedAt, endedAt].map((time) => Date.parse(time ?? ''));
    expect(trial).toMatchObject({ n: 4, regraded: { n: 2 } });
    expect(times(trial.regraded?.made ?? trial)).toEqual(times(runs[0] ?? trial));
    expect(times(trial)).toEqual(times(runs[3] ?? trial));
    // So do the sums of reports: what was regraded took what it took.
    const { tallies } = (await records.campaignTotals(id, [])).totals;
    const [tally] = tallies.filter(({ outcome }) => outcome === 'passed');
    expect(times(tally ?? trial)).toEqual(times(runs[0] ?? trial));
  });
});

describe('a campaign on several servers', () => {
  it('is held by the live workers of the one it was opened from, until it is closed', async () => {
    const { id } = await planned();
    const owner = (server: string) => records.leaseOwner({ campaignId: id, server });
    await records.beatWorker({ instance: 'w-there', host: 'far', pid: 7, server: 'there' });
    const { epoch } = await records.openCampaign(id, 'there');
    expect(await owner('there')).toBeNull();
    expect(await owner('here')).toMatchObject({ instance: 'w-there', host: 'far', pid: 7 });
    await records.retireWorker('w-there');
    expect(await owner('here')).toBeNull();
    await records.beatWorker({ instance: 'w-there', host: 'far', pid: 7, server: 'there' });
    await records.closeCampaign({ campaignId: id, epoch });
    expect(await owner('here')).toBeNull();
  });

  it('refuses whatever the old server writes from the moment another one took it over', async () => {
    const { id, trialIds, batchIds } = await planned();
    const [running, next] = trialIds as [string, string];
    await records.beatWorker({ instance: 'w-old', host: 'far', pid: 7, server: 'old' });
    const { epoch } = await records.openCampaign(id, 'old');
    await claim(running, epoch);
    const asked = { campaignId: id, epoch, server: 'new', author: 'me@new', reason: 'moved' };
    const runs = await records.planRuns({ ...asked, selection: { action: 'resume' }, isDryRun: false });
    expect(runs.map(({ n }) => n)).toEqual([2, 1, 1]);
    // The new workflow has not opened it yet, and still nobody else may write.
    const stop = { action: 'stop', reason: 'operator.superseded' };
    expect(await claim(next, epoch)).toEqual(stop);
    expect(await records.claimBatch({ batchId: batchIds[0]!, epoch })).toEqual(stop);
    const owner = { kind: 'trial', id: running } as const;
    await expect(records.ownerContext(owner, epoch)).rejects.toMatchObject(SUPERSEDED);
    await expect(records.recordStep(stepOf(running, epoch))).rejects.toMatchObject(SUPERSEDED);
    await expect(records.closeTrial({ trialId: running, epoch, n: 1, end: PASSED })).rejects.toMatchObject(SUPERSEDED);
    await expect(records.closeBatch({ batchId: batchIds[0]!, epoch, openTrials: PASSED })).rejects.toMatchObject(
      SUPERSEDED,
    );
    await expect(records.closeCampaign({ campaignId: id, epoch })).rejects.toMatchObject(SUPERSEDED);
    expect(await records.leaseOwner({ campaignId: id, server: 'old' })).toBeNull(); // no worker of the new one lives yet
    expect(await trialState(running)).toMatchObject({ state: 'planned', n: 2, outcome: null });
    expect(await records.campaign(id)).toMatchObject({ status: 'running', server: 'new' });
  });
});

describe('a campaign that was handed to another server', () => {
  const handedOver = {
    'a plan': async (campaignId: string) => {
      const { epoch } = await records.campaign(campaignId);
      const asked = { campaignId, epoch, server: 'B', author: 'me@B', reason: 'moved', isDryRun: false };
      await records.planRuns({ ...asked, selection: { action: 'resume' } });
    },
    'a start': (campaignId: string) => records.placeCampaign({ campaignId, server: 'B' }),
  };

  it.each(Object.entries(handedOver))(
    'cannot be opened by the old one any more, however late that comes (by %s)',
    async (_, handOver) => {
      const { id, trialIds } = await planned();
      await records.placeCampaign({ campaignId: id, server: 'A' });
      const old = await records.openCampaign(id, 'A');
      await handOver(id);
      await expect(records.openCampaign(id, 'A')).rejects.toMatchObject(SUPERSEDED);
      expect(await claim(trialIds[0]!, old.epoch)).toMatchObject({ reason: 'operator.superseded' });
      const { epoch } = await records.openCampaign(id, 'B');
      await expect(records.openCampaign(id, 'A')).rejects.toMatchObject(SUPERSEDED);
      expect(await claim(trialIds[0]!, epoch)).toMatchObject({ action: 'run' });
      expect(await records.campaign(id)).toMatchObject({ server: 'B', epoch });
    },
  );

  it('stays as it is where its own server says so again, and is opened there once more', async () => {
    const { id } = await planned();
    const { epoch } = await records.openCampaign(id, 'A');
    await records.placeCampaign({ campaignId: id, server: 'A' });
    expect(await records.campaign(id)).toMatchObject({ server: 'A', epoch });
    expect((await records.openCampaign(id, 'A')).epoch).toBe(epoch + 1);
    await expect(records.openCampaign('nobody', 'A')).rejects.toMatchObject({ type: 'harness.bug' });
  });
});

describe('steps', () => {
  it('are found again by owner, stage, step and input, whatever the run', async () => {
    const { id, trialIds } = await planned();
    const { epoch } = await records.openCampaign(id);
    const [trialId] = trialIds as [string];
    await claim(trialId, epoch);
    await records.recordStep(stepOf(trialId, epoch));
    await records.recordStep(stepOf(trialId, epoch, { step: 'match-2', result: null, votes: [], evidence: [] }));
    const owner = { kind: 'trial', id: trialId } as const;
    const find = (step: string, inputHash: string) => records.findStep({ owner, n: 1, stage: 'vote', step, inputHash });
    expect(await find('match-1', 'input')).toEqual({ accepted: true });
    expect(await find('match-2', 'input')).toBeNull();
    expect(await find('match-1', 'other')).toBeUndefined();
    const detail = await records.trial(trialId);
    expect(detail.steps.find((step) => step.step === 'match-1')).toMatchObject({
      stage: 'vote',
      n: 1,
      attempt: 1,
      result: { accepted: true },
      evidence: [{ name: 'votes.txt', sizeBytes: 3_000_000_000, truncated: false }],
      startedAt: '2026-01-01T00:00:00.000Z',
    });
    expect(detail.votes).toEqual([{ match: 1, round: 1, voter: 1, model: 'oracle', answer: 'yes', reason: 'it’s it' }]);
    expect(detail.attempts).toHaveLength(2);
  });

  it('keep the first result: a repeat and a second attempt are told what stands', async () => {
    const { id, trialIds } = await planned();
    const { epoch } = await records.openCampaign(id);
    const [trialId] = trialIds as [string];
    await claim(trialId, epoch);
    expect(await records.recordStep(stepOf(trialId, epoch))).toEqual({ accepted: true });
    expect(await records.recordStep(stepOf(trialId, epoch))).toEqual({ accepted: true });
    const second = stepOf(trialId, epoch, { result: { accepted: false }, attempt: attempt({ attempt: 2 }) });
    expect(await records.recordStep(second)).toEqual({ accepted: true });
    const counts = await Promise.all(
      (['steps', 'evidence', 'votes', 'attempts'] as const).map((table) => countOf(table, trialId)),
    );
    expect(counts).toEqual([1, 1, 1, 2]);
  });

  it('of a run that another one replaced are refused', async () => {
    const { id, trialIds } = await planned();
    const { epoch } = await records.openCampaign(id);
    const [trialId] = trialIds as [string];
    await claim(trialId, epoch, 'one');
    await claim(trialId, epoch, 'two');
    await expect(records.recordStep(stepOf(trialId, epoch, { n: 1 }))).rejects.toMatchObject(SUPERSEDED);
    await records.recordStep(stepOf(trialId, epoch, { n: 2 }));
    expect(await countOf('steps', trialId)).toBe(1);
  });

  it('give a trial its shared candidate and what prepare made of it', async () => {
    const { id, trialIds } = await planned({ shared: true });
    const { epoch } = await records.openCampaign(id);
    const generation = { kind: 'generation', id: `${id}/sys/scope-0/1` } as const;
    const candidate = { sha256: 'b'.repeat(64), sizeBytes: 10_240, files: 7, provenance: 'reference' } as const;
    await records.claimGeneration({ generationId: generation.id, epoch, workflowRunId: 'g' });
    expect((await records.ownerContext(generation, epoch)).task).toBeNull();
    await records.closeGeneration({ generationId: generation.id, epoch, candidate, failure: null });
    const prepared = { entries: 12 };
    const step = stepOf(generation.id, epoch, { owner: generation, stage: 'prepare', step: '', result: prepared });
    await records.recordStep({ ...step, votes: [] });
    const context = await records.ownerContext({ kind: 'trial', id: trialIds[0]! }, epoch);
    expect(context).toMatchObject({ systemId: 'sys', scope: 'scope-0', settings: { top: 3 }, candidate, prepared });
    expect(context.task).toMatchObject({ id: 'task-0-0', group: 'group-0', candidateScope: 'scope-0' });
    expect(context.campaign.spec.suite).toBe('echo');
  });
});

describe('an edit of a generation', () => {
  const REF = {
    sha256: 'a'.repeat(64),
    sizeBytes: 7,
    mediaType: 'application/json',
    name: 'graph.json',
    truncated: false,
  };
  const edit = (generationId: string, graph: string, isDryRun = false) => ({
    ...{ generationId, stage: 'generate' as const, step: 'edit', result: { graph }, evidence: [REF], isDryRun },
    ...{ author: 'me@here', reason: 'better', details: { stage: 'files' } },
  });

  async function paused() {
    const { id, plan } = await planned({ shared: true });
    const generationId = plan.batches[0]!.generation!.id;
    const { epoch } = await records.openCampaign(id, 'here');
    await records.claimGeneration({ generationId, epoch, workflowRunId: 'w' });
    const owner = { kind: 'generation', id: generationId } as const;
    return { id, generationId, epoch, owner };
  }
  const pause = (campaignId: string) =>
    records.setDesiredState({ campaignId, state: 'pause', author: 'me@here', reason: 'to edit' });

  it('is refused while the campaign runs, and when the generation has its candidate; nothing is written', async () => {
    const { id, generationId, epoch } = await paused();
    await expect(records.recordEdit(edit(generationId, 'g1'))).rejects.toMatchObject({
      name: 'UserError',
      problems: [{ message: expect.stringContaining('runs') as string, fix: `durabench pause ${id}` }],
    });
    const candidate = { sha256: 'c'.repeat(64), sizeBytes: 1, files: 1, provenance: 'generated' } as const;
    await records.closeGeneration({ generationId, epoch, candidate, failure: null });
    await pause(id);
    await expect(records.recordEdit(edit(generationId, 'g1'))).rejects.toThrow('has its candidate');
    expect((await records.events(id)).map(({ action }) => action)).toEqual(['pause']);
    expect(await countOf('steps', generationId)).toBe(0);
    expect(await records.generation(generationId)).toMatchObject({
      generation: { state: 'done', candidate },
      steps: [],
    });
  });

  it('is the last result of its step, also when it goes back to an earlier one; each is an event', async () => {
    const { id, generationId, owner, epoch } = await paused();
    await pause(id);
    await records.recordEdit(edit(generationId, 'g1', true));
    expect(await countOf('steps', generationId)).toBe(0);
    for (const graph of ['g1', 'g2', 'g1']) {
      await records.recordEdit(edit(generationId, graph));
      expect(await records.findSteps({ owner, stage: 'generate', steps: ['edit'] })).toEqual({ edit: { graph } });
    }
    const events = (await records.events(id)).filter(({ action }) => action === 'graph');
    expect(events).toHaveLength(3);
    expect(events[0]).toMatchObject({ author: 'me@here', reason: 'better' });
    expect(events[0]?.details).toEqual({ stage: 'files', generation: generationId });
    // Resumed before its workflow noticed the pause, it is held all the same, and claimed anew.
    await records.setDesiredState({ campaignId: id, state: 'run', author: 'me@here', reason: 'on' });
    expect(await records.admitGeneration({ generationId, epoch })).toEqual({ action: 'pause' });
    const again = await records.claimGeneration({ generationId, epoch, workflowRunId: 'w2' });
    expect(again).toMatchObject({ action: 'run', n: 2 });
    expect(await records.admitGeneration({ generationId, epoch })).toEqual({ action: 'run' });
    const { steps } = await records.generation(generationId);
    expect(steps.map(({ result }) => result)).toEqual([{ graph: 'g1' }, { graph: 'g2' }, { graph: 'g1' }]);
    expect(steps[0]?.evidence).toEqual([REF]);
    expect(await records.referencedBlobs()).toContain(REF.sha256);
    expect((await records.generations(id)).map((row) => row.id)).toEqual([generationId]);
  });
});

describe('a trial between two turns', () => {
  const set = (campaignId: string, state: 'pause' | 'run' | 'cancel') =>
    records.setDesiredState({ campaignId, state, author: 'me@here', reason: 'test' });

  it('is put back by a pause, and goes on as the same run with what it has recorded', async () => {
    const { id, trialIds } = await planned();
    const { epoch } = await records.openCampaign(id, 'here');
    const [trialId = ''] = trialIds;
    const asked = { trialId, epoch, n: 1 };
    await claim(trialId, epoch);
    expect(await records.admitTrial(asked)).toEqual({ action: 'run' });
    await records.recordStep({ ...stepOf(trialId, epoch), votes: [] });
    const { startedAt } = (await records.trial(trialId)).trial;
    await set(id, 'pause');
    expect(await records.admitTrial(asked)).toEqual({ action: 'pause' });
    expect((await records.trial(trialId)).trial).toMatchObject({ state: 'planned', n: 1, startedAt });
    expect(await claim(trialId, epoch, 'second')).toEqual({ action: 'pause' });
    // Resumed before the answer was heard: who asks again is still put back, and another workflow run goes on.
    await set(id, 'run');
    expect(await records.admitTrial(asked)).toEqual({ action: 'pause' });
    expect(await claim(trialId, epoch, 'second')).toMatchObject({ action: 'run', n: 1 });
    expect(await records.admitTrial(asked)).toEqual({ action: 'run' });
    const { stage, step, inputHash } = stepOf(trialId, epoch);
    const owner = { kind: 'trial', id: trialId } as const;
    expect(await records.findStep({ owner, n: 1, stage, step, inputHash })).toEqual({ accepted: true });
    await records.closeTrial({ trialId, epoch, n: 1, end: PASSED });
    const { trial, runs } = await records.trial(trialId);
    expect(trial).toMatchObject({ state: 'done', outcome: 'passed', startedAt });
    expect(runs).toMatchObject([{ n: 1, outcome: 'passed' }]);
  });

  it('held while nobody runs the campaign, goes on as the same run when it is resumed', async () => {
    const { id, trialIds } = await planned();
    const { epoch } = await records.openCampaign(id, 'here');
    const [held = '', cut = ''] = trialIds;
    await claim(held, epoch);
    await claim(cut, epoch);
    await set(id, 'pause');
    await records.admitTrial({ trialId: held, epoch, n: 1 });
    const { runs, epoch: next } = await resume(id);
    expect(runs.slice(0, 2)).toMatchObject([
      { trialId: held, n: 1, why: 'held' },
      { trialId: cut, n: 2, why: 'interrupted' },
    ]);
    expect(await records.admitTrial({ trialId: held, epoch, n: 1 })).toMatchObject({ reason: 'operator.superseded' });
    expect(await claim(held, next)).toMatchObject({ action: 'run', n: 1 });
    expect(await claim(cut, next)).toMatchObject({ action: 'run', n: 2 });
  });

  it('is stopped by a cancel, a spent budget and a newer run', async () => {
    const { id, trialIds } = await planned();
    const { epoch } = await records.openCampaign(id, 'here');
    const [trialId = ''] = trialIds;
    await claim(trialId, epoch);
    const stop = (reason: string) => ({ action: 'stop', reason });
    expect(await records.admitTrial({ trialId, epoch, n: 2 })).toEqual(stop('operator.superseded'));
    await sql`update campaigns set budget_exhausted_at = now() where id = ${id}`.execute(database.kysely);
    expect(await records.admitTrial({ trialId, epoch, n: 1 })).toEqual(stop('budget.exhausted'));
    await set(id, 'cancel');
    expect(await records.admitTrial({ trialId, epoch, n: 1 })).toEqual(stop('operator.cancelled'));
    await expect(records.admitTrial({ trialId: 'none', epoch, n: 1 })).rejects.toMatchObject({ type: 'harness.bug' });
  });
});

describe('workspaces', () => {
  it('are referred to while a trial may go on from them, and other evidence of it for ever', async () => {
    const { id, trialIds } = await planned();
    const { epoch } = await records.openCampaign(id);
    const [trialId = ''] = trialIds;
    const ref = (digit: string, mediaType: string): EvidenceRef => {
      return { sha256: digit.repeat(32), sizeBytes: 1, mediaType, name: digit, truncated: false };
    };
    const claimed = await claim(trialId, epoch);
    if (claimed.action !== 'run') throw new Error('not run');
    const evidence = [ref('7f', WORKSPACE_MEDIA_TYPE), ref('6f', 'text/plain')];
    await records.recordStep({ ...stepOf(trialId, epoch), evidence });
    const kept = async (): Promise<string[]> => {
      const all = await records.referencedBlobs('withoutEnded');
      return all.filter((sha256) => evidence.some((each) => each.sha256 === sha256)).sort();
    };
    expect(await kept()).toEqual(['6f'.repeat(32), '7f'.repeat(32)]);
    await records.closeTrial({ trialId, epoch, n: claimed.n, end: FAILED });
    expect(await kept()).toEqual(['6f'.repeat(32)]);
    expect(await records.referencedBlobs()).toContain('7f'.repeat(32));
  });
});

describe('integrity', () => {
  it('is a row for a candidate, summed over its trials as they stand', async () => {
    const { id, trialIds } = await planned({ shared: true });
    const { epoch } = await records.openCampaign(id);
    const generation = { kind: 'generation', id: `${id}/sys/scope-0/1` } as const;
    expect(await records.integrity(id)).toEqual([]);
    const candidate = { sha256: 'b'.repeat(64), sizeBytes: 10_240, files: 7, provenance: 'generated' } as const;
    await records.claimGeneration({ generationId: generation.id, epoch, workflowRunId: 'g' });
    await records.closeGeneration({ generationId: generation.id, epoch, candidate, failure: null });
    const row = { systemId: 'sys', scope: 'scope-0', repeat: 1, sha256: candidate.sha256 };
    const nothing = { flags: [], forgedTrials: 0, vacuousTrials: 0, copiedTrials: 0, negativeControls: 0 };
    expect(await records.integrity(id)).toEqual([{ ...row, ...nothing }]);
    const flags = [{ flag: 'vendored', detail: '9 of 9' }];
    const step = stepOf(generation.id, epoch, { owner: generation, stage: 'prepare', step: '', result: { flags } });
    await records.recordStep({ ...step, votes: [] });
    const vacuous = { passed: false, reasons: ['candidate.vacuous'], metrics: { negative_control: 0 } };
    await runTrial(trialIds[0]!, epoch, { ...FAILED, reason: 'candidate.forged-report' });
    await runTrial(trialIds[1]!, epoch, { ...FAILED, reason: 'candidate.vacuous', verdict: vacuous });
    const forged = { forgedTrials: 1, vacuousTrials: 1, negativeControls: 1 };
    expect(await records.integrity(id)).toEqual([{ ...row, ...nothing, flags, ...forged }]);
  });
});

describe('the end of a trial', () => {
  it('is the first one of its run, with its metrics as they were', async () => {
    const { id, trialIds } = await planned();
    const { epoch } = await records.openCampaign(id);
    const [trialId] = trialIds as [string];
    await runTrial(trialId, epoch, PASSED);
    await records.closeTrial({ trialId, epoch, n: 1, end: FAILED });
    const { trial, runs } = await records.trial(trialId);
    expect(trial).toMatchObject({ state: 'done', outcome: 'passed', blame: null });
    expect(trial.metrics).toEqual({ validated: 1, coverage: null, seconds: 0.5 });
    expect(runs).toMatchObject([{ outcome: 'passed', verdict: PASSED.verdict, skipped: PASSED.skipped }]);
  });
});

describe('a spent budget', () => {
  it('stops every further claim and ends the campaign as budget_exhausted', async () => {
    const { id, trialIds, batchIds } = await planned();
    const { epoch } = await records.openCampaign(id);
    await runTrial(trialIds[0]!, epoch, OUT_OF_BUDGET);
    const stop = { action: 'stop', reason: 'budget.exhausted' };
    expect(await claim(trialIds[1]!, epoch)).toEqual(stop);
    expect(await records.claimBatch({ batchId: batchIds[0]!, epoch })).toEqual(stop);
    expect(await records.closeCampaign({ campaignId: id, epoch })).toEqual({ status: 'budget_exhausted' });
    expect(await trialState(trialIds[2]!)).toMatchObject({ outcome: 'not_run', blame: 'budget', startedAt: null });
  });

  it('is noticed from a failed attempt', async () => {
    const { id, trialIds } = await planned();
    const { epoch } = await records.openCampaign(id);
    await claim(trialIds[0]!, epoch);
    await records.recordFailedAttempt({
      owner: { kind: 'trial', id: trialIds[0]! },
      epoch,
      n: 1,
      stage: 'vote',
      step: '',
      attempt: attempt({ failure: { type: 'budget.exhausted', blame: 'budget', message: 'spent' } }),
    });
    expect(await claim(trialIds[1]!, epoch)).toEqual({ action: 'stop', reason: 'budget.exhausted' });
    // Who has begun is not stopped by it.
    expect(await claim(trialIds[0]!, epoch)).toMatchObject({ action: 'run', n: 1 });
  });
});

describe('looking', () => {
  it('at what a command would run, and at an edit, waits for nobody, and nobody for it', async () => {
    const { id, plan } = await planned({ shared: true });
    await records.setDesiredState({ campaignId: id, state: 'pause', author: 'me', reason: '' });
    const generationId = plan.batches[0]!.generation!.id;
    const said = { author: 'me', reason: '' };
    const selections: RunSelection[] = [
      ...[{ action: 'resume' } as const, { action: 'regrade', vote: false } as const],
      { action: 'retry', which: 'errored', fresh: false },
    ];
    // Somebody holds every row in which a looker could have an interest; whoever locks would wait for him.
    await database.kysely.transaction().execute(async (transaction) => {
      for (const table of ['campaigns', 'trials', 'generations'])
        await sql`select from ${sql.table(table)} for update`.execute(transaction);
      for (const selection of selections)
        await records.planRuns({ campaignId: id, selection, isDryRun: true, epoch: 0, server: '', ...said });
      await records.recordEdit({
        ...{
          generationId,
          stage: 'generate',
          step: 'edit',
          result: {},
          evidence: [],
          isDryRun: true,
          details: {},
          ...said,
        },
      });
    });
    expect(await records.events(id)).toHaveLength(1);
  });
});

describe('a campaign on a workflow code', () => {
  const beat = (instance: string, code: string | null, server = 'coded'): Promise<void> =>
    records.beatWorker({ instance, host: 'here', pid: 1, server, code });
  const stranded = async (): Promise<string[]> => (await records.strandedCampaigns('coded')).map(({ id }) => id);

  it('is stranded once no living worker of its server has that code, and taken over by one only', async () => {
    const { id } = await planned();
    await beat('old', 'a');
    const { epoch } = await records.openCampaign(id, 'coded', 'a');
    expect([await records.isCodePolled(id), await stranded()]).toEqual([true, []]);
    await beat('elsewhere', 'a', 'another');
    await beat('no-workflows', null);
    await records.retireWorker('old');
    expect([await records.isCodePolled(id), await stranded()]).toEqual([false, [id]]);
    await beat('new', 'b');
    expect(await records.polledCodes('coded')).toEqual([
      { code: 'b', isLiving: true },
      { code: 'a', isLiving: false },
    ]);
    const asked = { campaignId: id, epoch, code: 'b', author: 'worker@here', reason: 'upgrade' };
    expect(await Promise.all([records.takeOver(asked), records.takeOver(asked)])).toContain(false);
    const [event, ...others] = await records.events(id);
    expect(event).toMatchObject({ action: 'take-over', details: { from: 'a', to: 'b' } });
    expect(others).toEqual([]);
    await expect(records.closeCampaign({ campaignId: id, epoch })).rejects.toMatchObject(SUPERSEDED);
    // Until it is opened on the new code it is stranded: whoever took it over may have died.
    expect(await stranded()).toEqual([id]);
    const again = await records.openCampaign(id, 'coded', 'b');
    expect(await stranded()).toEqual([]);
    await records.closeCampaign({ campaignId: id, epoch: again.epoch, cancelled: true });
    await records.retireWorker('new');
    expect(await stranded()).toEqual([]);
    expect(await records.takeOver({ ...asked, epoch: again.epoch })).toBe(false);
  });

  it('is on the server its worker polls now, also where that is another one than at its start', async () => {
    const { id } = await planned();
    await beat('own', 'c', 'before');
    await records.openCampaign(id, 'before', 'c');
    expect(await records.leaseOwner({ campaignId: id, server: 'after' })).toMatchObject({ instance: 'own' });
    await beat('own', 'c', 'after');
    expect(await records.leaseOwner({ campaignId: id, server: 'after' })).toBeNull();
  });
});

describe('closing a campaign', () => {
  it('sweeps what is open when it was cancelled, and leaves what is done', async () => {
    const { id, trialIds } = await planned({ batches: 2, trialsPerBatch: 2 });
    const { epoch } = await records.openCampaign(id);
    await runTrial(trialIds[0]!, epoch, PASSED);
    await claim(trialIds[1]!, epoch);
    await records.setDesiredState({ campaignId: id, state: 'cancel', author: 'me', reason: 'enough' });
    expect(await records.closeCampaign({ campaignId: id, epoch })).toEqual({ status: 'cancelled' });
    expect(await records.closeCampaign({ campaignId: id, epoch })).toEqual({ status: 'cancelled' });
    const row = await records.campaign(id);
    expect(row.trials).toEqual({ planned: 4, done: 4, passed: 1, failed: 0, errored: 0, not_run: 3 });
    expect(row.endedAt).not.toBeNull();
    expect((await records.trial(trialIds[3]!)).runs).toMatchObject([{ outcome: 'not_run', blame: 'operator' }]);
    // What has ended stays as it ended.
    await records.setDesiredState({ campaignId: id, state: 'pause', author: 'me', reason: '' });
    expect(await records.campaign(id)).toMatchObject({ status: 'cancelled', desiredState: 'cancel' });
  });

  it('is closed in chunks, each a call of its own; whoever dies in between goes on', async () => {
    const { id } = await planned({ batches: 12, trialsPerBatch: 3 });
    const { epoch } = await records.openCampaign(id);
    await records.setDesiredState({ campaignId: id, state: 'cancel', author: 'me', reason: 'enough' });
    const done = async (): Promise<number> => (await records.campaign(id)).trials.done;
    expect(await records.closeCampaign({ campaignId: id, epoch })).toEqual({ status: null });
    expect(await done()).toBe(15);
    expect(await records.campaign(id)).toMatchObject({ status: 'running', endedAt: null });
    const next = await records.supersede(id);
    await expect(records.closeCampaign({ campaignId: id, epoch })).rejects.toMatchObject(SUPERSEDED);
    expect(await records.closeCampaign({ campaignId: id, epoch: next! })).toEqual({ status: null });
    expect(await done()).toBe(30);
    expect(await records.closeCampaign({ campaignId: id, epoch: next! })).toEqual({ status: 'cancelled' });
    expect(await records.campaign(id)).toMatchObject({ trials: { planned: 36, done: 36, not_run: 36 } });
    expect(await records.supersede(id)).toBeNull();
  });

  it('is completed when everything is done, whatever was asked last', async () => {
    const { id, trialIds } = await planned();
    const { epoch } = await records.openCampaign(id);
    for (const trialId of trialIds) await runTrial(trialId, epoch, FAILED);
    await records.setDesiredState({ campaignId: id, state: 'cancel', author: 'me', reason: '' });
    expect(await records.closeCampaign({ campaignId: id, epoch })).toEqual({ status: 'completed' });
  });

  it('leaves no open row when a workflow vanished, and a resume runs it', async () => {
    const { id, trialIds } = await planned();
    const { epoch } = await records.openCampaign(id);
    await claim(trialIds[0]!, epoch);
    await records.closeCampaign({ campaignId: id, epoch });
    expect(await trialState(trialIds[0]!)).toMatchObject({ outcome: 'not_run', blame: 'harness' });
    await records.openCampaign(id);
    expect(await trialState(trialIds[0]!)).toMatchObject({ state: 'done', n: 1 });
    await resume(id);
    expect(await trialState(trialIds[0]!)).toMatchObject({ state: 'planned', n: 2 });
  });

  it('counts a workflow cancelled from outside as cancelled', async () => {
    const { id } = await planned();
    const { epoch } = await records.openCampaign(id);
    expect(await records.closeCampaign({ campaignId: id, epoch, cancelled: true })).toEqual({ status: 'cancelled' });
  });

  it('happens at once when a campaign is cancelled that was never opened', async () => {
    const { id } = await planned();
    await records.setDesiredState({ campaignId: id, state: 'cancel', author: 'me', reason: '' });
    expect(await records.campaign(id)).toMatchObject({ status: 'cancelled', trials: { not_run: 3 } });
  });
});

describe('totals', () => {
  it('equal the sums over rows, money included', async () => {
    const { id, trialIds } = await planned({ trialsPerBatch: 4 });
    const { epoch } = await records.openCampaign(id);
    await runTrial(trialIds[0]!, epoch, PASSED);
    await runTrial(trialIds[1]!, epoch, FAILED);
    await runTrial(trialIds[2]!, epoch, GENERATION_BROKE);
    await insertCalls(id, trialIds[0]!);
    const row = await records.campaign(id);
    const trials = await records.trials(id);
    expect(row.trials).toEqual({ planned: 4, done: 3, passed: 1, failed: 1, errored: 1, not_run: 0 });
    expect(row.spend).toEqual({
      ...{
        microUsd: 3_000_000_000 + 70 + 40,
        tokens: 10 + 7 + 4,
        calls: 2,
        repeatedCalls: 1,
        recoveredCalls: 0,
        replayedCalls: 0,
        reusedCalls: 0,
      },
      saved: { microUsd: 0, tokens: 0 },
      overshoot: { microUsd: 3_000_000_000 - 999, tokens: 0, requests: 1 },
      implausible: 0,
      unanswered: 1,
    });
    expect(trials.reduce((sum, trial) => sum + trial.costMicroUsd, 0)).toBe(row.spend.microUsd);
    expect(trials.reduce((sum, trial) => sum + trial.tokens, 0)).toBe(row.spend.tokens);
    expect((await records.trial(trialIds[0]!)).trial.costMicroUsd).toBe(row.spend.microUsd);
    const [listed] = (await records.listCampaigns(1000)).filter((campaign) => campaign.id === id);
    expect(listed).toMatchObject({ trials: row.trials, spend: row.spend, status: row.status });
    expect(await records.campaignStatus(id)).toBe(row.status);
    // The same sums, of one reading of the calls.
    const { campaign, totals, calls } = await records.campaignTotals(id, []);
    expect({ trials: campaign.trials, spend: campaign.spend }).toEqual({ trials: row.trials, spend: row.spend });
    const sums = { tokens: row.spend.tokens, costMicroUsd: row.spend.microUsd };
    expect(totals.spend).toEqual([{ systemId: trials[0]!.systemId, group: trials[0]!.group, ...sums }]);
    const asked = { stage: 'vote', purpose: 'vote', model: 'm', calls: 2, withoutUsage: 0, implausible: 0 };
    expect(calls).toEqual([{ ...totals.spend[0], ...asked, reusedCalls: 0, savedMicroUsd: 0 }]);
    await expect(records.campaignTotals('nobody', [])).rejects.toMatchObject({ name: 'UserError' });
    await expect(records.campaignStatus('nobody')).rejects.toThrow('There is no campaign nobody');
  });

  const drawn = fc.record({
    system: fc.constantFrom('a', 'b'),
    group: fc.constantFrom('p', 'q'),
    // Of the last run and of one before it; which one counts is up to `rerun`.
    outcomes: fc.array(fc.constantFrom('passed', 'failed', 'errored', 'not_run', null), { minLength: 2, maxLength: 2 }),
    rerun: fc.constantFrom(null, null, 'again', 'regrade'),
    blame: fc.constantFrom('model', 'task', null),
    reason: fc.constantFrom('wrong', 'slow', 'unknown', null),
    message: fc.constantFrom('why', 'because', null),
    metrics: fc.record({ localized: fc.constantFrom(0, 1, null), voted: fc.constantFrom(0, 1) }, { requiredKeys: [] }),
    startedMs: fc.option(fc.integer({ min: 0, max: 9_999 })),
    paid: fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 3 }),
  });

  it('by system and reason are what the trials come to one by one, whichever of their runs counts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(drawn, { minLength: 12, maxLength: 12 }), async (trials) => {
        const { id, trialIds } = await planned({ batches: 3, trialsPerBatch: 4 });
        const rows = trials.map((trial, index) => ({
          id: trialIds[index],
          task: `task-${index >> 2}-${index & 3}`,
          ...trial,
        }));
        await write(id, rows);
        const one = await records.trials(id);
        const read = await records.campaignTotals(id, ['localized', 'voted']);
        const { spend, ...totals } = read.totals;
        const expected = totalsOf(one);
        // Nobody voted.
        expect(totals).toEqual({ tallies: expected.tallies, tasks: [], failures: expected.failures, abstentions: 0 });
        const key = (each: { systemId: string; group: string }): string => `${each.systemId} ${each.group}`;
        const paid = spend.filter(({ costMicroUsd }) => costMicroUsd > 0);
        expect(Object.fromEntries(paid.map((each) => [key(each), each]))).toEqual(
          Object.fromEntries(expected.spend.map((each) => [key(each), each])),
        );
        const pages: string[] = [];
        await records.trialPages(id, (page) => void pages.push(...page.map((trial) => trial.id)));
        expect(pages).toEqual(trialIds);
        const again = one.filter((trial) => trial.again !== null || trial.regraded !== null);
        expect(await records.rerunTrials(id)).toEqual(again);
        const graded = one.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed');
        expect((await records.gradedTrials(trialIds)).sort()).toEqual(graded.map((trial) => trial.id).sort());
        for (const { systemId, microUsd } of await records.meanRunCosts(id)) {
          const costs = graded.filter((trial) => trial.systemId === systemId).map((row) => row.costMicroUsd / row.runs);
          expect(microUsd).toBeCloseTo(costs.reduce((sum, cost) => sum + cost, 0) / costs.length, 6);
        }
        expect(new Set((await records.meanRunCosts(id)).map(({ systemId }) => systemId))).toEqual(
          new Set(graded.map(({ systemId }) => systemId)),
        );
        const tasks = (await records.plannedTasks(id)).flatMap(({ taskId, systemId, repeats }) =>
          repeats.map((repeat) => `${taskId} ${systemId} ${repeat}`),
        );
        expect(tasks.sort()).toEqual(one.map((row) => `${row.taskId} ${row.systemId} ${row.repeat}`).sort());
        await asRepeats(id);
        const repeated = totalsOf(await records.trials(id)).tasks;
        expect(sorted((await records.campaignTotals(id, [])).totals.tasks)).toEqual(sorted(repeated));
      }),
      { numRuns: 20 },
    );
  });

  /** The four trials of a batch are repeats of one task from now on. */
  async function asRepeats(campaignId: string): Promise<void> {
    await sql`update trials set repeat = 1 + ordinal % 4, task_id = regexp_replace(task_id, '.$', '0')
      where campaign_id = ${campaignId}`.execute(database.kysely);
    await sql`update campaigns set spec = jsonb_set(spec, '{repeats}', '4') where id = ${campaignId}`.execute(
      database.kysely,
    );
  }

  const sorted = (rows: readonly object[]): string[] =>
    rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort();

  async function write(campaignId: string, rows: object[]): Promise<void> {
    const drawn = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as d(id text, task text, system text, "group" text,
      outcomes text[], rerun text, blame text, reason text, message text, metrics jsonb, "startedMs" float8, paid bigint[])`;
    const time = sql`timestamptz 'epoch' + "startedMs" * interval '1 millisecond'`;
    const of = (n: number) => sql`outcomes[${sql.lit(n)}]`;
    const statements = [
      sql`update campaign_tasks k set task_group = d."group" from ${drawn}
        where k.campaign_id = ${campaignId} and k.task_id = d.task`,
      sql`update trials t set system_id = d.system, outcome = ${of(1)}, state = case when ${of(1)} is null then 'planned' else 'done' end,
        n = case when d.rerun is null then 1 else 2 end, blame = d.blame, reason = d.reason, message = d.message,
        metrics = d.metrics, started_at = ${time}, ended_at = ${time} + interval '1 second',
        scored_n = case d.rerun when 'again' then 1 when 'regrade' then 2 end from ${drawn} where t.id = d.id`,
      sql`insert into trial_runs (trial_id, n, kind, of_run) select id, 2, rerun, 1 from ${drawn} where rerun is not null`,
      sql`update trial_runs r set outcome = ${of(2)}, blame = d.reason, reason = d.blame, message = upper(d.message),
        verdict = jsonb_build_object('metrics', d.metrics || '{"voted": 1}'), started_at = ${time} - r.n * interval '1 hour'
        from ${drawn} where r.trial_id = d.id`,
      sql`insert into calls (key, campaign_id, owner_kind, owner_id, stage, step, purpose, model, request_ref)
        select id || n, ${campaignId}, 'trial', id, 'vote', '', 'vote', 'm', '{}' from ${drawn}, generate_series(1, cardinality(paid)) n`,
      sql`insert into sends (key, attempt, state, estimate_micro_usd, estimate_tokens, actual_micro_usd, actual_tokens, worker)
        select id || n, 1, case when n = 3 then 'released' else 'settled' end, 1, 1, paid[n], 2 * paid[n], 'w'
        from ${drawn}, generate_series(1, cardinality(paid)) n`,
    ];
    for (const statement of statements) await statement.execute(database.kysely);
  }

  it('name every blob a row refers to', async () => {
    const referenced = new Set(await records.referencedBlobs());
    for (const digit of ['a', 'b', 'e', '1', '2']) expect(referenced).toContain(digit.repeat(64));
    expect([...referenced].every((sha256) => /^[0-9a-z-]+$/.test(sha256))).toBe(true);
  });

  /** A settled call; one whose first send was released; one whose first send was ambiguous; one still open. */
  async function insertCalls(campaignId: string, trialId: string): Promise<void> {
    const calls = [
      { key: 'settled', answered: true, sends: [['settled', 3_000_000_000, 10]] },
      { key: 'released', answered: false, sends: [['released', 0, 0], ['sent', null, null]] },
      { key: 'ambiguous', answered: true, sends: [['ambiguous', 70, 7], ['settled', 40, 4]] },
    ] as const; // prettier-ignore
    for (const { key, answered, sends } of calls) {
      await sql`
        insert into calls (key, campaign_id, owner_kind, owner_id, stage, step, purpose, model, request_ref,
          response_ref, state)
        values (${key}, ${campaignId}, 'trial', ${trialId}, 'vote', '', 'vote', 'm',
          ${JSON.stringify({ sha256: '1'.repeat(64) })}, ${answered ? JSON.stringify({ sha256: '2'.repeat(64) }) : null},
          ${answered ? 'answered' : 'open'})`.execute(database.kysely);
      for (const [index, [state, microUsd, tokens]] of sends.entries()) {
        await sql`
          insert into sends (key, attempt, state, estimate_micro_usd, estimate_tokens, actual_micro_usd, actual_tokens,
            worker)
          values (${key}, ${index + 1}, ${state}, 999, 99, ${microUsd}, ${tokens}, 'w1')`.execute(database.kysely);
      }
    }
  }
});

describe('naming a campaign', () => {
  it('takes latest, an id and a unique prefix, and nothing that fits two', async () => {
    await records.createCampaign(campaignPlan({ id: 'named-abc', batches: 1, trialsPerBatch: 1 }));
    await records.createCampaign(campaignPlan({ id: 'named-abcd', batches: 1, trialsPerBatch: 1 }));
    expect(await records.resolveCampaign('latest')).toBe('named-abcd');
    expect(await records.resolveCampaign('named-abc')).toBe('named-abc');
    expect(await records.resolveCampaign('named-abcd')).toBe('named-abcd');
    expect(await records.resolveCampaign('named-')).toBeNull();
    expect(await records.resolveCampaign('n%')).toBeNull();
    await expect(records.campaign('nobody')).rejects.toMatchObject({ name: 'UserError' });
  });
});

describe('workers and failures', () => {
  it('lease an instance for 30 s and end the lease when it retires', async () => {
    const isAlive = async () => {
      const { rows } = await sql<{ alive: boolean }>`
        select lease_until > now() + interval '20 seconds' as alive from workers where instance = 'w9'`.execute(
        database.kysely,
      );
      return rows[0]?.alive;
    };
    await records.beatWorker({ instance: 'w9', host: 'h', pid: 1 });
    await records.beatWorker({ instance: 'w9', host: 'h', pid: 1 });
    expect(await isAlive()).toBe(true);
    await records.retireWorker('w9');
    expect(await isAlive()).toBe(false);
  });

  it('say records.unavailable, which is retried, when the server is unavailable', async () => {
    const away = openDatabase({ connectionString: 'postgresql://nobody@127.0.0.1:1/none' });
    await expect(createRecords(away).listCampaigns(1)).rejects.toMatchObject({ type: 'records.unavailable' });
    await away.close();
  });

  it('survive connections that the server cuts, idle and in the middle of a query', async () => {
    const cut = openDatabase({ connectionString: database.databaseUrl, maxConnections: 1 });
    const pid = async () =>
      (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(cut.kysely)).rows[0]!.pid;
    const terminate = async () => sql`select pg_terminate_backend(${await pid()})`.execute(database.kysely);
    await terminate();
    await throughCuts(() => createRecords(cut).listCampaigns(1));
    const backend = await pid();
    const sleeping = onDatabase(() => sql`select pg_sleep(3600)`.execute(cut.kysely));
    const refused = expect(sleeping).rejects.toMatchObject({ type: 'records.unavailable' });
    await waitUntil(() => isSleeping(backend));
    await sql`select pg_terminate_backend(${backend})`.execute(database.kysely);
    await refused;
    await throughCuts(() => createRecords(cut).listCampaigns(1));
    await cut.close();
  });

  async function isSleeping(backend: number): Promise<boolean> {
    const { rows } = await sql`
      select 1 from pg_stat_activity where pid = ${backend} and wait_event = 'PgSleep'`.execute(database.kysely);
    return rows.length > 0;
  }
});
