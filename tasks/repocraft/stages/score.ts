import type { Verdict } from '../../../src/contract/verdict.js';
import type { StageFunction } from '../../../src/ports/suite.js';
import type { ScoreInput } from '../results.js';
import { judge } from './judge.js';

/** Says what the stages amount to. */
export const scoreTrial: StageFunction = (context) => {
  const verdict: Verdict = judge(context.input as unknown as ScoreInput);
  return Promise.resolve({ result: { ...verdict } });
};
