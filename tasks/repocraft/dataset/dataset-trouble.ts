import type { FailureType } from '../../../src/contract/failure.js';
import type { Problem } from '../../../src/contract/problem.js';
import { DomainFailure } from '../../../src/domain/domain-failure.js';

/** A failure of dataset work whose message has the three parts of a problem, a line each. */
export function datasetTrouble(type: FailureType, problem: Problem, cause?: unknown): DomainFailure {
  return new DomainFailure(type, problem, { cause });
}
