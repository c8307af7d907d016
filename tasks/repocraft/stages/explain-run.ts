import type { Blobs } from '../../../src/ports/blobs.js';
import type { StepRow } from '../../../src/ports/records.js';

/** What the last run of the test said was wrong, from its `report.json`; null where none was run, it passed, or the blob is gone. */
export async function explainRun(steps: readonly StepRow[], blobs: Blobs): Promise<string | null> {
  const run = steps.findLast(({ stage, step }) => stage === 'execute' && step === 'run');
  const report = run?.evidence.find(({ name }) => name === 'report.json');
  if (report === undefined || !(await blobs.has(report.sha256))) return null;
  const { message } = JSON.parse((await blobs.get(report.sha256)).toString('utf8')) as { message?: unknown };
  return typeof message === 'string' ? message : null;
}
