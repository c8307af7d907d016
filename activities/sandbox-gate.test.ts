import { describe, expect, test } from 'vitest';
import { DomainFailure } from '../src/domain/failure/domain-failure.js';
import type { Sandbox, SandboxResult, SandboxRun } from '../src/ports/sandbox.js';
import { createSandboxGate } from './sandbox-gate.js';

/** A sandbox that only counts: its runs end when the test says so. */
function countingSandbox() {
  const ends: (() => void)[] = [];
  let running = 0;
  const sandbox = {
    run: async () => {
      running += 1;
      await new Promise<void>((end) => ends.push(end));
      running -= 1;
      return {} as SandboxResult;
    },
  } as Partial<Sandbox> as Sandbox;
  return { sandbox, running: () => running, ends };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const run = (signal = new AbortController().signal): SandboxRun => ({ signal }) as SandboxRun;

test('runs of one campaign wait for each other, those of another do not', async () => {
  const { sandbox, running, ends } = countingSandbox();
  const gate = createSandboxGate(sandbox);
  const all = ['a', 'a', 'a', 'b'].map((id) => gate({ id, atOnce: 2 }).run(run()));
  await settled();
  expect(running()).toBe(3);
  ends.shift()?.();
  await settled();
  expect(running()).toBe(3); // the third of a took the place
  while (ends.length > 0) {
    ends.shift()?.();
    await settled();
  }
  await Promise.all(all);
});

test('a resumed campaign gets the number it was resumed with', async () => {
  const { sandbox, running } = countingSandbox();
  const gate = createSandboxGate(sandbox);
  void gate({ id: 'a', atOnce: 1 }).run(run());
  void gate({ id: 'a', atOnce: 3 }).run(run());
  await settled();
  expect(running()).toBe(2);
});

test('who is cancelled while it waits leaves at once; who runs out of time may come again', async () => {
  const { sandbox, running } = countingSandbox();
  const gate = createSandboxGate(sandbox);
  void gate({ id: 'a', atOnce: 1 }).run(run());
  const cancel = new AbortController();
  const timeUp = new AbortController();
  const cancelled = gate({ id: 'a', atOnce: 1 }).run(run(cancel.signal));
  const late = gate({ id: 'a', atOnce: 1 }).run(run(timeUp.signal));
  cancel.abort(new Error('cancelled by hand'));
  timeUp.abort(new DomainFailure('harness.bug', 'no result'));
  await expect(cancelled).rejects.toThrow('cancelled by hand');
  await expect(late).rejects.toMatchObject({ type: 'sandbox.unavailable' });
  await expect(gate({ id: 'a', atOnce: 1 }).run(run(cancel.signal))).rejects.toThrow('cancelled by hand');
  expect(running()).toBe(1);
});

test.each([
  [undefined, 'candidate-1'],
  ['container', null],
] as const)(
  'isolation %s: runs with one key may share a container, or each has its own',
  async (isolation, poolKey) => {
    const asked: SandboxRun[] = [];
    const sandbox = { run: async (each: SandboxRun) => (asked.push(each), {}) } as unknown as Sandbox;
    await createSandboxGate(sandbox)({ id: 'a', atOnce: 1, isolation }).run({ ...run(), poolKey: 'candidate-1' });
    expect(asked[0]).toMatchObject({ poolKey });
  },
);

describe('limits looser than the defaults', () => {
  const loosened = { parse: { cpuSeconds: 300, outputBytes: 2 ** 28 }, adapt: { outputBytes: 2 ** 23 } };

  async function asking(limits: SandboxRun['limits'], named: typeof loosened | undefined = loosened): Promise<unknown> {
    const { sandbox, ends } = countingSandbox();
    const gate = createSandboxGate(sandbox)({ id: 'a', atOnce: 1, loosened: named });
    const running = gate.run({ ...run(), limits }).catch((error: unknown) => error);
    await settled();
    ends.shift()?.();
    return running;
  }

  test.each([
    ['none', undefined],
    ['tighter ones', { cpuSeconds: 1, memoryBytes: 2 ** 20 }],
    ['those of one entry of the manifest', { cpuSeconds: 200, outputBytes: 2 ** 28 }],
  ])('%s: the run goes on', async (_what, limits) => {
    expect(await asking(limits)).toEqual({});
  });

  test.each([
    ['of a kind the manifest does not name', { memoryBytes: 2 ** 32 }, 'memoryBytes 4294967296'],
    ['looser than the manifest says', { cpuSeconds: 301 }, 'cpuSeconds 301'],
  ])('%s: refused as a bug of the suite', async (_what, limits, named) => {
    const refused = { type: 'harness.bug', message: expect.stringContaining(named) as string };
    expect(await asking(limits)).toMatchObject(refused);
  });

  test('without an entry in the manifest none is let through', async () => {
    expect(await asking({ outputBytes: 2 ** 21 }, {} as typeof loosened)).toMatchObject({ type: 'harness.bug' });
  });
});

test('an engine of its own is for suites whose manifest names it', async () => {
  const { sandbox, ends } = countingSandbox();
  const gate = createSandboxGate(sandbox);
  const nested = { ...run(), image: 'with-engine', engine: { images: [] } };
  const named = { image: 'with-engine', without: 'nothing' };
  const refused = { type: 'harness.bug', message: expect.stringContaining('nestedEngine') as string };
  await expect(gate({ id: 'b', atOnce: 1 }).run(nested)).rejects.toMatchObject(refused);
  const other = gate({ id: 'd', atOnce: 1, nestedEngine: { ...named, image: 'another' } }).run(nested);
  await expect(other).rejects.toMatchObject(refused);
  const running = gate({ id: 'c', atOnce: 1, nestedEngine: named }).run(nested);
  await settled();
  ends.shift()?.();
  expect(await running).toEqual({});
});
