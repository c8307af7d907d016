import { expect, test } from 'vitest';
import { drawingKey } from '../../../src/domain/drawing-key.js';
import { createMemoryBlobs } from '../../../src/fakes/memory-blobs.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { repocraftManifest } from '../suite.js';
import { controlDue, isControlFirst, isDistrusted, rememberControl, rememberForgery } from './control-due.js';

const { first, share } = repocraftManifest.negativeControls;
const MANY = 400;

/** Passed trials of one campaign; `suspicions` of the candidate's text. */
function trials(suspicions = 0, provenance = 'generated') {
  const blobs = createMemoryBlobs();
  return (trial: number, candidate = 'a'): StageContext =>
    ({
      ...{ blobs, campaign: { id: 'c' }, owner: { kind: 'trial', id: `c/task-${trial}/s/1` } },
      ...{ candidate: { sha256: candidate, provenance }, prepared: { suspicions } },
      drawingKey: (purpose: string) => drawingKey('secret', null, purpose),
    }) as unknown as StageContext;
}

/** Each has one where it is due and its test can be altered. */
async function due(
  of: (trial: number) => StageContext,
  count: number,
  canBeAltered: (trial: number) => boolean = () => true,
): Promise<boolean[]> {
  const answers: boolean[] = [];
  for (let trial = 0; trial < count; trial += 1) {
    const isDue = await controlDue(of(trial));
    if (isDue && canBeAltered(trial)) await rememberControl(of(trial));
    answers.push(isDue);
  }
  return answers;
}

const count = (answers: boolean[]): number => answers.filter(Boolean).length;

test('the first passed trials of a candidate all have one, then about a tenth, each the same when asked again', async () => {
  const of = trials();
  const answers = await due(of, MANY);
  expect(count(answers.slice(0, first))).toBe(first);
  expect(count(answers)).toBeGreaterThan(first + (MANY - first) * share * 0.5);
  expect(count(answers)).toBeLessThan(first + (MANY - first) * share * 1.6);
  expect(await due(of, MANY)).toEqual(answers);
  expect(await controlDue(of(MANY - 1, 'another'))).toBe(true);
});

test('a test in which nothing can be altered takes none of the first places', async () => {
  const isEven = (trial: number): boolean => trial % 2 === 0;
  const answers = await due(trials(), 2 * first - 1, isEven);
  expect(answers).toEqual(answers.map(() => true));
  const after = await due(trials(), MANY, isEven);
  expect(count(after.slice(2 * first))).toBeLessThan((MANY - 2 * first) * share * 1.6);
});

test('of a suspicious candidate, and from the first that was seen through, all do; of the reference none', async () => {
  expect(count(await due(trials(1), 50))).toBe(50);
  expect(count(await due(trials(1, 'reference'), 50))).toBe(0);
  const of = trials();
  await due(of, 50);
  await rememberForgery(of(0));
  expect(count(await due(of, 100))).toBe(100);
});

test('whether it comes before the test is drawn for each trial, the same when asked again', () => {
  const of = trials();
  const order = Array.from({ length: MANY }, (_, trial) => isControlFirst(of(trial)));
  expect(count(order)).toBeGreaterThan(MANY * 0.4);
  expect(count(order)).toBeLessThan(MANY * 0.6);
  expect(order.map((_, trial) => isControlFirst(of(trial)))).toEqual(order);
});

test('a suspicious candidate is distrusted, and one that was seen through from then on', async () => {
  expect(await isDistrusted(trials(1)(0))).toBe(true);
  expect(await isDistrusted(trials(1, 'reference')(0))).toBe(false);
  const of = trials();
  expect(await isDistrusted(of(0))).toBe(false);
  await rememberForgery(of(0));
  expect(await isDistrusted(of(1))).toBe(true);
});
