import type { StageContext, StageFunction } from '../../../src/ports/suite.js';
import type { RepocraftTask } from '../dataset/repocraft-task.js';
import type { AdaptedTest, AdaptResult } from '../results.js';
import { bindTask, type Binding, type Bound } from '../adaptation/bind.js';
import { preparedOf, readIndex, type CandidateIndex } from '../candidate/candidate-index.js';
import { lineDiff } from '../text/line-diff.js';
import { loadTask } from './load-task.js';
import { referenceIndex } from '../candidate/reference-candidate.js';
import { runPythonTool, type ToolContext } from '../candidate/python-tool.js';
import { shortText } from '../text/short-text.js';

/** Evidence with the {@link Binding}s of a test that was renamed. */
export const BINDINGS = 'bindings.json';

/** Binds the reference names of the task's test to the candidate's symbols; mechanical, by syntax tree. */
export const adaptTest: StageFunction = async (context) => {
  const { entry } = context.input as { entry: number | null };
  const task = await loadTask(context);
  const candidate = await readIndex(context.blobs, preparedOf(context.prepared));
  const reference = await referenceIndex(context, task.project);
  const voted = entry === null ? null : (candidate.entries[entry] ?? null);
  const bound = bindTask({ task, reference, candidate, voted });
  return { result: await adapted(context, task, reference, bound) };
};

async function adapted(
  context: StageContext,
  task: RepocraftTask,
  reference: CandidateIndex,
  bound: Bound,
): Promise<AdaptResult> {
  if (bound.kind === 'refused') return refusal(bound);
  if (bound.kind === 'identical') return keepTest(context, task, task.test_code);
  await context.attach(JSON.stringify(bound.bindings, null, 1), { name: BINDINGS, mediaType: 'application/json' });
  const answer = await rewriteTest(context, task, { packages: reference.packages, bindings: bound.bindings });
  if ('code' in answer) return refusal(answer);
  const diff = lineDiff(task.test_code, answer.test_code);
  await context.attach(diff, { name: 'adaptation.diff', mediaType: DIFF_TYPE });
  return { ...(await keepTest(context, task, answer.test_code)), renamed: bound.bindings.length };
}

/** Media type of what `durabench show` prints of a trial. */
export const DIFF_TYPE = 'text/x-diff; charset=utf-8';

/** Stores a test that is ready to be run. */
export async function keepTest(context: StageContext, task: RepocraftTask, testCode: string): Promise<AdaptResult> {
  const test: AdaptedTest = { testCode, auxiliaryCode: task.auxiliary_code };
  const stored = await context.attach(JSON.stringify(test), {
    name: 'adapted-test.json',
    mediaType: 'application/json',
  });
  return { adapted: stored.sha256, refused: null, message: null, renamed: 0 };
}

const refusal = ({ code, message }: { code: string; message: string }): AdaptResult => ({
  adapted: null,
  refused: code,
  message: shortText(message, 600),
  renamed: 0,
});

type Rewritten = { test_code: string } | { code: string; message: string };

/** The test with its reference names replaced, or why that cannot be done safely. */
export function rewriteTest(
  context: ToolContext,
  task: RepocraftTask,
  { packages, bindings }: { packages: string[]; bindings: Binding[] },
): Promise<Rewritten> {
  const request = { test_code: task.test_code, packages, bindings };
  return runPythonTool<Rewritten>(context, { tool: 'adapt.py', with: [], request });
}
