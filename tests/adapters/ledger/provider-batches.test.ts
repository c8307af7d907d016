import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../src/adapters/postgres/query-builder.js';
import { createOpenAiBatchApi } from '../../../src/adapters/openai/batch-api.js';
import { createOpenAiModel } from '../../../src/adapters/openai/openai-model.js';
import { createLedger } from '../../../src/adapters/postgres/ledger/ledger.js';
import { createProviderBatches } from '../../../src/adapters/postgres/ledger/provider-batches.js';
import { createRecords } from '../../../src/adapters/postgres/records.js';
import type { BatchApiSpec, BudgetSpec } from '../../../src/contract/campaign.js';
import { createMemoryBlobs } from '../../../src/fakes/memory-blobs.js';
import type { ModelRulesInput } from '../../../src/fakes/model-rules.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../../src/fakes/scripted-model-server.js';
import { collectBatches, type BatchCollectorParts } from '../../../src/ledger/batch-collector.js';
import { createMeteredModel } from '../../../src/ledger/metered-model.js';
import type { Asker } from '../../../src/ports/model.js';
import { campaignPlan } from '../../fixtures/engine/campaign-plan.js';
import { migratedDatabase, type MigratedDatabase } from '../../fixtures/postgres/postgres.js';

/** Provider batches on real records and a provider over HTTP: what becomes of each call, and of its money. */
let database: MigratedDatabase;
const blobs = createMemoryBlobs();
const running: ScriptedModelServer[] = [];
let campaigns = 0;

beforeAll(async () => {
  database = await migratedDatabase();
});

afterEach(async () => {
  // What is left open would be looked after by the next test.
  await sql`update provider_batches set ended_at = now()`.execute(database.kysely);
  await Promise.all(running.splice(0).map((server) => server.close()));
});

afterAll(async () => {
  await database?.close();
});

/** 10 tokens in, 5 out, at a dollar and two a million: 20 micro-dollars, and half of it in a batch. */
const USAGE = { input: 10, output: 5 };
const BATCHED_MICRO_USD = 10;

interface Setting {
  rules?: ModelRulesInput;
  batchApi?: BatchApiSpec;
  budget?: Partial<BudgetSpec>;
}

/** A campaign whose model has a Batch API, and a worker that asks and collects. */
async function bench({ rules, batchApi = { priceFactor: 0.5, collectSeconds: 0 }, budget = {} }: Setting = {}) {
  const server = await startScriptedModelServer({ rules: { default: { answer: 'YES', usage: USAGE }, ...rules } });
  running.push(server);
  const records = createRecords(database);
  campaigns += 1;
  const plan = campaignPlan({ id: `batched-${campaigns}`, batches: 1, trialsPerBatch: 1 });
  const { id } = plan;
  plan.spec.models = {
    small: {
      ...{ name: 'scripted', baseUrl: server.url, apiKeyEnv: null, price: { input: 1, output: 2 } },
      ...{ maxOutputTokens: 100, temperature: 0, timeoutSeconds: 300, batchApi },
    },
  };
  plan.spec.budget = { usd: 1, tokens: null, ...budget };
  await records.createCampaign(plan);
  const { epoch } = await records.openCampaign(id);
  await records.beatWorker({ instance: 'worker-1', host: 'test', pid: 1 });
  const ledger = createLedger(database);
  const ask = async (trial: number, more: Partial<Asker> = {}): Promise<string> => {
    const model = createOpenAiModel({ readKey: () => undefined });
    const asker: Asker = {
      ...{ account: { kind: 'campaign', id }, epoch, stage: 'vote', step: 'match-1', fresh: 0, repeat: 1, run: 1 },
      ...{ owner: { kind: 'trial', id: `${id}/t${trial}/sys/1` }, spec: plan.spec },
      ...{ system: { ...plan.spec.systems[0]!, model: 'small' }, signal: new AbortController().signal },
      ...more,
    };
    const question = { purpose: 'vote', ordinal: 0, prompt: 'vote@1' };
    const messages = [{ role: 'user' as const, content: `Is it so? (${trial})` }];
    const metered = createMeteredModel({ model, ledger, blobs, worker: 'worker-1' });
    return metered.ask(asker, { ...question, messages }).then(
      ({ answer }) => answer.text,
      (error: { type?: string }) => error.type ?? 'no failure',
    );
  };
  const parts = (worker = 'worker-1'): BatchCollectorParts => ({
    ...{ ledger, blobs, worker, batches: createProviderBatches(database), mayComeMs: 0 },
    ...{ api: createOpenAiBatchApi({ readKey: () => undefined }), report: () => undefined },
  });
  /** A pass that finds everything due. */
  const collect = async (more: Partial<BatchCollectorParts> = {}): Promise<void> => {
    await sql`update provider_batches set due_at = now() where ended_at is null`.execute(database.kysely);
    await collectBatches({ ...parts(), ...more }, new AbortController().signal);
  };
  const sums = async () => {
    const { rows } = await sql<{ reserved: number; counted: number; added: number; open: number }>`
      select b.reserved_micro_usd as reserved, b.settled_micro_usd as counted,
        (select coalesce(sum(s.actual_micro_usd), 0)::bigint from sends s join calls c using (key)
          where c.campaign_id = ${id}) as added,
        (select count(*) from sends s join calls c using (key)
          where c.campaign_id = ${id} and s.state in ('reserved', 'sent')) as open
      from budgets b where b.scope = ${`campaign:${id}`}`.execute(database.kysely);
    const [row] = rows;
    expect(row?.added).toBe(row?.counted);
    return { reserved: row!.reserved, settled: row!.counted, open: row!.open };
  };
  return { id, epoch, server, records, ledger, ask, parts, collect, sums };
}

