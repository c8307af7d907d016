import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { createFileBlobs } from '../../src/adapters/blobs/file-blobs.js';
import { createOpenAiModel } from '../../src/adapters/openai/openai-model.js';
import { createLedger } from '../../src/adapters/postgres/ledger/ledger.js';
import { createRecords } from '../../src/adapters/postgres/records.js';
import { DomainFailure } from '../../src/domain/failure/domain-failure.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import { createMeteredModel, type MeteredModelParts } from '../../src/ledger/metered-model.js';
import type { Asker } from '../../src/ports/model.js';
import { campaignPlan } from '../fixtures/engine/campaign-plan.js';
import { migratedDatabase, type MigratedDatabase } from '../fixtures/postgres/postgres.js';

/** One effect of a call, and what happens just before or just after it: the process dies, or only the store's reply is lost. */
interface CrashPoint {
  at: number;
  when: 'before' | 'after';
  what?: 'store away';
}

const TOOL_CALL = { name: 'bash', arguments: '{"command":"ls"}' };

let database: MigratedDatabase;
let server: ScriptedModelServer;
const folder = mkdtempSync(join(tmpdir(), 'durabench-metered-'));

beforeAll(async () => {
  database = await migratedDatabase();
  server = await startScriptedModelServer({
    rules: { rules: [{ match: { tool: 'bash' }, toolCall: TOOL_CALL }], default: { answer: 'paid for' } },
  });
});

