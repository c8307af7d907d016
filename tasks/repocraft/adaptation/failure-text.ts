import type { Blobs } from '../../../src/ports/blobs.js';
import type { ExecutionReport } from '../execution/execution-report.js';
import type { TestFailure } from '../results.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';

/** Failed tests an adapter is told about; they mostly fail at the same name. */
const MAX_TESTS = 5;
const MAX_CHARACTERS = 3_000;

/** What was wrong, for the model that is to repair it: what the tests raised, or why there was nothing to run. */
export async function failureText(blobs: Blobs, { report, message }: TestFailure): Promise<string> {
  if (report === null) return `It was not run: ${message ?? 'there is no test'}`;
  const { tests, message: whole, reason } = await readJsonBlob<ExecutionReport>(blobs, report);
  const failed = tests.filter(({ outcome }) => outcome !== 'passed').slice(0, MAX_TESTS);
  const lines = failed.map(({ id, phase, message: said }) => `${id} (${phase}): ${said}`);
  const text = lines.length > 0 ? lines.join('\n') : (whole ?? 'nothing was collected');
  return `It was run and failed (${reason ?? 'no reason'}):\n${text}`.slice(0, MAX_CHARACTERS);
}