const nothing = { reserved: 0, open: 0 };

describe('the calls of a campaign that go out in a provider batch', () => {
  it('are sent as one file, answered to whoever asks again, and paid at the price of the batch', async () => {
    const { ask, collect, server, sums, records, id } = await bench();
    expect(await Promise.all([1, 2, 3].map((trial) => ask(trial)))).toEqual(Array(3).fill('model.batched'));
    const [wait] = await records.waits(id);
    expect(wait).toMatchObject({ type: 'model.batched', owners: 3, message: '3 requests wait to be sent' });
    await collect();
    expect(server.batches()).toMatchObject([{ requests: 3 }]);
    expect((await records.waits(id))[0]).toMatchObject({
      ...{ since: wait!.since, owners: 3 },
      message: '0 of 3 requests in 1 open batch answered',
    });
    expect(await ask(1)).toBe('model.batched');
    await collect();
    expect(await Promise.all([1, 2, 3].map((trial) => ask(trial)))).toEqual(['YES', 'YES', 'YES']);
    expect(server.batches()).toHaveLength(1);
    expect(server.requests).toHaveLength(3);
    expect(await sums()).toEqual({ ...nothing, settled: 3 * BATCHED_MICRO_USD });
    expect(await records.waits(id)).toEqual([]);
    expect((await records.campaign(id)).spend).toMatchObject({ calls: 3, repeatedCalls: 0, replayedCalls: 0 });
  });

  it('wait for others as long as the file says', async () => {
    const { ask, collect, server } = await bench({ batchApi: { priceFactor: 0.5, collectSeconds: 3_600 } });
    await ask(1);
    await collect();
    expect(server.batches()).toEqual([]);
    await sql`update sends set reserved_at = now() - interval '1 hour'`.execute(database.kysely);
    await ask(2);
    await collect();
    expect(server.batches()).toMatchObject([{ requests: 2 }]);
  });

  it('hold what they may cost until they are booked, within the budget', async () => {
    // Two calls at half the price of their 100 tokens of output.
    const { ask, collect, sums } = await bench({ budget: { usd: 0.0003 } });
    expect(await ask(1)).toBe('model.batched');
    expect(await ask(2)).toBe('model.batched');
    expect(await ask(3)).toBe('budget.contended');
    expect((await sums()).reserved).toBeGreaterThan(200);
    await collect();
    expect(await ask(3)).toBe('budget.contended');
    await collect();
    expect(await ask(3)).toBe('model.batched');
    await collect();
    await collect();
    expect(await ask(3)).toBe('YES');
    expect(await sums()).toEqual({ ...nothing, settled: 3 * BATCHED_MICRO_USD });
  });

  it('outlive an epoch: whoever takes the campaign over waits for the same batch', async () => {
    const { ask, collect, server, records, id } = await bench();
    await ask(1);
    const { epoch } = await records.openCampaign(id);
    await collect();
    expect(await ask(1, { epoch })).toBe('model.batched');
    await collect();
    expect(await ask(1, { epoch })).toBe('YES');
    expect(server.requests).toHaveLength(1);
  });

  it('fail one by one as calls of their own would; the others are answered', async () => {
    const { ask, collect, server, sums } = await bench({
      rules: {
        rules: [
          { match: { contains: '(1)' }, status: 400 },
          { match: { contains: '(2)' }, status: 500, times: 1 },
          { match: { contains: '(3)' }, cut: 'before-reply', times: 1 },
        ],
      },
    });
    for (const trial of [1, 2, 3, 4]) await ask(trial);
    await collect();
    const { reserved } = await sums();
    await collect();
    expect(await ask(4)).toBe('YES');
    // Final for the run; another one asks anew.
    expect(await ask(1)).toBe('model.bad-request');
    expect(await ask(1)).toBe('model.bad-request');
    expect(await ask(2)).toBe('model.server-error');
    expect(await ask(2)).toBe('model.batched');
    // Without a reply it may have been billed: the estimate is charged, and a second try is made.
    expect(await ask(3)).toBe('model.ambiguous');
    expect((await sums()).settled).toBe(BATCHED_MICRO_USD + reserved / 4);
    expect(await ask(3)).toBe('model.batched');
    expect(await ask(1, { run: 2 })).toBe('model.batched');
    await collect();
    await collect();
    expect([await ask(2), await ask(3)]).toEqual(['YES', 'YES']);
    expect(server.batches()).toMatchObject([{ requests: 4 }, { requests: 3 }]);
    expect(await sums()).toMatchObject(nothing);
  });

  it('go into another batch where theirs expired, but for those that were answered', async () => {
    const { ask, collect, server, sums } = await bench({ rules: { batches: { ends: ['expired'] } } });
    for (const trial of [1, 2]) await ask(trial);
    await collect();
    await collect();
    const first = [await ask(1), await ask(2)];
    expect(first.toSorted()).toEqual(['YES', 'model.server-error']);
    const unanswered = first.indexOf('model.server-error') + 1;
    expect(await sums()).toEqual({ ...nothing, settled: BATCHED_MICRO_USD });
    expect(await ask(unanswered)).toBe('model.batched');
    await collect();
    await collect();
    expect(await ask(unanswered)).toBe('YES');
    expect(server.batches()).toMatchObject([{ status: 'expired' }, { status: 'completed', requests: 1 }]);
    expect(await sums()).toEqual({ ...nothing, settled: 2 * BATCHED_MICRO_USD });
  });

  it('fail with the reason of the provider where it refuses the batch, at no cost', async () => {
    const { ask, collect, sums } = await bench({ rules: { batches: { ends: ['failed'] } } });
    await ask(1);
    await collect();
    await collect();
    expect(await ask(1)).toBe('model.bad-request');
    expect(await sums()).toEqual({ ...nothing, settled: 0 });
  });

  it('wait, with the reason told, while the provider cannot be reached', async () => {
    const { ask, collect, server, records, id } = await bench();
    await ask(1);
    const { port } = server;
    await server.close();
    await collect();
    const [wait] = await records.waits(id);
    expect(wait?.message).toMatch(/0 of 1 requests in 1 open batch answered; scripted at .* cannot be reached/);
    running.push(await startScriptedModelServer({ rules: { default: { answer: 'YES', usage: USAGE } }, port }));
    await collect();
    await collect();
    expect(await ask(1)).toBe('YES');
  });
});