afterAll(async () => {
  await server?.close();
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Effects of one undisturbed call, in order. */
const EFFECTS = ['callState', 'put', 'reserve', 'markSent', 'complete', 'put', 'settle'];
const POINTS = EFFECTS.flatMap((effect, at) =>
  (['before', 'after'] as const).map((when): CrashPoint & { effect: string } => ({ at, when, effect })),
);

describe('a worker that dies in the middle of a call', () => {
  it('goes through these effects', async () => {
    const effects: string[] = [];
    await live('undisturbed', 'worker-a', null, effects);
    expect(effects).toEqual(EFFECTS);
  });

  it.each(POINTS)('$when $effect ($at): its successor answers, with at most one repeat', async (point) => {
    const campaign = `crash-${point.at}-${point.when}`;
    const before = server.requests.length;
    await live(campaign, 'first', point, []);
    await records().retireWorker('first');
    const { answer } = await live(campaign, 'second', null, []);
    expect(answer.text).toBe('paid for');
    await live(campaign, 'third', null, []);

    const sent = server.requests.length - before;
    const wasSent = point.at > 4 || (point.at === 4 && point.when === 'after');
    const wasSettled = point.at === 6 && point.when === 'after';
    expect(sent).toBe(wasSent && !wasSettled ? 2 : 1);
    expect(new Set(server.requests.slice(before).map((seen) => seen.call)).size).toBe(1);
    // Whoever died with a send that may have gone out leaves a charge that the report must show.
    const mayBeBilled = point.at > 3 || (point.at === 3 && point.when === 'after');
    expect(await createLedger(database).repeatedCalls({ kind: 'campaign', id: campaign })).toBe(
      mayBeBilled && !wasSettled ? 1 : 0,
    );
    await countersAreRight(campaign);
  });
});

/** The id of the answer is noted while it comes. */
const STORED_EFFECTS = EFFECTS.toSpliced(5, 0, 'noteCompletion');
const STORED_POINTS = STORED_EFFECTS.flatMap((effect, at) =>
  (['before', 'after'] as const).flatMap((when) =>
    (['text', 'tools'] as const).map((kind): CrashPoint & { effect: string; kind: typeof kind } => ({
      at,
      when,
      effect,
      kind,
    })),
  ),
);

describe('a worker that dies in the middle of a call to a provider that keeps answers', () => {
  it.each(['text', 'tools'] as const)('goes through these effects (%s)', async (kind) => {
    const effects: string[] = [];
    await live(`undisturbed-stored-${kind}`, 'worker-a', null, effects, kind);
    expect(effects).toEqual(STORED_EFFECTS);
  });

  it.each(STORED_POINTS)('$when $effect ($at, $kind): its successor fetches what had begun', async (point) => {
    const { kind } = point;
    const campaign = `stored-${kind}-${point.at}-${point.when}`;
    const before = server.requests.length;
    await live(campaign, 'first', point, [], kind);
    await records().retireWorker('first');
    const { answer } = await live(campaign, 'second', null, [], kind);
    if (kind === 'text') expect(answer.text).toBe('paid for');
    else expect(answer).toMatchObject({ raw: { tool_calls: [{ type: 'function', function: TOOL_CALL }] } });

    // Only a send whose answer had not begun to come may have to be repeated.
    const isLost = point.at === 5 && point.when === 'before';
    expect(server.requests.length - before).toBe(isLost ? 2 : 1);
    const { spend } = await records().campaign(campaign);
    const mayBeBilled =
      isLost || (point.at === 3 && point.when === 'after') || (point.at === 4 && point.when === 'before');
    expect(spend.repeatedCalls).toBe(mayBeBilled ? 1 : 0);
    const wasSettled = point.at === 7 && point.when === 'after';
    const hadBegun = point.at > 5 || (point.at >= 4 && point.when === 'after');
    expect(spend.recoveredCalls).toBe(hadBegun && !wasSettled ? 1 : 0);
    await countersAreRight(campaign);
  });
});

describe('a store that goes away for a moment in the middle of a call', () => {
  const points = POINTS.filter(({ effect }) => effect !== 'complete');

  it.each(points)('$when $effect ($at): its worker lives on, and nobody waits for it', async ({ at, when, effect }) => {
    const campaign = `away-${at}-${when}`;
    const before = server.requests.length;
    const crash = { at, when, what: 'store away' } as const;
    const first = await live(campaign, 'living', crash, []).then(({ answer }) => answer.text, typeOf);
    expect(first).toBe(at > 2 ? 'paid for' : effect === 'put' ? 'blobs.unavailable' : 'records.unavailable');
    // Another worker, while the lease of the first one holds.
    expect((await live(campaign, 'other', null, [])).answer.text).toBe('paid for');
    expect(server.requests.length - before).toBe(1);
    await countersAreRight(campaign);
  });
});

const REUSED_EFFECTS = ['callState', 'reusableAnswer', 'put', 'put', 'reuse'];
const REUSED_POINTS = REUSED_EFFECTS.flatMap((effect, at) =>
  (['before', 'after'] as const).map((when): CrashPoint & { effect: string } => ({ at, when, effect })),
);

describe('a worker that dies while it takes an answer of another campaign over', () => {
  const reusing = { reuseAnswers: true as const };

  it('goes through these effects', async () => {
    await live('reused-from', 'worker-a', null, []);
    const effects: string[] = [];
    await live('undisturbed-reuse', 'worker-a', null, effects, undefined, reusing);
    expect(effects).toEqual(REUSED_EFFECTS);
  });

  it.each(REUSED_POINTS)(
    '$when $effect ($at): its successor has the same answer, and nothing is sent',
    async (point) => {
      const campaign = `reuse-${point.at}-${point.when}`;
      const before = server.requests.length;
      await live(campaign, 'first', point, [], undefined, reusing);
      await records().retireWorker('first');
      const answers = [
        await live(campaign, 'second', null, [], undefined, reusing),
        await live(campaign, 'third', null, [], undefined, reusing),
      ];
      expect(answers.map(({ answer }) => answer.text)).toEqual(['paid for', 'paid for']);
      expect(server.requests).toHaveLength(before);
      const { spend } = await records().campaign(campaign);
      expect(spend).toMatchObject({ microUsd: 0, tokens: 0, calls: 0, repeatedCalls: 0, reusedCalls: 1 });
      expect(spend.saved.tokens).toBeGreaterThan(0);
    },
  );
});

const typeOf = (error: unknown): string => (error instanceof DomainFailure ? error.type : String(error));

/** What is asked of a provider that keeps answers. */
type StoredKind = 'text' | 'tools';
/** A question as a program of somebody's own asks it. */
const WITH_TOOLS = {
  messages: [{ role: 'user', content: 'Is it so?' }],
  tools: [{ type: 'function', function: { name: 'bash', parameters: { type: 'object', properties: {} } } }],
};

/** One worker asking one question; with a crash point it never comes back from there, as a killed process. */
async function live(
  campaign: string,
  worker: string,
  crash: CrashPoint | null,
  effects: string[],
  kept?: StoredKind,
  more: Pick<Asker['spec'], 'reuseAnswers'> = {},
) {
  await open(campaign);
  await records().beatWorker({ instance: worker, host: 'test', pid: 1 });
  let died = (): void => undefined;
  const death = new Promise<void>((resolve) => (died = resolve));
  const parts = mortal({ at: 0, crash, effects, died: () => died() }, worker);
  const askedBy = asker(campaign, kept);
  const asked = createMeteredModel(parts).ask(
    { ...askedBy, spec: { ...askedBy.spec, ...more } },
    {
      ...{ purpose: 'vote', ordinal: 0, prompt: 'vote@1' },
      ...(kept === 'tools'
        ? { messages: [], body: WITH_TOOLS }
        : { messages: [{ role: 'user' as const, content: 'Is it so?' }] }),
    },
  );
  const nothing = { answer: { text: 'died' } };
  return Promise.race([asked, death.then(() => nothing)]);
}

interface Life {
  at: number;
  crash: CrashPoint | null;
  effects: string[];
  died: () => void;
}

/** The real ports, each effect of which can be the last thing the process does. */
function mortal(life: Life, worker: string): MeteredModelParts {
  const wrap = <Port extends object>(port: Port, names: (keyof Port & string)[]): Port => {
    const wrapped = names.map((name) => {
      const method = port[name] as (...input: unknown[]) => Promise<unknown>;
      return [name, (...input: unknown[]) => effect(life, name, () => method(...input))];
    });
    return { ...port, ...(Object.fromEntries(wrapped) as Partial<Port>) };
  };
  return {
    worker,
    ledger: wrap(createLedger(database), [
      ...(['callState', 'reserve', 'markSent', 'noteCompletion', 'settle', 'markAmbiguous'] as const),
      ...(['reusableAnswer', 'reuse'] as const),
    ]),
    blobs: wrap(createFileBlobs({ folder }), ['put']),
    model: wrap(createOpenAiModel({ readKey: () => undefined }), ['complete']),
  };
}

async function effect(life: Life, name: string, run: () => Promise<unknown>): Promise<unknown> {
  const { crash } = life;
  const here = crash !== null && life.at === crash.at;
  life.at += 1;
  life.effects.push(name);
  const end = (): Promise<never> => (crash?.what === 'store away' ? away(name) : dead(life));
  if (here && crash.when === 'before') return end();
  const result = await run();
  return here ? end() : result;
}

function away(effect: string): Promise<never> {
  const type = effect === 'put' ? 'blobs.unavailable' : 'records.unavailable';
  return Promise.reject(new DomainFailure(type, 'the connection was cut'));
}

function dead(life: Life): Promise<never> {
  life.died();
  return new Promise(() => undefined);
}

function records() {
  return createRecords(database);
}

async function open(campaignId: string): Promise<void> {
  const plan = campaignPlan({ id: campaignId, batches: 1, trialsPerBatch: 1 });
  plan.spec.budget = { usd: 1, tokens: null };
  await records().createCampaign(plan);
}

function asker(campaignId: string, kept?: StoredKind): Asker {
  const { spec } = campaignPlan({ id: campaignId, batches: 1, trialsPerBatch: 1 });
  const model = {
    ...{ name: 'scripted', baseUrl: server.url, apiKeyEnv: null, price: { input: 1, output: 2 } },
    ...{ maxOutputTokens: 1_000, temperature: 0, timeoutSeconds: 300 },
    ...(kept && { stored: true as const }),
  };
  return {
    ...{ account: { kind: 'campaign', id: campaignId }, epoch: 0, stage: 'vote', step: 'match-1', fresh: 0, repeat: 1 },
    owner: { kind: 'trial', id: `${campaignId}/t/sys/1` },
    spec: { ...spec, models: { small: model } },
    system: { ...spec.systems[0]!, model: 'small' },
    signal: new AbortController().signal,
  };
}

/** Nothing reserved is left, and the counters are the sums over the sends. */
async function countersAreRight(campaignId: string): Promise<void> {
  const { rows } = await sql<{ reserved: number; counted: number; added: number; open: number }>`
    select b.reserved_micro_usd as reserved, b.settled_micro_usd as counted,
      (select sum(s.actual_micro_usd)::bigint from sends s join calls c using (key) where c.campaign_id = ${campaignId})
        as added,
      (select count(*) from sends s join calls c using (key)
        where c.campaign_id = ${campaignId} and s.state in ('reserved', 'sent')) as open
    from budgets b where b.scope = ${`campaign:${campaignId}`}`.execute(database.kysely);
  expect(rows[0]).toMatchObject({ reserved: 0, open: 0, added: rows[0]?.counted });
}
