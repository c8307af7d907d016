import type { Verdict } from '../../../src/contract/verdict.js';
import type { ScoreInput } from '../results.js';
import {
  classOfLooks,
  classOfRefusal,
  classOfRun,
  classOfSearch,
  classOfVote,
  otherNamed,
  type FailureClassCode,
} from './failure-class.js';

/**
 * Passed = localized, accepted by a strict vote, adapted, every selected test ran and passed, and no negative control passed with it.
 * Metrics: `localized`, `voted`, `voted_lenient`, `passed` are 0 or 1; `localized` is null where the search was skipped,
 * `negative_control` (1 = it failed, as it must) where none was run and no comparison of the test gave the candidate away; `rewrites`
 * the calls of a model for this test and `rewritten` whether the test that was run is of its making, where the campaign names one;
 * `vote_bare` is 1 where a vote was decided on code without its comments, since no voter answered with them.
 * `second_look` is 1 where a failed trial's test passes on another match, 0 where it passes on none; absent where nobody looked.
 * A failed trial also has its failure class as a metric (`class.planning`: 1), since reports see metrics and the first reason only.
 *
 * @param isReference the candidate is the reference
 */
export function judge(input: ScoreInput, isReference = false): Verdict {
  const { located, votes, adapted, run, control } = input;
  const accepted = votes.find((vote) => vote.accepted);
  const passed = run?.passed === true && control?.vacuous !== true;
  const why = passed ? [] : reasons(input, isReference);
  return {
    passed,
    reasons: why,
    metrics: {
      localized: located.searched ? Number(located.localized) : null,
      voted: Number(accepted !== undefined),
      voted_lenient: Number(votes.some((vote) => vote.lenient)),
      adapted: adapted === null ? null : Number(adapted.refused === null),
      passed: Number(passed),
      top_score: located.matches[0]?.score ?? null,
      negative_control: run?.reason === 'candidate.vacuous' ? 0 : control?.ran ? Number(!control.vacuous) : null,
      match: accepted?.match ?? null,
      ...(input.rewrites === undefined ? {} : { rewrites: input.rewrites, rewritten: Number(isRewritten(adapted)) }),
      vote_rounds: votes.length === 0 ? null : Math.max(...votes.map((vote) => vote.rounds)),
      ...(input.looks === undefined ? {} : { second_look: Number(input.looks.some((look) => look.passed)) }),
      ...(votes.some((vote) => vote.bare) ? { vote_bare: 1 } : {}),
      ...Object.fromEntries(why.slice(-1).map((failureClass) => [failureClass, 1])),
    },
  };
}

const isRewritten = (adapted: ScoreInput['adapted']): boolean => adapted?.rewritten === true;

/** The stage that stopped it, then what that stage said, then the failure class it points to (a hint: `failure-class.ts`). */
function reasons(input: ScoreInput, isReference: boolean): [...string[], FailureClassCode] {
  const said = reasonsOfStages(input, isReference);
  const better = classOfLooks(input.looks) ?? (isOffTarget(input) ? classOfSearch(input.located, isReference) : null);
  return better === null ? said : [...said.slice(0, -1), better];
}

/**
 * What was accepted is not even of the kind of what is asked for, or is called like another definition of the reference, whatever was
 * voted, and the test failed or was never bound: nothing was found.
 */
function isOffTarget({ located, votes, adapted, run }: ScoreInput): boolean {
  const others = otherNamed(located);
  const isOther = votes.some(({ accepted, entry }) => accepted && others.has(entry));
  return (isOther || adapted?.isOffTarget === true) && (run === null || run.reason?.startsWith('test.') === true);
}

function reasonsOfStages(
  { located, votes, adapted, run, control }: ScoreInput,
  isReference: boolean,
): [...string[], FailureClassCode] {
  if (!located.localized) return ['not-localized', classOfSearch(located, isReference)];
  if (!votes.some((vote) => vote.accepted)) {
    const reason = votes.some((vote) => vote.lenient) ? 'vote-partial' : 'vote-rejected';
    return [reason, classOfVote({ located, votes }, isReference)];
  }
  if (adapted?.refused != null) {
    return ['not-adapted', adapted.refused, classOfRefusal(adapted.refused)];
  }
  if (control?.vacuous) return ['candidate.vacuous', 'class.generation'];
  const reason = run?.reason ?? 'test.other';
  return [reason, classOfRun(reason)];
}