describe('a campaign that is cancelled or has ended', () => {
  it('sends nothing more, and frees what it had reserved', async () => {
    const { ask, collect, server, sums, id } = await bench();
    await ask(1);
    await sql`update campaigns set desired_state = 'cancel' where id = ${id}`.execute(database.kysely);
    await collect();
    expect(server.batches()).toEqual([]);
    expect(await sums()).toEqual({ ...nothing, settled: 0 });
  });

  it('has its open batches cancelled; resumed, it asks anew', async () => {
    const { ask, collect, server, sums, id, records } = await bench({ rules: { batches: { delayMs: 3_600_000 } } });
    await ask(1);
    await collect();
    await sql`update campaigns set ended_at = now(), ended_as = 'cancelled' where id = ${id}`.execute(database.kysely);
    expect(await records.removeCampaign({ campaignId: id, author: 'me', reason: '' })).toEqual({
      ...{ state: 'calls-under-way', calls: 1 },
    });
    await collect();
    expect(server.batches()).toMatchObject([{ status: 'cancelling' }]);
    await collect();
    expect(server.batches()).toMatchObject([{ status: 'cancelled' }]);
    expect(await sums()).toEqual({ ...nothing, settled: 0 });
    await sql`update campaigns set ended_at = null, ended_as = null where id = ${id}`.execute(database.kysely);
    expect(await ask(1)).toBe('model.server-error');
    expect(await ask(1)).toBe('model.batched');
    await collect();
    expect(server.batches()).toHaveLength(2);
    await sql`update campaigns set ended_at = now(), ended_as = 'cancelled' where id = ${id}`.execute(database.kysely);
    await collect();
    await collect();
    expect(await records.removeCampaign({ campaignId: id, author: 'me', reason: '' })).toEqual({ state: 'removed' });
  });
});

/** What happens to a batch of two calls, in order; each may be the last thing its worker does. */
const EFFECTS = [
  ...['form', 'take', 'sends', 'noteTry', 'create', 'noteCreated', 'leave', 'take'],
  ...['form', 'take', 'progress', 'sends', 'replies', 'settle', 'noteRefusal', 'release', 'end', 'take'],
];
const POINTS = EFFECTS.flatMap((effect, at) => (['before', 'after'] as const).map((when) => ({ at, when, effect })));

