import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { openDatabase, type Database } from '../../src/adapters/postgres/schema/database.js';
import { createRecords } from '../../src/adapters/postgres/records.js';
import type { StatusReport } from '../../src/contract/status.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import type { EventRow, Records, TrialRow } from '../../src/ports/records.js';
import { readStackState, stackPaths } from '../../src/stack/stack-state.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { killService, restartService } from '../fixtures/cli/kill-service.js';
import { CountedAnswers } from '../fixtures/cli/counted-answers.js';

/** What an operator does to a campaign, through the built command line on a stack of its own. */
let project: CliProject;
let model: ScriptedModelServer;
let database: Database;
/** What a test only looks at it reads itself: each command is a process of a second or two. */
let records: Records;
/** Of the model `m`. */
const answers = new CountedAnswers();
const letThrough = (count: number): void => answers.letThrough(count);

/** Every call costs this: 25 tokens at 100 dollars a million; less than is reserved for it. */
const CALL_USD = 0.0025;

beforeAll(async () => {
  [project, model] = await Promise.all([
    createCliProject(),
    startScriptedModelServer({
      rules: {
        rules: [
          { match: { model: 'wrong' }, answer: 'no', usage: { input: 20, output: 5 } },
          { match: { model: 'wrong-again' }, answer: 'no', usage: { input: 20, output: 5 } },
          { match: { regex: '.*:\\n(.*)' }, template: 'Answer: {{1}}', usage: { input: 20, output: 5 } },
        ],
      },
      onRequest: async ({ model: asked }) => {
        if (asked === 'm') await answers.next();
      },
    }),
  ]);
  await project.json(['up']);
  const { databaseUrl } = readStackState(project.stateDir)!.addresses;
  database = openDatabase({ connectionString: databaseUrl!, maxConnections: 2 });
  records = createRecords(database);
});

afterAll(async () => {
  await database?.close();
  await project?.close();
  await model?.close();
});

const models = (): string =>
  `models: { m: { name: m, base_url: "${model.url}", price: { input: 100, output: 100 }, max_output_tokens: 10 } }\n`;

/** Writes the file, starts the campaign and lets go of it. */
async function begin(name: string, text: string): Promise<string> {
  await writeFile(join(project.folder, `${name}.yaml`), `name: ${name}\nsuite: echo\n${text}`);
  const started = await project.json<{ campaign_id: string }>(['run', `${name}.yaml`, '--detach']);
  return started.campaign_id;
}

const watched = (id: string, code = 0): Promise<StatusReport> => project.json(['status', id, '--watch'], code);
const rows = (id: string): Promise<TrialRow[]> => records.trials(id);
const events = (id: string): Promise<EventRow[]> => records.events(id);

/** So many trials have ended, and so many others are under way. */
async function untilDone(id: string, done: number, running: number): Promise<void> {
  const count = async (state: TrialRow['state']): Promise<number> =>
    (await rows(id)).filter((row) => row.state === state).length;
  const isThere = async (): Promise<boolean> => (await count('done')) === done && (await count('running')) === running;
  expect(await waitUntil(isThere)).toBe(true);
}

/** Counters of `budgets` beside the sums over `sends` that they lock for. */
async function sumsOf(id: string): Promise<{ counted: number; reserved: number; summed: number; sends: number }> {
  const { rows } = await sql<{ counted: number; reserved: number; summed: number; sends: number }>`
    select b.settled_micro_usd as counted, b.reserved_micro_usd as reserved,
      sum(s.actual_micro_usd)::bigint as summed, count(*) as sends
    from budgets b join calls c on c.campaign_id = ${id} join sends s on s.key = c.key
    where b.scope = ${`campaign:${id}`} group by 1, 2`.execute(database.kysely);
  return rows[0]!;
}

