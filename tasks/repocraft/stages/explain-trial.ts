import type { CandidateRef } from '../../../src/contract/candidate.js';
import type { Problem } from '../../../src/contract/problem.js';
import type { Blobs } from '../../../src/ports/blobs.js';
import type { StepRow } from '../../../src/ports/records.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';

/** Why a trial failed: its candidate is empty, or what the last run of the test said was wrong; null where neither tells. */
export async function explainTrial(steps: readonly StepRow[], blobs: Blobs): Promise<Problem | null> {
  const candidate = steps.findLast(({ stage }) => stage === 'generate')?.result as Partial<CandidateRef> | undefined;
  return candidate?.files === 0 ? EMPTY_CANDIDATE : wordsOfRun(steps, blobs);
}

const EMPTY_CANDIDATE: Problem = {
  message: 'the candidate holds no file: the answer of the model was empty, or had none in it',
  expected: 'an answer with files, as one JSON object or as fenced blocks with their paths',
  fix: 'none for this trial, it is graded; another model, or a higher max_output_tokens where the answer was cut',
};

/** From its `report.json`; null where no test was run, it passed, or the blob is gone. */
async function wordsOfRun(steps: readonly StepRow[], blobs: Blobs): Promise<Problem | null> {
  const run = steps.findLast(({ stage, step }) => stage === 'execute' && step === 'run');
  const report = run?.evidence.find(({ name }) => name === 'report.json');
  if (report === undefined || !(await blobs.has(report.sha256))) return null;
  const { message } = await readJsonBlob<{ message?: unknown }>(blobs, report.sha256);
  // On one line: a candidate must not add lines that look like ours.
  return typeof message === 'string' ? { message: message.replace(/\s+/g, ' ') } : null;
}
