import { expect, test } from 'vitest';
import { readEnvironment } from '../../config/env.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';
import { reviewTrial } from './review-trial.js';

const context = { environment: () => readEnvironment({ HOME: '/nowhere' }) } as Context;
const ID = 'c/silver-fit/agent/1';

/** What is told of a review of a trial that ended so. */
async function told(
  row: { outcome: string | null; metrics?: Record<string, number>; suite?: string },
  { status = 'full', answer = 'recorded' } = {},
): Promise<string> {
  const { suite = 'artisan', ...trial } = row;
  const records = {
    trial: () => Promise.resolve({ trial: { id: ID, campaignId: 'c', metrics: {}, ...trial } }),
    campaign: () => Promise.resolve({ suite }),
    recordReview: () => Promise.resolve(answer),
  } as unknown as Connection['records'];
  const done = reviewTrial(context, { records }, { trial: ID, status, reason: 'looked at it' });
  return done.then(
    ({ judged, status: said, isRecorded }) => `${judged}, ${said}, ${isRecorded}`,
    (error: Error) => error.message,
  );
}

const THREE_LINES = /^.+\n {0,2}expected: .+\n {0,2}fix: .+$/;
const passed = { outcome: 'passed', metrics: { full: 1 } };

test.each<[string, Promise<string>, RegExp]>([
  ['of a trial that is still open', told({ outcome: null }), /has no verdict: there is nothing to be reviewed/],
  ['of a trial that errored', told({ outcome: 'errored' }), /has no verdict/],
  [
    'with a status that is unknown',
    told(passed, { status: 'fine' }),
    /"fine" is no status of artisan\n.*one of full, /,
  ],
  ['a second time', told(passed, { answer: 'reviewed-before' }), /before; nothing is overwritten/],
  ['of a suite without statuses', told({ ...passed, suite: 'echo' }), /suite echo has no statuses/],
])('a review %s is refused in three lines', async (_, message, what) => {
  expect(await message).toMatch(what);
  expect(await message).toMatch(THREE_LINES);
});

test('a review of a graded trial is recorded beside what was judged', async () => {
  expect(await told({ outcome: 'failed', metrics: { copied: 1 } })).toBe('copied, full, true');
});
