import type { Located, LookResult, VoteResult } from '../results.js';

/** What a failure can point to; a name after a dot is a finer class of the one before it. */
export const FAILURE_CLASSES = [
  'planning',
  'localization',
  'validation',
  'generation',
  'generation.missing-package',
  'generation.api-mismatch',
  'generation.logic',
  'generation.performance',
  'adaptation',
  'execution',
] as const;

/** One of {@link FAILURE_CLASSES}. */
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** As the last of a verdict's reasons, and as the metric of failed trials that reports count (1). */
export type FailureClassCode = `class.${FailureClass}`;

/**
 * Whose failure it points to where nothing was found: the system planned nothing of the kind, or the search missed what is
 * called like the target. Of the reference nothing is missing.
 */
export function classOfSearch({ sameName = false }: Pick<Located, 'sameName'>, isReference: boolean): FailureClassCode {
  return sameName || isReference ? 'class.localization' : 'class.planning';
}

/**
 * The same where every match was voted down. No second judge is asked and nothing is run, so a grader is blamed only where
 * the record speaks against it: the search, where an entry of the same name of the target was not among the matches that were voted on;
 * the voters, where it was and no answer was given more often than YES (their disagreement, settled by the name). Whoever
 * saw the code and mostly said NO or PARTIAL is believed, but not of the reference: where nothing is called like the target and
 * they mostly said NO to every match that is not called like another definition of the reference, the system planned nothing of
 * the kind. A right symbol of another name stays the system's: what is said of the graders is the least there is.
 */
export function classOfVote(
  { located, votes }: { located: Pick<Located, 'matches' | 'sameName'>; votes: readonly VoteResult[] },
  isReference: boolean,
): FailureClassCode {
  const sameNamed = new Set(located.matches.flatMap(({ entry, sameName }) => (sameName ? [entry] : [])));
  const onSameNamed = votes.filter(({ entry }) => entry !== null && sameNamed.has(entry));
  if (onSameNamed.length === 0) {
    if (located.sameName === true || isReference) return 'class.localization';
    const others = otherNamed(located);
    const isNothing = votes.every((vote) => isRefused(vote) || others.has(vote.entry));
    return located.sameName === false && isNothing ? 'class.planning' : 'class.generation';
  }
  return isReference || onSameNamed.some(isUndecided) ? 'class.validation' : 'class.generation';
}

/** Entries that are called like another definition of the reference. */
export const otherNamed = ({ matches }: Pick<Located, 'matches'>): ReadonlySet<number | null> =>
  new Set(matches.flatMap(({ entry, otherName }) => (otherName === true ? [entry] : [])));

const isRefused = ({ yes, partial, no }: VoteResult): boolean => no > yes && no > partial;

const isUndecided = ({ yes, partial, no }: VoteResult): boolean => yes > 0 && yes >= Math.max(partial, no);

/**
 * The same where the test could not be bound. Another name that it needs and nobody recognises is the system's; every other
 * refusal is about the test.
 */
export const classOfRefusal = (refused: string): FailureClassCode =>
  refused === 'adapt.unbound' ? 'class.generation' : 'class.adaptation';

/**
 * Where the test passes on another match the candidate has what is asked for: voters refused it, or took another before it; or the
 * search put it below what is voted on. Where it passes on what was accepted, with another name beside it bound by guess, it was
 * adaptation that lost it. Null where it passes nowhere, or nobody looked.
 */
export function classOfLooks(looks: readonly LookResult[] = []): FailureClassCode | null {
  const passed = looks.find((look) => look.passed);
  if (passed === undefined) return null;
  if (passed.isAccepted === true) return 'class.adaptation';
  return passed.isVotedOn ? 'class.validation' : 'class.localization';
}

/** The same of a test that ran, by the reason it failed for; everything that is not named is `execution`. */
export const classOfRun = (reason: string): FailureClassCode => CLASS_OF_REASON[reason] ?? 'class.execution';

const CLASS_OF_REASON: Readonly<Record<string, FailureClassCode>> = {
  'test.assertion': 'class.generation.logic',
  // An exception of another kind than names and types: nearly always the code's own (docs/results/failure-classes.md).
  'test.other': 'class.generation.logic',
  'test.missing-package': 'class.generation.missing-package',
  'test.import': 'class.generation.api-mismatch',
  'test.name': 'class.generation.api-mismatch',
  'test.attribute': 'class.generation.api-mismatch',
  'test.type': 'class.generation.api-mismatch',
  'test.signature': 'class.generation.api-mismatch',
  'test.timeout': 'class.generation.performance',
  'test.memory': 'class.generation.performance',
  'candidate.vacuous': 'class.generation',
  'candidate.hidden-copy': 'class.generation',
  'candidate.unwatched': 'class.generation',
  'candidate.timeout': 'class.generation.performance',
  'candidate.out-of-memory': 'class.generation.performance',
};
