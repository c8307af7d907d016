import { DomainFailure } from '../../../src/domain/domain-failure.js';
import type { StageFunction } from '../../../src/ports/suite.js';
import { adaptTest } from './adapt.js';
import { runAdaptedTest } from './run-test.js';

/** Two steps: `adapt` binds the test to the candidate, `run` runs it. */
export const executeTask: StageFunction = (context) => {
  if (context.step === 'adapt') return adaptTest(context);
  if (context.step === 'run') return runAdaptedTest(context);
  throw new DomainFailure('harness.bug', `execute has no step ${JSON.stringify(context.step)}`);
};
