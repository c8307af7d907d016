import type { Problem } from '../../../src/contract/problem.js';
import type { Blobs } from '../../../src/ports/blobs.js';
import type { StepRow } from '../../../src/ports/records.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';
import type { SyntaxReport } from '../syntax/syntax-report.js';

/** What `score` leaves beside the verdict. */
type Details = { refusal: string | null; syntax: SyntaxReport };

/** Where a candidate failed: the first layer, the place in the file, what is wrong there. Null where the evidence is gone. */
export async function explain(steps: readonly StepRow[], blobs: Blobs): Promise<Problem | null> {
  const scored = steps.findLast(({ stage }) => stage === 'score');
  const kept = scored?.evidence.find(({ name }) => name === 'layers.json');
  if (kept === undefined || !(await blobs.has(kept.sha256))) return null;
  const { refusal, syntax } = await readJsonBlob<Details>(blobs, kept.sha256);
  if (refusal !== null) return { message: `the answer holds no candidate: ${refusal}`, expected: FORM };
  const [first] = syntax.problems;
  if (first === undefined) return null;
  const place = first.file === '' ? '' : `${first.file}${first.line > 0 ? `:${first.line}:${first.column}` : ''}: `;
  const more = syntax.problems.length > 1 ? ` (and ${syntax.problems.length - 1} more)` : '';
  return { message: oneLine(`syntax: ${place}${first.message}${more}`), expected: 'a file that GitHub takes' };
}

const FORM = 'files as fenced blocks with their paths, or one JSON object of path and text';

/** A candidate must not add lines that look like ours. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ');
