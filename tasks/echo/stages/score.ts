import type { Verdict } from '../../../src/contract/verdict.js';
import type { StageFunction } from '../../../src/suite/stage.js';
import type { Scored } from '../results.js';

/** The verdict, from what the stages before it found. */
export const score: StageFunction = async ({ input }) => {
  const { localized, accepted, equal } = input as Scored;
  const reasons = [
    ...(localized ? [] : ['not-localized']),
    ...(accepted === false ? ['vote-rejected'] : []),
    ...(equal === false ? ['not-equal'] : []),
  ];
  const verdict: VerdictJson = {
    passed: equal === true,
    reasons,
    metrics: { localized: rate(localized), voted: rate(accepted), equal: rate(equal) },
  };
  return { result: verdict };
};

/** null stays null: a stage that was skipped is not a zero. */
function rate(value: boolean | null): number | null {
  return value === null ? null : Number(value);
}

type VerdictJson = { [Key in keyof Verdict]: Verdict[Key] };
