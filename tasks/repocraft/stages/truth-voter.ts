import { DomainFailure } from '../../../src/domain/domain-failure.js';
import type { StageContext } from '../../../src/ports/suite.js';
import { isRightEntry, recallNames } from '../generators/derived/truth.js';
import { entryPath } from './candidate-index.js';
import type { Voter } from './voter.js';

/** Says YES to what became of the task's main target and to nothing else: search and adaptation measured by themselves. */
export function createTruthVoter(context: StageContext): Voter {
  const { candidate, blobs } = context;
  return async ({ task, entry }) => {
    const names = candidate === null ? null : await recallNames(blobs, candidate.sha256);
    if (names === null) throw new DomainFailure('harness.bug', 'truth votes only on derived candidates');
    const isRight = isRightEntry(names, task.targets[0] ?? '', entryPath(entry));
    return { answer: isRight ? 'yes' : 'no', reason: 'by the derivation', model: 'truth' };
  };
}