describe('pause', () => {
  test('holds at the next admission, lets what runs finish, is a no-op the second time, and resume goes on', async () => {
    letThrough(1);
    const id = await begin(
      'held',
      `dataset: { tasks: 8 }\n${models()}systems: [{ id: asked, generator: model, model: m }]\nconcurrency: { trials: 2 }\n`,
    );
    await untilDone(id, 1, 2);
    const plan = await project.json<{ finishing: string[]; waiting: number }>(['pause', id, '--dry-run']);
    expect(plan.finishing).toHaveLength(2);
    expect(plan.waiting).toBe(5);
    expect(await events(id)).toEqual([]);
    const paused = await project.json<StatusReport>(['pause', id, '--reason', 'lunch']);
    expect(paused.campaign.status).toBe('paused');
    letThrough(Infinity);
    await untilDone(id, 3, 0);
    const again = await project.durabench('pause', id);
    expect(again).toMatchObject({ code: 0 });
    expect(again.stderr).toContain('is paused already: nothing was changed');
    const { stdout } = await project.durabench('status', id);
    expect(stdout).toMatch(new RegExp(`^status +paused[\\s\\S]*^next +durabench resume ${id}$`, 'm'));
    expect(await events(id)).toMatchObject([{ action: 'pause', reason: 'lunch', author: /.+@.+/ }].map(likeRow));
    const resumed = await project.json<StatusReport>(['resume', id]);
    expect(resumed).toMatchObject({ campaign: { status: 'completed' }, trials: { planned: 8, passed: 8 } });
    expect((await events(id)).map(({ action }) => action)).toEqual(['pause', 'resume']);
    const late = await project.durabench('pause', id);
    expect(late).toMatchObject({ code: 0 });
    expect(late.stderr).toContain('has ended (completed): nothing was changed');
  });
});

const likeRow = (row: { action: string; reason: string; author: RegExp }): Record<string, unknown> => ({
  ...row,
  author: expect.stringMatching(row.author) as unknown,
});

/** Lines of `--dry-run --json`. */
interface Forecast {
  trials: { trial: string; run: number; why: string; usd: number | null }[];
  usd: number;
}

interface Shown {
  trial: { outcome: string; run: number; runs: number; again: { run: number; outcome: string } | null };
  runs: { run: number; outcome: string; kind: string }[];
}

