import type { Failure } from '../../contract/failure.js';
import type { Problem } from '../../contract/problem.js';
import { problemText } from './problem-text.js';

/** A failure as Temporal's `ApplicationFailure` carries it: text for who reads the UI, and the same as data for {@link problemOfParts}. */
export function failureParts({ type, message, expected, fix }: Failure): {
  type: string;
  message: string;
  details: [Problem] | [];
} {
  const problem = { message, ...(expected !== undefined && { expected }), ...(fix !== undefined && { fix }) };
  const isText = expected === undefined && fix === undefined;
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
