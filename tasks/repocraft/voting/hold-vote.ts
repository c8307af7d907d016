import type { VoteRecord } from '../../../src/ports/records.js';
import type { VoteSettings } from '../settings.js';
import { decideFinally, decideFirstRound, type Decision } from './vote-rules.js';
import type { Ballot, Voter } from './voter.js';

/** Rounds until there is a decision, or no more are to be held; none (null) where every voter abstained in all of them. */
export async function holdVote(options: {
  voter: Voter;
  ballot: Ballot;
  match: number;
  settings: Pick<VoteSettings, 'voters' | 'rounds'>;
  onRound?: () => void;
}): Promise<{ votes: VoteRecord[]; decision: Decision | null }> {
  const { settings, onRound, ...asked } = options;
  const votes: VoteRecord[] = [];
  let decision: Decision | null = null;
  for (let round = 1; round <= settings.rounds && decision === null; round += 1) {
    votes.push(...(await holdRound({ ...asked, round, voters: settings.voters })));
    onRound?.();
    if (round === 1) decision = decideFirstRound(votes.map((vote) => vote.answer));
  }
  return { votes, decision: decision ?? decideFinally(votes.map((vote) => vote.answer)) };
}

async function holdRound(options: {
  voter: Voter;
  ballot: Ballot;
  match: number;
  round: number;
  voters: number;
}): Promise<VoteRecord[]> {
  const { match, round } = options;
  const seats = Array.from({ length: options.voters }, (_, index) => index + 1);
  return Promise.all(
    seats.map(async (voter) => ({ match, round, voter, ...(await options.voter(options.ballot, { voter, round })) })),
  );
}
