import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { isRightEntry, recallNames, type DerivedNames } from '../generators/derived/truth.js';
import { entryPath } from '../candidate/candidate-index.js';
import type { Voter } from './voter.js';

/** Says YES to what became of the task's main target and to nothing else: search and adaptation measured by themselves. */
export function createTruthVoter({ candidate, blobs }: Pick<StageContext, 'candidate' | 'blobs'>): Voter {
  return async (...vote) => {
    const names = candidate === null ? null : await recallNames(blobs, candidate.sha256);
    if (names === null) throw new DomainFailure('harness.bug', 'truth votes only on derived candidates');
    return truthVoter(names)(...vote);
  };
}

/** The same for one candidate whose names are at hand. */
export const truthVoter =
  (names: DerivedNames): Voter =>
  ({ task, entry }) => {
    const isRight = isRightEntry(names, task.targets[0] ?? '', entryPath(entry));
    return Promise.resolve({ answer: isRight ? 'yes' : 'no', reason: 'by the derivation', model: 'truth' });
  };
