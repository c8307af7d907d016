import type { CandidateIntegrity } from '../../contract/candidate.js';

/** Trials of a candidate whose negative control passed before the whole candidate is under suspicion. */
export const SUSPECT_AT = 3;

/**
 * What is written beside the results of a candidate, worst first; empty for one nothing is held against. `forged`: a test was
 * reported as passed that had not; `suspect`: three negative controls passed or more; `vendored` also where a copy of the reference ran
 * that no text shows; then what its text shows.
 */
export function integrityMarks(row: CandidateIntegrity): string[] {
  return [
    ...(row.forgedTrials > 0 ? ['forged'] : []),
    ...(row.vacuousTrials >= SUSPECT_AT ? ['suspect'] : []),
    ...new Set([...(row.copiedTrials > 0 ? ['vendored'] : []), ...row.flags.map(({ flag }) => flag)]),
  ];
}
