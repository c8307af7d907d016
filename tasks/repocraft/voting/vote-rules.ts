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
 * Round 1: the answer more than half of the voters give (2 of 3) decides; null when none has it, and a second round is held.
 * Abstentions never decide.
 */
export function decideFirstRound(answers: readonly Answer[]): Decision | null {
  const majority = Math.floor(answers.length / 2) + 1;
  const winner = (['yes', 'no', 'partial'] as const).find((answer) => count(answers, answer) >= majority);
  if (winner === undefined) return null;
  const isUnanimous = count(answers, winner) === answers.length;
  return { accepted: winner === 'yes', lenient: winner !== 'no', confidence: isUnanimous ? 'high' : 'medium' };
}

/**
 * After the last round, over the answers of all rounds: accepted when more than half said YES (4 of 6), an abstention
 * counting as not YES; lenient when more than half said YES or PARTIAL.
 */
export function decideFinally(answers: readonly Answer[]): Decision {
  const majority = Math.floor(answers.length / 2) + 1;
  const yes = count(answers, 'yes');
  return { accepted: yes >= majority, lenient: yes + count(answers, 'partial') >= majority, confidence: 'low' };
}

/** How many gave this answer. */
export const count = (answers: readonly Answer[], answer: Answer): number =>
  answers.filter((given) => given === answer).length;
