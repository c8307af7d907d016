import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DomainFailure } from '../domain/failure/domain-failure.js';
import { createFakeSandbox, type FakeCall, type FakeEnd } from '../fakes/fake-sandbox.js';
import type { AskedAnswer, Question } from '../ports/model.js';
import type { StageContext } from '../suite/stage.js';
import { runProgram, type ProgramEnd } from './run-program.js';

/** Runs a program that asks what its function asks, of a model that answers as it is told. */
async function run(
  program: (call: FakeCall & { ask: (text: string) => Promise<{ status: number; body: string }> }) => Promise<FakeEnd>,
  answer: (question: Question) => Promise<Partial<AskedAnswer>>,
  wallSeconds = 3600,
): Promise<ProgramEnd> {
  const asking = (call: FakeCall) => async (text: string) => {
    const messages = [{ role: 'user', content: text }];
    const response = await fetch(`http://127.0.0.1:${call.doors[4180]}/v1/chat/completions`, {
      ...{ method: 'POST', signal: call.signal },
      body: JSON.stringify({ model: call.env.DURABENCH_MODEL, messages }),
    });
    return { status: response.status, body: await response.text() };
  };
  const sandbox = createFakeSandbox({
    images: ['base'],
    programs: { agent: (call) => program({ ...call, ask: asking(call) }) },
  });
  const context = {
    ...{ sandbox, campaign: { id: 'c' }, owner: { kind: 'generation', id: 'c/s/p/1' }, heartbeat: () => undefined },
    signal: new AbortController().signal,
    ask: async (question: Question) => ({
      ...{ text: 'hello', finishReason: 'stop', usage: null, providerRequestId: null },
      ...(await answer(question)),
    }),
  } as unknown as StageContext;
  const own = { image: 'base', command: ['agent'], mounts: [], take: ['repo'], model: 'big', prompt: 'command.v1' };
  return runProgram(context, { ...own, wallSeconds });
}

const left = { files: { 'repo/a.py': 'x = 1\n' } };
const waitFor = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
  );

describe('a program with its model behind a door', () => {
  it('finds its model and no key in its environment, and its calls are counted', async () => {
    const questions: Question[] = [];
    const end = await run(
      async ({ ask, env }) => {
        const replies = [await ask('one'), await ask('one'), await ask('two')];
        expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
        return { ...left, stdout: JSON.stringify(env) };
      },
      (question) => Promise.resolve(questions.push(question) > 1 ? {} : { isReplayed: true }),
    );
    expect(end).toMatchObject({ ended: null, calls: { asked: 2, replayed: 1, refused: 0 } });
    expect(JSON.parse(end.result.stdout.bytes.toString())).toEqual({
      ...{ OPENAI_BASE_URL: 'http://127.0.0.1:4180/v1', OPENAI_API_BASE: 'http://127.0.0.1:4180/v1' },
      ...{ OPENAI_API_KEY: 'none', DURABENCH_MODEL: 'big' },
    });
    expect(questions.map(({ ordinal, model }) => [ordinal, model])).toEqual([
      [1, 'big'],
      [2, 'big'],
      [1, 'big'],
    ]);
    expect(Object.keys(end.result.taken?.files ?? {})).toEqual(['repo/a.py']);
  });

  it('is told to end when its money is spent; what is there then counts', async () => {
    let reply = { status: 0, body: '' };
    const end = await run(
      async ({ ask, finish }) => {
        reply = await ask('one');
        await waitFor(finish);
        return { ...left, exitCode: 143 };
      },
      () => Promise.reject(new DomainFailure('system.limit-reached', 'The limit of this generation is reached.')),
    );
    expect(reply.status).toBe(429);
    expect(JSON.parse(reply.body)).toMatchObject({ error: { code: 'budget_exhausted' } });
    expect(end).toMatchObject({ ended: 'money', calls: { refused: 1 } });
    expect(Object.keys(end.result.taken?.files ?? {})).toEqual(['repo/a.py']);
  });

  it('is told to end when its time is over, and does not pay for what it waits for', async () => {
    const waited: string[] = [];
    const end = await run(
      async ({ ask, finish }) => {
        await ask('slow');
        waited.push(finish.aborted ? 'over' : 'goes on');
        await waitFor(finish);
        return left;
      },
      () => sleep(2_500).then(() => ({})),
      1,
    );
    expect([end.ended, waited]).toEqual(['seconds', ['goes on']]);
  });

  it('whose model cannot be asked fails as its step, with that failure: nothing of it counts', async () => {
    const failing = run(
      async ({ ask, signal }) => {
        await ask('one').catch(() => undefined);
        await waitFor(signal);
        return left;
      },
      () => Promise.reject(new DomainFailure('budget.exhausted', 'The budget of the campaign is spent.')),
    );
    await expect(failing).rejects.toMatchObject({ type: 'budget.exhausted' });
  });
});
