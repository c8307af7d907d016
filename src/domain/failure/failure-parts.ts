import type { Failure } from '../../contract/failure.js';
import type { Problem } from '../../contract/problem.js';
import { adviceOf } from './advice.js';
import { problemText } from './problem-text.js';

/** A failure as Temporal's `ApplicationFailure` carries it: text for who reads the UI, and the same as data for {@link problemOfParts}. */
export function failureParts({ type, message, ...advice }: Failure): {
  type: string;
  message: string;
  details: [Problem] | [];
} {
  const problem: Problem = { message, ...adviceOf(advice) };
  const isText = Object.keys(problem).length === 1;
  return { type, message: problemText(problem), details: isText ? [] : [problem] };
}

/** The problem in such a failure; of one that was raised otherwise, its message. */
export function problemOfParts(parts: { message: string; details?: unknown[] | null | undefined }): Problem {
  const [problem] = parts.details ?? [];
  return isProblem(problem) ? problem : { message: parts.message };
}

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Problem>).message === 'string';
}
