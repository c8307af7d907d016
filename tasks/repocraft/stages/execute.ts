import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageFunction } from '../../../src/suite/stage.js';
import { adaptTest } from './adapt.js';
import { lookAtMatch } from './look.js';
import { searchFurther } from './look-further.js';
import { negativeControl } from './negative-control.js';
import { rewriteTest } from './rewrite.js';
import { runAdaptedTest } from './run-adapted.js';

/**
 * Five kinds of steps: `adapt` binds the test to the candidate, `run` runs it (before it, perhaps, altered), `rewrite-1` … have a model rewrite it where
 * that failed at a name, `control` runs it altered, to see it fail; `look-1` … bind and run it on a match that was not accepted
 * (`look-1-guess-1` … with names guessed), `look-further` searches for more of them.
 */
export const executeTask: StageFunction = (context) => {
  if (context.step === 'adapt') return adaptTest(context);
  if (context.step === 'run') return runAdaptedTest(context);
  if (context.step.startsWith('rewrite-')) return rewriteTest(context);
  if (context.step === 'look-further') return searchFurther(context);
  if (context.step.startsWith('look-')) return lookAtMatch(context);
  if (context.step === 'control') return negativeControl(context);
  throw new DomainFailure('harness.bug', `execute has no step ${JSON.stringify(context.step)}`);
};
