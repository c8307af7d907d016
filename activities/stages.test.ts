import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Json } from '../src/contract/json.js';
import type { StageCall } from '../src/contract/stage.js';
import { jsonHash } from '../src/domain/text/content-hash.js';
import { DomainFailure } from '../src/domain/failure/domain-failure.js';
import { createMemoryBlobs } from '../src/fakes/memory-blobs.js';
import type { OwnerContext, Records, StepRecord } from '../src/ports/records.js';
import type { Sandbox, SandboxRun } from '../src/ports/sandbox.js';
import type { StageFunction } from '../src/suite/stage.js';
import type { Suite } from '../src/suite/suite.js';
import { echoSuite } from '../tasks/echo/echo.js';
import type { ActivityDependencies } from './dependencies.js';
import { createStageActivities } from './stages.js';
import { waitUntil } from '../tests/fixtures/wait-until.js';

const call: StageCall = {
  owner: { kind: 'trial', id: 'c/t/s/1' },
  epoch: 3,
  n: 1,
  step: 'run',
  input: { answer: 'a' },
};
const context = {
  campaign: { id: 'c', spec: { suite: 'echo', systems: [{ id: 's' }], concurrency: { sandbox: 1 } }, lock: {} },
  owner: call.owner,
  ...{ systemId: 's', repeat: 1, scope: null, settings: {}, candidate: null, prepared: null },
  task: { id: 't', sha256: 'x', group: 'g', category: null, candidateScope: null },
} as unknown as OwnerContext;

/** Of the suite. */
let folder: string;
let steps: StepRecord[];
let failed: Parameters<Records['recordFailedAttempt']>[0][];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-stages-'));
  await writeFile(join(folder, 'prompt.md'), 'Answer.');
  steps = [];
  failed = [];
});

afterEach(() => rm(folder, { recursive: true }));

/** Activities over one stage function and records that remember. */
function activities(execute: StageFunction, records: Partial<Records> = {}, sandbox?: Sandbox) {
  const suite: Suite = { ...echoSuite, stages: { execute } };
  const remembering: Partial<Records> = {
    findStep: async ({ stage, step, inputHash }) =>
      steps.find((known) => known.stage === stage && known.step === step && known.inputHash === inputHash)?.result,
    ownerContext: async () => context,
    recordStep: async (record) => (steps.push(record), record.result),
    recordFailedAttempt: async (attempt) => void failed.push(attempt),
    ...records,
  };
  return createStageActivities({
    records: remembering as Records,
    blobs: createMemoryBlobs(),
    suites: [suite],
    sandbox,
    suiteFolder: () => folder,
    worker: 'host/1/2',
    ask: async () => ({
      answer: { text: 'yes', finishReason: 'stop', usage: null, providerRequestId: null },
      evidence: [{ sha256: 'e', sizeBytes: 1, mediaType: 'm', name: 'prompt.json', truncated: false }],
    }),
  } as Partial<ActivityDependencies> as ActivityDependencies);
}

const logger = new DefaultLogger('ERROR');
const inEnvironment = (info: object = {}) =>
  new MockActivityEnvironment({ startToCloseTimeoutMs: 600_000, ...info }, { logger });

async function rejection(promise: Promise<unknown>): Promise<ApplicationFailure> {
  return promise.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => error as ApplicationFailure,
  );
}

