import type { CandidateRef } from '../../../src/contract/candidate.js';
import type { Problem } from '../../../src/contract/problem.js';
import type { Blobs } from '../../../src/ports/blobs.js';
import type { StepRow } from '../../../src/ports/records.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';
import type { AdaptResult, FurtherResult, Located, LookResult, VoteResult } from '../results.js';

/**
 * Why a trial failed: its candidate is empty, what the last run of the test said was wrong, why the test could not be
 * bound, what was voted down, what was found instead; null where none of it tells.
 */
export async function explainTrial(steps: readonly StepRow[], blobs: Blobs): Promise<Problem | null> {
  const candidate = steps.findLast(({ stage }) => stage === 'generate')?.result as Partial<CandidateRef> | undefined;
  if (candidate?.files === 0) return EMPTY_CANDIDATE;
  const words = (await wordsOfRun(steps, blobs)) ?? wordsBeforeRun(steps);
  const elsewhere = passedElsewhere(steps);
  return elsewhere === null ? words : { message: [words?.message, elsewhere].filter(Boolean).join('; ') };
}

/** A second look that found the test to pass. */
function passedElsewhere(steps: readonly StepRow[]): string | null {
  const seen = steps.filter(isLook);
  const passed = seen.map(({ result }) => result as unknown as LookResult).find((look) => look.passed);
  if (passed === undefined) return null;
  const { match, isAccepted, guess } = passed;
  const further = seen.find(({ step }) => step === 'look-further')?.result as FurtherResult | undefined;
  const names = [lastOf<Located>(steps, 'localize')?.matches ?? [], further?.matches ?? []].flat();
  return [
    `the test passes on match ${match} ${names[match - 1]?.name ?? ''}`,
    ...(isAccepted === true ? [] : [', which was not accepted']),
    ...(guess === undefined ? [] : [`, with what nothing answers to bound by guess ${guess}`]),
  ].join('');
}

const isLook = ({ stage, step }: StepRow): boolean => stage === 'execute' && step.startsWith('look-');

const EMPTY_CANDIDATE: Problem = {
  message: 'the candidate holds no file: the answer of the model was empty, or had none in it',
  expected: 'an answer with files, as one JSON object or as fenced blocks with their paths',
  fix: 'none for this trial, it is graded; another model, or a higher max_output_tokens where the answer was cut',
};

/** Of the stage that ended it before a test was run. */
function wordsBeforeRun(steps: readonly StepRow[]): Problem | null {
  const located = lastOf<Located>(steps, 'localize');
  const ofTest = steps.filter((step) => !isLook(step));
  const adapted = lastOf<AdaptResult>(ofTest, 'execute');
  if (adapted?.message != null) return { message: adapted.message };
  const votes = steps.filter(({ stage }) => stage === 'vote').map(({ result }) => result as unknown as VoteResult);
  if (votes.some(({ accepted }) => accepted)) return null;
  if (votes.length > 0) return { message: votes.map((vote) => votedDown(vote, located)).join('; ') };
  if (located?.localized !== false) return null;
  return { message: 'nothing in the candidate is close to the description' };
}

function votedDown({ match, yes, partial, no, abstained }: VoteResult, located: Located | undefined): string {
  const found = located?.matches[match - 1];
  const counts = Object.entries({ yes, partial, no, abstained }).filter(([, count]) => count > 0);
  const name = found === undefined ? '' : ` ${found.name} (similarity ${found.score.toFixed(2)})`;
  return `match ${match}${name}: ${counts.map(([answer, count]) => `${count} ${answer}`).join(', ')}`;
}

const lastOf = <Result>(steps: readonly StepRow[], wanted: string): Result | undefined =>
  steps.findLast(({ stage }) => stage === wanted)?.result as Result | undefined;

/** From its `report.json`; null where no test was run, it passed, or the blob is gone. */
async function wordsOfRun(steps: readonly StepRow[], blobs: Blobs): Promise<Problem | null> {
  const run = steps.findLast(({ stage, step }) => stage === 'execute' && step === 'run');
  const report = run?.evidence.find(({ name }) => name === 'report.json');
  if (report === undefined || !(await blobs.has(report.sha256))) return null;
  const { message } = await readJsonBlob<{ message?: unknown }>(blobs, report.sha256);
  // On one line: a candidate must not add lines that look like ours.
  return typeof message === 'string' ? { message: message.replace(/\s+/g, ' ') } : null;
}