describe('a worker that dies while it deals with a provider batch', () => {
  const failing: ModelRulesInput = { rules: [{ match: { contains: '(2)' }, status: 500, times: 1 }] };

  it('goes through these effects', async () => {
    const { ask, collect, parts } = await bench({ rules: failing });
    await ask(1);
    await ask(2);
    const life: Life = { at: 0, crash: null, effects: [] };
    for (let pass = 0; pass < 2; pass += 1) await collect(mortal(parts('first'), life));
    expect(life.effects).toEqual(EFFECTS);
  });

  it.each(POINTS)('$when $effect ($at): its successor goes on, and sends nothing twice', async (crash) => {
    const { ask, collect, parts, server, sums, records } = await bench({ rules: failing });
    await ask(1);
    await ask(2);
    await records.beatWorker({ instance: 'first', host: 'test', pid: 1 });
    const life: Life = { at: 0, crash, effects: [] };
    const died = async (): Promise<void> => {
      for (let pass = 0; pass < 2; pass += 1) await collect(mortal(parts('first'), life));
      throw new Error('it did not die');
    };
    await expect(died()).rejects.toThrow('dead');
    await records.retireWorker('first');
    for (let pass = 0; pass < 3; pass += 1) await collect();
    expect(await ask(1)).toBe('YES');
    expect(await ask(2)).toBe('model.server-error');
    expect(server.batches()).toMatchObject([{ requests: 2 }]);
    expect(server.requests).toHaveLength(2);
    expect(await sums()).toEqual({ ...nothing, settled: BATCHED_MICRO_USD });
  });

  it('was only taken for dead: it cancels the batch that it creates beside that of its successor', async () => {
    const { ask, collect, parts, server, records } = await bench({ rules: { batches: { delayMs: 3_600_000 } } });
    await ask(1);
    await records.beatWorker({ instance: 'frozen', host: 'test', pid: 1 });
    const frozen = parts('frozen');
    const create: typeof frozen.api.create = async (...asked) => {
      await records.retireWorker('frozen');
      await collect();
      return frozen.api.create(...asked);
    };
    await collect({ ...frozen, api: { ...frozen.api, create } });
    expect(server.batches()).toMatchObject([{ status: 'in_progress' }, { status: 'cancelling' }]);
  });

  it('leaves alone what a living worker deals with', async () => {
    const { ask, collect, parts, server, records } = await bench();
    await ask(1);
    const { batches } = parts();
    await batches.form();
    await records.beatWorker({ instance: 'other', host: 'test', pid: 1 });
    expect(await batches.take('other')).toMatchObject({ providerId: null, triedForMs: null, isWanted: true });
    await collect();
    expect(server.batches()).toEqual([]);
    await records.retireWorker('other');
    await collect();
    expect(server.batches()).toHaveLength(1);
  });
});

interface Life {
  at: number;
  crash: { at: number; when: 'before' | 'after' } | null;
  effects: string[];
}

/** The same parts, each effect of which can be the last thing the process does: everything after it fails as well. */
function mortal(parts: BatchCollectorParts, life: Life): BatchCollectorParts {
  const isDead = (): boolean => life.crash !== null && life.at > life.crash.at;
  const begin = (name: string): boolean => {
    if (isDead()) throw new Error('dead');
    const here = life.at === life.crash?.at;
    life.at += 1;
    life.effects.push(name);
    if (here && life.crash?.when === 'before') throw new Error('dead');
    return here;
  };
  const wrap = <Port extends object>(port: Port, names: (keyof Port & string)[]): Port => {
    const wrapped = names.map((name) => {
      const method = port[name] as (...input: unknown[]) => Promise<unknown>;
      const run = async (...input: unknown[]): Promise<unknown> => {
        const isLast = begin(name);
        const result = await method(...input);
        if (isLast) throw new Error('dead');
        return result;
      };
      return [name, run];
    });
    return { ...port, ...(Object.fromEntries(wrapped) as Partial<Port>) };
  };
  const { api } = parts;
  return {
    ...parts,
    api: {
      ...wrap(api, ['create', 'find', 'progress', 'cancel']),
      async *replies(...asked) {
        const isLast = begin('replies');
        for await (const reply of api.replies(...asked)) {
          yield reply;
          if (isLast) throw new Error('dead');
        }
      },
    },
    batches: wrap(parts.batches, ['form', 'take', 'sends', 'noteTry', 'noteCreated', 'leave', 'end']),
    ledger: wrap(parts.ledger, ['settle', 'release', 'markAmbiguous', 'noteRefusal']),
  };
}