describe('a stage that succeeds', () => {
  it('is recorded with its evidence, votes and attempt, and returns its result', async () => {
    const { execute } = activities(async (stage) => {
      await stage.attach('report', { name: 'report.json', mediaType: 'application/json' });
      await stage.ask({ purpose: 'vote', ordinal: 1, prompt: 'p', messages: [] });
      await stage.ask({ purpose: 'vote', ordinal: 1, prompt: 'p', messages: [] });
      const vote = { match: 1, round: 1, voter: 1, model: 'm', answer: 'yes', reason: 'r' } as const;
      return { result: { equal: true, folder: stage.suiteFolder }, votes: [vote] };
    });
    const reply = await inEnvironment({ attempt: 2 }).run(execute, call);
    expect(reply).toEqual({ result: { equal: true, folder }, reused: false });
    expect(steps).toHaveLength(1);
    expect(steps[0]).toMatchObject({ epoch: 3, n: 1, stage: 'execute', step: 'run', inputHash: jsonHash(call.input) });
    expect(steps[0]?.evidence.map(({ name }) => name)).toEqual(['report.json', 'prompt.json']);
    expect(steps[0]?.votes).toHaveLength(1);
    expect(steps[0]?.attempt).toMatchObject({ attempt: 2, worker: 'host/1/2', failure: null });
  });

  it.each(['ends', 'fails'])(
    'is given back where files of its suite changed before it %s: nothing is recorded of it',
    async (how) => {
      const { execute } = activities(async () => {
        await writeFile(join(folder, 'prompt.md'), 'Answer in verse.');
        if (how === 'fails') throw new Error('no module of that name');
        return { result: 1 };
      });
      const given = await rejection(inEnvironment().run(execute, call));
      expect(given).toMatchObject({ type: 'suite.changed', nonRetryable: false });
      expect(given.message).toContain('worker host/1/2: ');
      expect(steps).toEqual([]);
      expect(failed.map(({ attempt }) => attempt.failure?.type)).toEqual(['suite.changed']);
    },
  );

  it('is not done again when the step is known; another input is another step', async () => {
    const run = vi.fn(async () => ({ result: 1 }));
    const { execute } = activities(run);
    await inEnvironment().run(execute, call);
    expect(await inEnvironment().run(execute, call)).toEqual({ result: 1, reused: true });
    expect(run).toHaveBeenCalledTimes(1);
    await inEnvironment().run(execute, { ...call, input: { answer: 'b' } });
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('runs in containers of its own where its campaign says so', async () => {
    const asked: SandboxRun[] = [];
    const sandbox = { run: async (run: SandboxRun) => (asked.push(run), {}) } as unknown as Sandbox;
    const spec = { ...context.campaign.spec, isolation: 'container' } as const;
    const ownerContext = async (): Promise<OwnerContext> => ({ ...context, campaign: { ...context.campaign, spec } });
    const { execute } = activities(
      async (stage) => {
        await stage.sandbox.run({ poolKey: 'candidate-1', signal: stage.signal } as SandboxRun);
        return { result: null };
      },
      { ownerContext },
      sandbox,
    );
    await inEnvironment().run(execute, call);
    expect(asked).toMatchObject([{ poolKey: null }]);
  });

  it('is shared by an attempt that starts while the first one still works', async () => {
    let finish = (_: { result: Json }): void => undefined;
    const run = vi.fn(() => new Promise<{ result: Json }>((resolve) => (finish = resolve)));
    const { execute } = activities(run);
    const first = inEnvironment({ attempt: 1 }).run(execute, call);
    await waitUntil(() => run.mock.calls.length > 0);
    const second = inEnvironment({ attempt: 2 }).run(execute, call);
    finish({ result: 'once' });
    expect([await first, await second]).toEqual(Array(2).fill({ result: 'once', reused: false }));
    expect(run).toHaveBeenCalledTimes(1);
    expect(steps).toHaveLength(1);
  });

  it('heartbeats while it works', async () => {
    vi.useFakeTimers();
    try {
      const { execute } = activities(async () => {
        await vi.advanceTimersByTimeAsync(10_000);
        return { result: null };
      });
      const environment = inEnvironment();
      let beats = 0;
      environment.on('heartbeat', () => (beats += 1));
      await environment.run(execute, call);
      expect(beats).toBe(3); // after 3, 6 and 9 s
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a stage that fails', () => {
  it('is recorded as a failed attempt and rethrown in Temporal’s terms', async () => {
    const { execute } = activities(async () => {
      throw new DomainFailure('sandbox.lost', 'the container vanished');
    });
    const failure = await rejection(inEnvironment().run(execute, call));
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ type: 'sandbox.lost', nonRetryable: false });
    expect(failed[0]?.attempt.failure).toEqual({
      type: 'sandbox.lost',
      blame: 'infrastructure',
      message: 'the container vanished',
    });
    expect(steps).toHaveLength(0);
  });

  it('hands the count of its failures to the next attempt, which ends at the cap', async () => {
    const { execute } = activities(async () => {
      throw new DomainFailure('sandbox.lost', 'm');
    });
    let details: unknown = { 'sandbox.unavailable': 7 };
    const ends: boolean[] = [];
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const environment = inEnvironment({ attempt, heartbeatDetails: details });
      environment.on('heartbeat', (beat: unknown) => void (details = beat));
      ends.push((await rejection(environment.run(execute, call))).nonRetryable ?? false);
    }
    expect(ends).toEqual([false, false, true]);
    expect(details).toEqual({ 'sandbox.unavailable': 7, 'sandbox.lost': 3 });
  });

  it('fails the same way when the records cannot note it', async () => {
    const recordFailedAttempt = async (): Promise<void> => {
      throw new DomainFailure('records.unavailable', 'no Postgres');
    };
    const { execute } = activities(
      async () => {
        throw new DomainFailure('sandbox.lost', 'm');
      },
      { recordFailedAttempt },
    );
    expect(await rejection(inEnvironment().run(execute, call))).toMatchObject({ type: 'sandbox.lost' });
  });

  it('is a bug of the harness when its result is too big for a history, and says what to do', async () => {
    const { execute } = activities(async () => ({ result: 'x'.repeat(5000) }));
    const failure = await rejection(inEnvironment().run(execute, call));
    expect(failure).toMatchObject({ type: 'harness.bug', nonRetryable: true });
    expect(failure.message).toMatch(/execute returned 5002 bytes; at most 4096: .*attach/);
  });

  it('writes nothing when another server took the campaign over', async () => {
    const ownerContext = async (): Promise<never> => {
      throw new DomainFailure('operator.superseded', 'taken over');
    };
    const { execute } = activities(async () => ({ result: 1 }), { ownerContext });
    const failure = await rejection(inEnvironment().run(execute, call));
    expect(failure).toMatchObject({ type: 'operator.superseded', nonRetryable: true, category: 'BENIGN' });
    expect([...steps, ...failed]).toEqual([]);
  });

  it('does not record that a call waits for its turn, and comes back when told to', async () => {
    const { execute } = activities(async () => {
      throw new DomainFailure('model.waiting', 'others come first', { retryAfterMs: 4_000 });
    });
    const failure = await rejection(inEnvironment().run(execute, call));
    expect(failure).toMatchObject({ type: 'model.waiting', nonRetryable: false, nextRetryDelay: 4_000 });
    expect(failed).toEqual([]);
  });

  it('ends a stage that takes longer than its attempt may, before Temporal would retry it for ever', async () => {
    const { execute } = activities(async ({ signal }) => {
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      return { result: null };
    });
    const failure = await rejection(inEnvironment({ startToCloseTimeoutMs: 100 }).run(execute, call));
    expect(failure).toMatchObject({ type: 'harness.bug', nonRetryable: true });
  });

  it('ends such a stage by its time also where it takes that for a cancellation', async () => {
    const { execute } = activities(async ({ signal }) => {
      await new Promise((done) => signal.addEventListener('abort', done));
      throw new DomainFailure('operator.cancelled', 'cancelled while embedding');
    });
    const failure = await rejection(inEnvironment({ startToCloseTimeoutMs: 100 }).run(execute, call));
    expect(failure).toMatchObject({
      type: 'harness.bug',
      message: expect.stringMatching(/^no result within/) as string,
    });
    expect(failed.map(({ attempt }) => attempt.failure?.type)).toEqual(['harness.bug']);
  });

  it('gives up a stage that ignores its signal while the attempt is still heard', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let isTold = false;
    const { execute } = activities(({ signal }) => {
      signal.addEventListener('abort', () => (isTold = true));
      return new Promise(() => undefined);
    });
    const end = rejection(inEnvironment({ startToCloseTimeoutMs: 2000 }).run(execute, call));
    await vi.advanceTimersByTimeAsync(1_900);
    expect([isTold, failed]).toEqual([true, []]);
    await vi.advanceTimersByTimeAsync(99);
    vi.useRealTimers();
    expect(await end).toMatchObject({ type: 'harness.bug', nonRetryable: true });
    expect(failed).toHaveLength(1);
  });
});

describe('a stage that is stopped', () => {
  const waiting: StageFunction = async ({ signal }) => {
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('cleaned up'))));
    return { result: null };
  };

  it('ends as cancelled, after its own clean-up and without a failed attempt', async () => {
    const environment = inEnvironment();
    const running = environment.run(activities(waiting).execute, call);
    setTimeout(() => environment.cancel('CANCELLED'), 20);
    await expect(running).rejects.toBeInstanceOf(CancelledFailure);
    expect(failed).toEqual([]);
  });

  it('is not begun when it was cancelled before', async () => {
    const environment = inEnvironment();
    const run = vi.fn(waiting);
    const ownerContext = async (): Promise<OwnerContext> => (environment.cancel('CANCELLED'), context);
    const running = environment.run(activities(run, { ownerContext }).execute, call);
    await expect(running).rejects.toBeInstanceOf(CancelledFailure);
    expect(run).not.toHaveBeenCalled();
  });

  // A worker that computes, or a machine that has others to serve, misses beats: the server starts another attempt and no
  // longer knows this one.
  describe.each(['NOT_FOUND', 'TIMED_OUT'] as const)('by a server that no longer waits for it: %s', (forgotten) => {
    /** A stage that ends when it is told to, and what it was told meanwhile. */
    function working() {
      const told: unknown[] = [];
      let finish = (_: { result: Json }): void => undefined;
      const run = vi.fn<StageFunction>(
        ({ signal }) =>
          new Promise((resolve, reject) => {
            finish = resolve;
            signal.addEventListener('abort', () => (told.push(signal.reason), reject(new Error('cleaned up'))));
          }),
      );
      return { run, told, finish: (result: Json) => finish({ result }), execute: activities(run).execute };
    }

    it('goes on, and the next attempt gets its result', async () => {
      const { run, told, finish, execute } = working();
      const first = inEnvironment({ attempt: 1 });
      const ends = [first.run(execute, call)];
      await waitUntil(() => run.mock.calls.length > 0);
      first.cancel(forgotten);
      ends.push(inEnvironment({ attempt: 2 }).run(execute, call));
      finish('once');
      expect(await Promise.all(ends)).toEqual(Array(2).fill({ result: 'once', reused: false }));
      expect([told, failed]).toEqual([[], []]);
      expect(run).toHaveBeenCalledTimes(1);
    });

    it('ends when the next attempt is cancelled', async () => {
      const { run, told, execute } = working();
      const [first, second] = [inEnvironment({ attempt: 1 }), inEnvironment({ attempt: 2 })];
      const ends = [rejection(first.run(execute, call))];
      await waitUntil(() => run.mock.calls.length > 0);
      first.cancel(forgotten);
      ends.push(rejection(second.run(execute, call)));
      second.cancel('CANCELLED');
      expect((await Promise.all(ends)).map((error) => error instanceof CancelledFailure)).toEqual([true, true]);
      expect(told).toMatchObject([{ message: 'CANCELLED' }]);
      expect(failed).toEqual([]);
      expect(run).toHaveBeenCalledTimes(1);
    });

    it('ends by itself where no attempt comes any more', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        const { run, told, execute } = working();
        const environment = inEnvironment();
        const end = rejection(environment.run(execute, call));
        await vi.waitUntil(() => run.mock.calls.length > 0);
        environment.cancel(forgotten);
        await vi.advanceTimersByTimeAsync(60_000);
        expect(told).toEqual([]);
        await vi.advanceTimersByTimeAsync(60_000);
        expect(await end).toBeInstanceOf(CancelledFailure);
        expect(told).toMatchObject([{ message: forgotten }]);
      } finally {
        vi.useRealTimers();
      }
    });
  });

  it('is retried elsewhere when its worker stops', async () => {
    const environment = inEnvironment();
    const running = environment.run(activities(waiting).execute, call);
    setTimeout(() => environment.cancel('WORKER_SHUTDOWN'), 20);
    const failure = await rejection(running);
    expect(failure).toMatchObject({ type: 'worker.shutdown', nonRetryable: false, category: 'BENIGN' });
    expect(failed).toEqual([]);
  });
});
