import type { Confidence } from '../results.js';

/** What a voter may say. */
export type Answer = 'yes' | 'no' | 'partial' | 'abstain';

/** What the votes on one match amount to. */
export interface Decision {
  accepted: boolean;
  lenient: boolean;
  confidence: Confidence;
}

/**
 * Round 1: the answer more than half of those give who answered decides, where more than half of the voters did (2 of 3);
 * null when none has it, and a second round is held. An abstention is no answer.
 */
export function decideFirstRound(answers: readonly Answer[]): Decision | null {
  const given = answered(answers);
  if (given.length * 2 <= answers.length) return null;
  const winner = (['yes', 'no', 'partial'] as const).find((answer) => isMajority(count(given, answer), given));
  if (winner === undefined) return null;
  const isUnanimous = count(answers, winner) === answers.length;
  return { accepted: winner === 'yes', lenient: winner !== 'no', confidence: isUnanimous ? 'high' : 'medium' };
}

/**
 * After the last round, over the answers of all rounds: accepted when more than half of those given are YES (4 of 6, 2 of 3
 * where three abstained); lenient when more than half are YES or PARTIAL. Null where everybody abstained: nobody judged.
 */
export function decideFinally(answers: readonly Answer[]): Decision | null {
  const given = answered(answers);
  if (given.length === 0) return null;
  const yes = count(given, 'yes');
  const lenient = yes + count(given, 'partial');
  return { accepted: isMajority(yes, given), lenient: isMajority(lenient, given), confidence: 'low' };
}

/** How many gave this answer. */
export const count = (answers: readonly Answer[], answer: Answer): number =>
  answers.filter((given) => given === answer).length;

const answered = (answers: readonly Answer[]): Answer[] => answers.filter((answer) => answer !== 'abstain');

const isMajority = (some: number, of: readonly Answer[]): boolean => some * 2 > of.length;