describe('retry', () => {
  const CAMPAIGN = (answer: string): string =>
    `dataset: { tasks: 6, brokenEvery: 6 }\n` +
    `models: { m: { name: ${answer}, base_url: "${model.url}", price: { input: 100, output: 100 }, max_output_tokens: 10 } }\n` +
    'systems: [{ id: asked, generator: model, model: m }]\n';

  test('runs again what it names as a further run; the score keeps the first graded one; stored answers are used unless fresh', async () => {
    const asked = (): number => model.requests.filter((seen) => seen.model === 'wrong').length;
    const id = await begin('again', CAMPAIGN('wrong'));
    const first = await watched(id, 2);
    expect(first.trials).toMatchObject({ done: 6, failed: 5, errored: 1 });
    expect(asked()).toBe(5);

    const dry = await project.json<Forecast>(['retry', id, '--dry-run']);
    expect(dry.trials).toEqual([
      { trial: `${id}/words-0005/asked/1`, run: 2, why: 'errored: task.broken', usd: CALL_USD },
    ]);
    const without = await project.durabench('retry', id, '--failed');
    expect(without.code).toBe(1);
    expect(without.stderr).toMatch(/without a reason/);
    expect((await project.durabench('retry', id, '--failed', '--reason', ' ')).stderr).toMatch(/without a reason/);

    // Errored ones are the default. The task is broken for good.
    expect((await project.json<StatusReport>(['retry', id], 2)).trials).toEqual(first.trials);

    const samples = ['retry', id, '--failed', '--reason', 'does it ever', '--detach'];
    await project.json(samples);
    const stored = await watched(id, 2);
    expect(asked()).toBe(5);
    expect(stored.trials).toEqual(first.trials);
    expect(stored.spend).toEqual({ ...first.spend, replayed_calls: 5 });

    const one = `${id}/authored-plain/asked/1`;
    const fresh = await project.json<StatusReport>(
      ['retry', id, '--trial', 'authored-plain/asked', '--fresh', '--reason', 'once more'],
      2,
    );
    expect(asked()).toBe(6);
    expect(fresh.trials).toEqual(first.trials);
    expect(fresh.spend.calls).toBe(6);
    const { trial, runs } = await project.json<Shown>(['show', one]);
    expect(trial).toMatchObject({ outcome: 'failed', run: 1, runs: 3, again: { run: 3, outcome: 'failed' } });
    expect(runs.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ['grade', 'failed'],
      ['again', 'failed'],
      ['again', 'failed'],
    ]);
    expect((await events(id)).map(({ action, reason }) => [action, reason])).toEqual([
      ['retry', 'durabench retry'],
      ['retry', 'does it ever'],
      ['retry', 'once more'],
    ]);
    const report = await project.durabench('report', id, '--format', 'md');
    expect(report.stdout).toContain('## Run again');
  });

  test('regrade scores anew without a request, keeps the old verdicts, and shows what changed', async () => {
    const id = await begin('anew', CAMPAIGN('wrong-again'));
    const first = await watched(id, 2);
    const before = model.requests.length;
    const dry = await project.json<Forecast>(['regrade', id, '--dry-run']);
    expect(dry).toMatchObject({ usd: 0, trials: { length: 5 } });
    // What an older grader might have said: one verdict was another.
    await sql`update trial_runs set outcome = 'passed', verdict = jsonb_set(verdict, '{passed}', 'true'), reason = null
      where trial_id = ${`${id}/authored-plain/asked/1`}`.execute(database.kysely);
    const regraded = await project.durabench('regrade', id, '--vote');
    expect(regraded.code, regraded.stderr).toBe(2);
    expect(regraded.stdout).toMatch(/regraded +5 trials, 1 changed/);
    expect(regraded.stdout).toMatch(/authored-plain\/asked\/1 +passed +failed: not-localized/);
    expect(model.requests).toHaveLength(before);
    const after = await project.json<StatusReport>(['status', id]);
    expect(after.trials).toEqual(first.trials);
    expect(after.spend).toEqual(first.spend);
    const { runs } = await project.json<Shown>(['show', `${id}/authored-plain/asked/1`]);
    expect(runs.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ['grade', 'passed'],
      ['regrade', 'failed'],
    ]);
    expect((await project.durabench('report', id, '--format', 'md')).stdout).toContain('## Regraded');
    const twice = await project.durabench('regrade', id, '--reason', 'to be sure');
    expect(twice.stdout).toMatch(/regraded +5 trials, 0 changed/);
    expect((await records.campaign(id)).trials).toEqual(first.trials);
    expect((await events(id)).map(({ action, reason }) => [action, reason])).toEqual([
      ['regrade', 'durabench regrade'],
      ['regrade', 'to be sure'],
    ]);
  });
});

