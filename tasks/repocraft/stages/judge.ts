import type { Verdict } from '../../../src/contract/verdict.js';
import type { ScoreInput } from '../results.js';

/**
 * Passed = localized, accepted by a strict vote, adapted, and every selected test ran and passed.
 * Metrics: `localized`, `voted`, `voted_lenient`, `passed` are 0 or 1; `localized` is null where the search was skipped.
 */
export function judge({ located, votes, adapted, run }: ScoreInput): Verdict {
  const accepted = votes.find((vote) => vote.accepted);
  const passed = run?.passed === true;
  return {
    passed,
    reasons: passed ? [] : reasons({ located, votes, adapted, run }),
    metrics: {
      localized: located.searched ? Number(located.localized) : null,
      voted: Number(accepted !== undefined),
      voted_lenient: Number(votes.some((vote) => vote.lenient)),
      adapted: adapted === null ? null : Number(adapted.refused === null),
      passed: Number(passed),
      top_score: located.matches[0]?.score ?? null,
      match: accepted?.match ?? null,
      vote_rounds: votes.length === 0 ? null : Math.max(...votes.map((vote) => vote.rounds)),
    },
  };
}

/** The stage that stopped it, then what that stage said, then the failure class it points to (a hint; classes need a judge). */
function reasons({ located, votes, adapted, run }: ScoreInput): string[] {
  if (!located.localized) return ['not-localized', 'class.planning'];
  if (!votes.some((vote) => vote.accepted)) {
    return [votes.some((vote) => vote.lenient) ? 'vote-partial' : 'vote-rejected', 'class.generation'];
  }
  if (adapted?.refused != null) {
    const isMissing = adapted.refused === 'adapt.unbound';
    return ['not-adapted', adapted.refused, isMissing ? 'class.generation' : 'class.adaptation'];
  }
  const reason = run?.reason ?? 'test.other';
  return [reason, CLASS_OF_REASON[reason] ?? 'class.execution'];
}

/** Failure classes of tests that ran; everything that is not named is `execution`. */
const CLASS_OF_REASON: Readonly<Record<string, string>> = {
  'test.assertion': 'class.generation.logic',
  'test.import': 'class.generation.api-mismatch',
  'test.name': 'class.generation.api-mismatch',
  'test.attribute': 'class.generation.api-mismatch',
  'test.type': 'class.generation.api-mismatch',
  'test.signature': 'class.generation.api-mismatch',
  'test.timeout': 'class.generation.performance',
  'test.memory': 'class.generation.performance',
  'candidate.timeout': 'class.generation.performance',
  'candidate.out-of-memory': 'class.generation.performance',
};
