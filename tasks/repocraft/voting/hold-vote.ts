import type { VoteRecord } from '../../../src/ports/records.js';
import type { VoteSettings } from '../settings.js';
import { decideFinally, decideFirstRound, type Decision } from './vote-rules.js';
import type { Ballot, Voter } from './voter.js';

/** What came of a vote. */
interface HeldVote {
  votes: VoteRecord[];
  /** Null where nobody answered. */
  decision: Decision | null;
  /** Nobody answered until the code was shown without what its author says in it. */
  bare: boolean;
}

/**
 * Rounds until there is a decision, or no more are to be held. Where every voter abstained in all of them one more is held on the
 * bare code: a comment can have silenced them, and who gains by silence may have written it.
 */
export async function holdVote(options: {
  voter: Voter;
  ballot: Ballot;
  match: number;
  settings: Pick<VoteSettings, 'voters' | 'rounds'>;
  /** The ballot with the bare code; null where there is none. */
  bareBallot?: () => Promise<Ballot | null>;
  onRound?: () => void;
}): Promise<HeldVote> {
  const { settings, onRound, bareBallot, ...asked } = options;
  const votes: VoteRecord[] = [];
  let decision: Decision | null = null;
  for (let round = 1; round <= settings.rounds && decision === null; round += 1) {
    votes.push(...(await holdRound({ ...asked, round, voters: settings.voters })));
    onRound?.();
    if (round === 1) decision = decideFirstRound(votes.map((vote) => vote.answer));
  }
  decision ??= decideFinally(votes.map((vote) => vote.answer));
  const ballot = decision === null ? await bareBallot?.() : null;
  if (ballot == null) return { votes, decision, bare: false };
  const last = await holdRound({ ...asked, ballot, round: settings.rounds + 1, voters: settings.voters });
  onRound?.();
  decision = decideFinally(last.map((vote) => vote.answer));
  return { votes: [...votes, ...last], decision, bare: decision !== null };
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