describe('budget', () => {
  test('reached: exit 3, the rest not run; raised and resumed: to the end, with what was spent carried over a crash', async () => {
    const before = model.requests.length;
    letThrough(2);
    const id = await begin(
      'poor',
      `dataset: { tasks: 12 }\n${models()}systems: [{ id: asked, generator: model, model: m }]\nbudget: { usd: 0.02 }\nconcurrency: { trials: 2 }\n`,
    );
    await untilDone(id, 2, 2);
    await killService(project.stateDir, 'temporal'); // the supervisor starts another one
    letThrough(Infinity);
    const stopped = await watched(id, 3);
    expect(stopped.campaign.status).toBe('budget_exhausted');
    expect(stopped.trials).toMatchObject({ done: 12, errored: 0, failed: 0 });
    expect(stopped.trials.not_run).toBeGreaterThan(0);
    expect(stopped.spend.usd).toBeGreaterThanOrEqual(2 * CALL_USD);
    expect(stopped.spend.usd).toBeLessThanOrEqual(0.02);
    const first = await sumsOf(id);
    expect(first).toMatchObject({ reserved: 0, counted: first.summed });

    type Change = { changed: boolean; before: { usd: number }; after: { usd: number }; spent: { usd: number } };
    const dry = await project.json<Change>(['budget', id, '--usd', '1', '--dry-run']);
    expect(dry).toMatchObject({ changed: true, before: { usd: 0.02 }, after: { usd: 1 } });
    expect((await project.json<Change>(['budget', id])).after.usd).toBe(0.02);
    await project.json(['budget', id, '--usd', '1', '--tokens', '1000000', '--reason', 'worth it']);
    expect((await project.json<Change>(['budget', id, '--usd', '1'])).changed).toBe(false);
    expect(
      (await project.durabench('budget', id, '--usd', 'lots', '--tokens', 'many')).stderr.match(/^error:/gm),
    ).toHaveLength(2);

    const resumed = await project.json<StatusReport>(['resume', id]);
    expect(resumed).toMatchObject({ campaign: { status: 'completed' }, trials: { done: 12, passed: 12, not_run: 0 } });
    const last = await sumsOf(id);
    expect(last).toMatchObject({ reserved: 0, counted: last.summed });
    expect(last.summed).toBe(Math.round(resumed.spend.usd * 1e6));
    // What was answered was not asked again: only what the crash cut off may have been.
    const repeated = resumed.spend.repeated_calls;
    expect(repeated).toBeLessThanOrEqual(2);
    expect(model.requests.length - before).toBe(12 + repeated);
    expect(await events(id)).toMatchObject([
      {
        action: 'budget',
        reason: 'worth it',
        details: { before: { usd: 0.02 }, after: { usd: 1, tokens: 1_000_000 } },
      },
      { action: 'resume', details: { trials: stopped.trials.not_run } },
    ]);
  });
});

test('hours and trials, too, end a campaign with 3; raised, a resume goes on', async () => {
  const id = await begin(
    'short',
    'dataset: { tasks: 6, sleepMs: 1000 }\nsystems: [{ id: perfect, generator: echo }]\nconcurrency: { trials: 2 }\nbudget: { wall_hours: 0.0005, trials: 3 }\n',
  );
  const limits = async (...argv: string[]) => project.json<{ after: object }>(['budget', id, ...argv]);
  const late = await watched(id, 3);
  expect(late).toMatchObject({ campaign: { status: 'budget_exhausted' }, trials: { done: 6, failed: 0, errored: 0 } });
  expect(late.trials.passed).toBeLessThan(3);

  expect((await limits('--wall-hours', 'none')).after).toMatchObject({ wall_hours: null, trials: 3 });
  // What a limit will leave no room for is planned all the same; the limit is told beside it.
  expect((await project.durabench('resume', id, '--dry-run')).stdout).toMatch(/^its budget: \d of 3 trials$/m);
  const three = await project.json<StatusReport>(['resume', id], 3);
  expect(three).toMatchObject({ campaign: { status: 'budget_exhausted' }, trials: { passed: 3, not_run: 3 } });

  expect((await limits('--trials', '6')).after).toMatchObject({ trials: 6 });
  const whole = await project.json<StatusReport>(['resume', id]);
  expect(whole).toMatchObject({ campaign: { status: 'completed' }, trials: { passed: 6, not_run: 0 } });
  expect((await events(id)).map(({ action }) => action)).toEqual(['budget', 'resume', 'budget', 'resume']);
});

