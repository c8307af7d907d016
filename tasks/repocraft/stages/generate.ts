import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext, StageFunction, StageResult } from '../../../src/suite/stage.js';
import { GENERATORS } from '../generators/generators.js';
import { storedCandidate } from '../generators/stored-candidate.js';

/** A generation makes the candidate; a trial resolves and verifies the one it was given. */
export const generateCandidate: StageFunction = (context) =>
  context.owner.kind === 'generation' ? makeCandidate(context) : verifyCandidate(context);

async function makeCandidate(context: StageContext): Promise<StageResult> {
  const { generator: name } = context.system;
  const generator = GENERATORS[name];
  if (generator === undefined || context.scope === null) {
    throw new DomainFailure('harness.bug', `a generation by ${name} without a generator or a project`);
  }
  if ('step' in generator) return generator.step(context);
  return storedCandidate(context, await generator.make(context, context.scope), generator.provenance);
}

async function verifyCandidate(context: StageContext): Promise<StageResult> {
  const { candidate } = context;
  if (candidate === null) throw new DomainFailure('harness.bug', 'a trial of repocraft without a candidate');
  if (!(await context.blobs.has(candidate.sha256))) {
    throw new DomainFailure('blobs.missing', {
      message: `the candidate ${candidate.sha256} is not in the blob store of this worker`,
      expected: 'one blob store for all workers of an installation',
      fix: 'name it for every worker (DURABENCH_BLOBS)',
    });
  }
  return { result: { ...candidate } };
}
