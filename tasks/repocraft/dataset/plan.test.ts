import { expect, it } from 'vitest';
import type { BuildSteps } from '../../../src/contract/dataset-build.js';
import type { Json } from '../../../src/contract/json.js';
import { repocraftBuild } from './build-dataset.js';
import { buildProject, describeProject } from './plan.js';

/** Runs the plan over made-up steps, and notes what it called. */
async function called(
  drafts: number,
  heldIn: (chunk: number) => number,
  { plan = buildProject, newSample = false } = {},
): Promise<[string, Json][]> {
  const calls: [string, Json][] = [];
  const harvest = { drafts, kept: 'k', plan: 'p', reference: 'r', recipe: 'x' };
  const steps: BuildSteps = {
    newSample,
    async step<Result>(name: string, { input = null }: { input?: Json }) {
      calls.push([name, input]);
      const { chunk } = (input ?? {}) as { chunk?: number };
      const gold = { held: heldIn(chunk ?? 0) };
      const results: Record<string, unknown> = { harvest, 'gold-alone': gold, fetch: { tasks: 21, digest: 'd' } };
      return (results[name] ?? null) as Result;
    },
    chunks: (count, work) => Promise.all(Array.from({ length: count }, (_, chunk) => work(chunk))),
  };
  await plan('requests', steps);
  return calls;
}

it('runs every draft alone once, those that held together under each seed, and locks last', async () => {
  const calls = await called(50, (chunk) => [24, 24, 2][chunk] ?? 0);
  expect(calls.map(([name]) => name)).toEqual([
    'harvest',
    ...['gold-alone', 'gold-alone', 'gold-alone'],
    ...['gold-together', 'gold-together'],
    'lock',
  ]);
  expect(calls.slice(1, 4).map(([, input]) => (input as { chunk: number }).chunk)).toEqual([0, 1, 2]);
  expect(calls.at(-1)?.[1]).toEqual({ drafts: 50, kept: 'k', plan: 'p', reference: 'r', recipe: 'x' });
});

it.each([false, true])('tells the harvest whether the sample is a new one: %s', async (newSample) => {
  expect((await called(50, () => 24, { newSample }))[0]).toEqual(['harvest', { newSample }]);
});

it('asks for as many batches as hold those that are left', async () => {
  const calls = await called(240, (chunk) => (chunk === 0 ? 5 : 24));
  const together = calls.filter(([name]) => name === 'gold-together');
  expect(together).toHaveLength(2 * Math.ceil((5 + 9 * 24) / 100));
});

it('has nothing to run together where nothing held', async () => {
  expect((await called(3, () => 0)).map(([name]) => name)).toEqual(['harvest', 'gold-alone', 'lock']);
});

it('has all locked tasks described, in chunks, and locks them last', async () => {
  const calls = await called(0, () => 0, { plan: describeProject });
  expect(calls.map(([name]) => name)).toEqual(['fetch', 'describe', 'describe', 'describe', 'lock-described']);
  expect(calls[3]?.[1]).toEqual({ tasks: 21, digest: 'd', chunk: 2 });
});

it('calls steps that there are', async () => {
  const calls = [...(await called(50, () => 24)), ...(await called(0, () => 0, { plan: describeProject }))];
  const names = new Set(calls.map(([name]) => name));
  expect([...names].sort()).toEqual(Object.keys(repocraftBuild.steps).sort());
});
