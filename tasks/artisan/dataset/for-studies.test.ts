import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import { UserError } from '../../../src/domain/failure/user-error.js';
import { forStudies } from './for-studies.js';

const STUDIES = Array.from({ length: 9 }, (_, index) => `s${index}`);
const { signal } = new AbortController();
const told = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const isWrong = (study: string): UserError =>
  new UserError('environment', { message: `${study} is wrong`, fix: 'correct it' });

test('does so many at once, and every one of them once', async () => {
  for (const [slots, most] of [
    [undefined, 1],
    [2, 2],
    [16, 4],
  ] as const) {
    const [under, peaks, done] = [new Set<string>(), [] as number[], [] as string[]];
    await forStudies(STUDIES, { signal, ...(slots !== undefined && { slots }) }, async (study) => {
      peaks.push(under.add(study).size);
      await sleep(study === 's0' ? 30 : 1);
      under.delete(study);
      done.push(study);
    });
    expect(Math.max(...peaks)).toBe(most);
    expect(done.sort()).toEqual(STUDIES);
  }
});

test('what is wrong with one study hides nothing of the others, which are done all the same', async () => {
  const done: string[] = [];
  const error = await told(
    forStudies(STUDIES, { signal, slots: 2 }, async (study) => {
      await sleep(1);
      if (study === 's1') throw isWrong(study);
      if (study === 's4') throw new DomainFailure('dataset.hash-mismatch', { message: 's4 is another', fix: 'see' });
      done.push(study);
    }),
  );
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).message).toBe('s1 is wrong\nfix: correct it\ns4 is another\nfix: see');
  expect(done).toHaveLength(7);
  // One alone stays what it is: its type decides what others do.
  const alone = new DomainFailure('dataset.missing', 'gone');
  const one = forStudies(STUDIES, { signal, slots: 2 }, (study) =>
    study === 's3' ? Promise.reject(alone) : Promise.resolve(),
  );
  expect(await told(one)).toBe(alone);
});

test('begins no further study where the machine fails, and tells that once', async () => {
  const begun: string[] = [];
  const error = await told(
    forStudies(STUDIES, { signal, slots: 2 }, async (study) => {
      begun.push(study);
      await sleep(1);
      if (study === 's0') throw isWrong(study);
      throw new DomainFailure('sandbox.unavailable', { message: 'Docker is away', fix: 'start it' });
    }),
  );
  expect((error as UserError).problems.map(({ message }) => message)).toEqual(['s0 is wrong', 'Docker is away']);
  expect(begun.length).toBeLessThanOrEqual(4);
});

test('ends where it is interrupted, when what is under way has ended', async () => {
  const interrupt = new AbortController();
  const begun: string[] = [];
  const work = forStudies(STUDIES, { signal: interrupt.signal, slots: 2 }, async (study) => {
    begun.push(study);
    if (study === 's1') interrupt.abort();
    await sleep(1);
    interrupt.signal.throwIfAborted();
  });
  await expect(work).rejects.toBe(interrupt.signal.reason);
  expect(begun).toEqual(['s0', 's1']);
});