test('Temporal’s database deleted in the middle: resume goes on from the records, and repeats nothing', async () => {
  const before = model.requests.length;
  letThrough(2);
  const id = await begin(
    'forgotten',
    `dataset: { tasks: 8 }\n${models()}systems: [{ id: asked, generator: model, model: m }]\nconcurrency: { trials: 2 }\n`,
  );
  await untilDone(id, 2, 2);
  const workerLog = stackPaths(project.stateDir).logFile('worker');
  const stops = async (): Promise<number> => (await readFile(workerLog, 'utf8')).split('"msg":"stopping: ').length;
  const stopsBefore = await stops();
  const down = project.durabench('down');
  expect(await waitUntil(async () => (await stops()) > stopsBefore)).toBe(true);
  letThrough(Infinity);
  expect((await down).code).toBe(0);
  await rm(join(project.stateDir, 'temporal'), { recursive: true });
  await project.json(['up']);
  const finished = (await rows(id)).filter(({ state }) => state === 'done');
  expect(finished.length).toBeGreaterThanOrEqual(2);
  expect(finished.length).toBeLessThan(8);
  const dry = await project.json<Forecast>(['resume', id, '--dry-run']);
  expect(dry.trials).toHaveLength(8 - finished.length);
  expect(new Set(dry.trials.map(({ why }) => why))).toContain('not started');
  const resumed = await project.json<StatusReport>(['resume', id]);
  expect(resumed).toMatchObject({ campaign: { status: 'completed' }, trials: { planned: 8, passed: 8 } });
  expect((await rows(id)).filter((row) => finished.some(({ id: one }) => one === row.id))).toEqual(finished);
  // A worker that stops in order finishes the calls it has sent.
  expect(resumed.spend).toMatchObject({ calls: 8, repeated_calls: 0 });
  expect(model.requests.length - before).toBe(8);
});

test('Temporal’s database lost under a living worker: status says that nothing runs, and resume goes on, since that worker is its own', async () => {
  letThrough(2);
  const id = await begin(
    'lost',
    `dataset: { tasks: 8 }\n${models()}systems: [{ id: asked, generator: model, model: m }]\nconcurrency: { trials: 2 }\n`,
  );
  await untilDone(id, 2, 2);
  const { services } = readStackState(project.stateDir)!;
  // What still holds it open writes into nothing.
  await rm(join(project.stateDir, 'temporal'), { recursive: true });
  const { killed } = await restartService(project.stateDir, 'temporal');
  expect(killed).toEqual(services.temporal.process);
  // Asked for seconds only, the new server may not answer yet.
  const says = async (): Promise<boolean> =>
    (await project.durabench('status', id)).stdout.includes(`no workflow runs it: durabench resume ${id}`);
  expect(await waitUntil(says)).toBe(true);
  expect(readStackState(project.stateDir)!.services.worker.process).toEqual(services.worker.process);
  letThrough(Infinity);
  const resumed = await project.json<StatusReport>(['resume', id]);
  expect(resumed).toMatchObject({ campaign: { status: 'completed' }, trials: { planned: 8, passed: 8 } });
  expect(resumed.spend.calls).toBe(8);
});

test('another endpoint, key, concurrency and budget: what is finished stays, the rest goes where it is told', async () => {
  const elsewhere = await startScriptedModelServer({
    rules: { rules: [{ match: { regex: '.*:\\n(.*)' }, template: 'Answer: {{1}}' }] },
  });
  const text = (url: string, more: string): string =>
    `dataset: { tasks: 10 }\n` +
    `models: { m: { name: m, base_url: "${url}", price: { input: 100, output: 100 }, max_output_tokens: 10 } }\n` +
    `systems: [{ id: asked, generator: model, model: m }]\n${more}`;
  letThrough(2);
  const id = await begin('moved', text(model.url, 'concurrency: { trials: 2 }\n'));
  await untilDone(id, 2, 2);
  const finished = (await rows(id)).filter(({ outcome }) => outcome === 'passed');
  expect(finished).toHaveLength(2);
  const plan = await project.json<{ finished: number; waiting: number }>(['cancel', id, '--dry-run']);
  expect(plan).toMatchObject({ finished: 2, waiting: 6 });
  expect((await project.json<StatusReport>(['cancel', id])).campaign.status).toBe('cancelled');
  expect((await rows(id)).filter(({ outcome }) => outcome === 'passed')).toEqual(finished);
  const twice = await project.durabench('cancel', id, '--reason', 'again');
  expect(twice).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing was changed') as string });
  const more = 'concurrency: { trials: 8 }\nbudget: { usd: 9 }\n';
  await writeFile(join(project.folder, 'moved.yaml'), `name: moved\nsuite: echo\n${text(elsewhere.url, more)}`);
  const attached = await project.durabench('run', 'moved.yaml', '--id', id);
  expect(attached.code, attached.stderr).toBe(4);
  const resumed = await project.json<StatusReport>(['resume', id]);
  expect(resumed).toMatchObject({ campaign: { status: 'completed' }, trials: { planned: 10, passed: 10 } });
  expect((await rows(id)).filter((row) => finished.some(({ id: one }) => one === row.id))).toEqual(finished);
  // What was answered is not asked again; what was cut off before its answer came is.
  expect(elsewhere.requests).toHaveLength(8);
  expect(resumed.spend.calls).toBe(10);
  const nothing = await project.durabench('resume', id);
  expect(nothing.code).toBe(0);
  expect(nothing.stderr).toContain('every trial has ended: there is nothing to resume');
  expect((await events(id)).map(({ action }) => action)).toEqual(['cancel', 'settings', 'resume']);
  await elsewhere.close();
});

