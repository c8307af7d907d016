import { expect, test } from 'vitest';
import { holdVote } from './hold-vote.js';
import type { Answer } from './vote-rules.js';
import type { Ballot } from './voter.js';

const SETTINGS = { voters: 3, rounds: 2 };
const ballotOf = (source: string): Ballot => ({ source }) as Ballot;

/** Three voters who say the first to a ballot as it is and the second to bare code; whether there was bare code to show. */
async function held(toAll: Answer, toBare: Answer | null) {
  const bareBallot = () => Promise.resolve(toBare === null ? null : ballotOf('bare'));
  const voter = ({ source }: Ballot) =>
    Promise.resolve({ answer: source === 'bare' ? (toBare ?? toAll) : toAll, reason: '', model: 'm' });
  const { votes, ...ended } = await holdVote({
    ...{ voter, ballot: ballotOf('whole'), match: 1, settings: SETTINGS, bareBallot },
  });
  return { ...ended, rounds: votes.map(({ round }) => round) };
}

const ALL_ROUNDS = [1, 1, 1, 2, 2, 2, 3, 3, 3];

test('where every voter abstained the bare code is voted on, once', async () => {
  const accepted = { accepted: true, lenient: true, confidence: 'low' };
  expect(await held('abstain', 'yes')).toEqual({ decision: accepted, bare: true, rounds: ALL_ROUNDS });
  const rejected = { accepted: false, lenient: false, confidence: 'low' };
  expect(await held('abstain', 'no')).toEqual({ decision: rejected, bare: true, rounds: ALL_ROUNDS });
});

test('a judge that is silent by itself is so before bare code too: nobody judged', async () => {
  expect(await held('abstain', 'abstain')).toEqual({ decision: null, bare: false, rounds: ALL_ROUNDS });
  expect(await held('abstain', null)).toEqual({ decision: null, bare: false, rounds: ALL_ROUNDS.slice(0, 6) });
});

test('what was answered decides without it', async () => {
  const rejected = { accepted: false, lenient: false, confidence: 'high' };
  expect(await held('no', 'yes')).toEqual({ decision: rejected, bare: false, rounds: [1, 1, 1] });
});
