import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageFunction } from '../../../src/suite/stage.js';
import { lintCandidate } from './lint-candidate.js';

/** `lint`: the linters look at the files. */
export const execute: StageFunction = (context) => {
  if (context.step === 'lint') return lintCandidate(context);
  throw new DomainFailure('harness.bug', `execute has no step ${JSON.stringify(context.step)}`);
};