test('another price: `run --id` takes it over for calls from then on, what was booked stays; `--revises` has nothing to revise', async () => {
  const priced = async (price: number): Promise<string> => {
    const models = `models: { m: { name: m, base_url: "${model.url}", price: { input: ${price}, output: ${price} }, max_output_tokens: 10 } }\n`;
    const text = `dataset: { tasks: 8 }\n${models}systems: [{ id: asked, generator: model, model: m }]\nconcurrency: { trials: 2 }\n`;
    await writeFile(join(project.folder, 'priced.yaml'), `name: priced\nsuite: echo\n${text}`);
    return text;
  };
  // Answers that a cancelled campaign no longer waits for would be counted.
  letThrough(Infinity);
  const cheap = await priced(100);
  letThrough(2);
  const id = await begin('priced', cheap);
  await untilDone(id, 2, 2);
  await priced(300);
  const again = project.durabench('run', 'priced.yaml', '--id', id, '--json');
  expect(await waitUntil(async () => (await events(id)).some(({ action }) => action === 'settings'))).toBe(true);
  letThrough(Infinity);
  const { code, stdout, stderr } = await again;
  expect(code, stderr).toBe(0);
  // The two that were under way had begun at the old price.
  const micros = (await rows(id)).map(({ costMicroUsd, tokens }) => costMicroUsd / tokens).sort((a, b) => a - b);
  expect(micros).toEqual([100, 100, 100, 100, 300, 300, 300, 300]);
  const { spend } = JSON.parse(stdout.split('\n').slice(1).join('\n')) as StatusReport;
  expect(spend).toMatchObject({ calls: 8, repeated_calls: 0 });
  expect(Math.round(spend.usd * 1e6)).toBe((await sumsOf(id)).summed);
  const price = (each: number): object => ({ prices: { m: { input: each, output: each } } });
  expect(await events(id)).toMatchObject([{ action: 'settings', details: { before: price(100), after: price(300) } }]);

  await priced(200);
  const nothing = await project.durabench('run', 'priced.yaml', '--revises', id);
  expect(nothing.code).toBe(1);
  expect(nothing.stderr).toMatch(/asks the same question as .*nothing to revise/);
  expect(nothing.stderr).toContain(`durabench run FILE --id ${id}`);
});

test('all that was asked here is recorded with who, when and why', async () => {
  const { rows: asked } = await sql<{ action: string; author: string; reason: string; at: string }>`
    select action, author, reason, at from events`.execute(database.kysely);
  const actions = new Set(asked.map(({ action }) => action));
  for (const action of ['pause', 'resume', 'retry', 'regrade', 'budget', 'cancel', 'settings'])
    expect(actions).toContain(action);
  for (const { author, reason, at } of asked) {
    expect(author).toMatch(/.+@.+/);
    expect(reason).not.toBe('');
    expect(Date.parse(at)).toBeLessThanOrEqual(Date.now());
  }
});
