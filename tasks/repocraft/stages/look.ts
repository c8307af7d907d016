import type { StageContext, StageFunction } from '../../../src/suite/stage.js';
import { readTest } from '../adaptation/adapted-test.js';
import type { AdaptResult, LookResult } from '../results.js';
import { rememberForgery } from './control-due.js';
import { adaptTest } from './adapt.js';
import { loadTask } from './load-task.js';
import { attachReport, isDishonest, runOnCandidate } from './run-test.js';

/** What the plan asks: a match with its entry, whether names are guessed, and the tests (blobs) that have failed in this trial. */
type LookInput = Pick<LookResult, 'match' | 'isVotedOn' | 'isAccepted' | 'guess'> & { entry: number; tried: string[] };

/** Binds the test to a match, and runs it there; a test that has failed already is not run again. */
export const lookAtMatch: StageFunction = async (context) => {
  const { match, isVotedOn, isAccepted, guess, tried } = context.input as LookInput;
  const { adapted, refused, isOffTarget } = (await adaptTest(context)).result as AdaptResult;
  const seen: LookResult = {
    ...{ match, isVotedOn, passed: false, reason: refused, adapted },
    ...(isAccepted === undefined ? {} : { isAccepted }),
    ...(guess === undefined ? {} : { guess }),
  };
  // Whatever passed would not be this match.
  if (isOffTarget === true) return { result: { ...seen, reason: OTHER_KIND, adapted: null } };
  if (adapted === null) return { result: seen };
  if (tried.includes(adapted)) return { result: { ...seen, reason: SAME_TEST } };
  return { result: { ...seen, ...(await tryTest(context, adapted)) } };
};

/** The match cannot stand for the task's main target: a method for a function. */
const OTHER_KIND = 'look.other-kind';

/** Bound to this match the test is what it was bound to another one. */
const SAME_TEST = 'look.same-test';

async function tryTest(context: StageContext, adapted: string): Promise<Pick<LookResult, 'passed' | 'reason'>> {
  const task = await loadTask(context);
  const { testCode } = await readTest(context.blobs, adapted);
  const report = await runOnCandidate(context, { task, testCode, before: null, select: task.functions });
  await attachReport(context, report);
  if (isDishonest(report)) await rememberForgery(context);
  return { passed: report.passed, reason: report.reason };
}
