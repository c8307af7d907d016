import { distance } from 'fastest-levenshtein';
import type { Explanation, Explanations } from '../contract/problem.js';
import { ENGINE_EXPLANATIONS } from '../domain/failure/engine-explanations.js';
import { UserError } from '../domain/failure/user-error.js';
import type { Suite } from '../suite/suite.js';

/** A code with its explanation, and who says it: `engine`, or the id of a suite. */
export interface ExplainedCode extends Explanation {
  code: string;
  source: string;
}

/** How many codes are offered for one that is unknown. */
const OFFERED = 3;

/** Every code of the engine and of these suites; those of one source stand together, in the order of their tables. */
export function explainedCodes(suites: readonly Suite[]): ExplainedCode[] {
  return [
    ...codesOf('engine', ENGINE_EXPLANATIONS),
    ...suites.flatMap(({ manifest, explanations }) => codesOf(manifest.id, explanations ?? {})),
  ];
}

/**
 * What a code means, once for each source that uses it.
 * @throws UserError for an unknown code, with the nearest ones
 */
export function explainCode(code: string, suites: readonly Suite[]): ExplainedCode[] {
  const all = explainedCodes(suites);
  const found = all.filter((each) => each.code === code.trim());
  if (found.length > 0) return found;
  const known = [...new Set(all.map((each) => each.code))];
  throw new UserError('usage', {
    message: `"${code}" is not a known code`,
    fix: `${meantText(nearestCodes(code, known))}\`durabench explain\` lists all`,
  });
}

const codesOf = (source: string, explanations: Explanations): ExplainedCode[] =>
  Object.entries(explanations).map(([code, explanation]) => ({ code, source, ...explanation }));

const meantText = (codes: readonly string[]): string =>
  codes.length === 0 ? '' : `did you mean ${codes.join(', ')}? `;

/** Those that hold the word first ("timeout"), then by how little has to be typed otherwise; none that is another word altogether. */
function nearestCodes(word: string, known: readonly string[]): string[] {
  const typed = word.trim().toLowerCase();
  if (typed === '') return [];
  const farthest = Math.max(1, typed.length / 3) + 0.5;
  const far = (code: string): number =>
    code.includes(typed)
      ? code.length / 1000
      : Math.min(distance(typed, code), ...code.split('.').map((part) => distance(typed, part) + 0.5));
  return known
    .map((code) => ({ code, away: far(code) }))
    .filter(({ away }) => away <= farthest)
    .sort((one, other) => one.away - other.away)
    .slice(0, OFFERED)
    .map(({ code }) => code);
}
