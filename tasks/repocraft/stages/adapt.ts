import type { StageContext, StageFunction } from '../../../src/suite/stage.js';
import { DIFF_TYPE, keepTest } from '../adaptation/adapted-test.js';
import { BINDINGS_FILE, createBinder, type Binder, type Bound, type Choice } from '../adaptation/bind.js';
import { renameTest } from '../adaptation/rename-test.js';
import { closestTo } from '../adaptation/stand-in.js';
import { preparedOf, readIndex, type CandidateIndex } from '../candidate/candidate-index.js';
import { parseReference } from '../candidate/reference-candidate.js';
import type { RepocraftTask } from '../dataset/repocraft-task.js';
import type { AdaptResult } from '../results.js';
import { lineDiff } from '../../../src/suite-kit/line-diff.js';
import { shortText } from '../../../src/suite-kit/short-text.js';
import { loadTask } from './load-task.js';

/**
 * Binds the reference names of the task's test to the candidate's symbols; mechanical, by syntax tree. A second look may ask for guesses
 * at names beside the target that nothing answers to (`guess`: 1 = the closest to them, 2 = the next).
 */
export const adaptTest: StageFunction = async (context) => {
  const { entry, guess = 0 } = context.input as { entry: number | null; guess?: number };
  const task = await loadTask(context);
  const { reference, candidate, bind } = await librariesOf(context, task.project);
  const voted = entry === null ? null : (candidate.entries[entry] ?? null);
  const standIns = new Map<string, Choice>();
  let bound = bind({ task, voted, standIns });
  while (guess > 0 && bound.kind === 'refused' && bound.unbound !== undefined && bound.isOffTarget !== true) {
    const { path, taken } = bound.unbound;
    const standIn = await closestTo(context, path, { reference, candidate, taken, place: guess });
    if (standIn === null) break;
    standIns.set(path, standIn);
    bound = bind({ task, voted, standIns });
  }
  return { result: await adapted(context, task, reference, bound) };
};

/** Both libraries, and what binds tests of the one to the other. */
interface Bindable {
  reference: CandidateIndex;
  candidate: CandidateIndex;
  bind: Binder;
}

async function librariesOf(context: StageContext, project: string): Promise<Bindable> {
  const own = preparedOf(context.prepared).index;
  const { sha256 } = await parseReference(context, project);
  const [reference, candidate] = await Promise.all([readIndex(context, sha256), readIndex(context, own)]);
  return { reference, candidate, bind: binderOf({ reference, candidate }) };
}

const binders = new WeakMap<CandidateIndex, WeakMap<CandidateIndex, Binder>>();

/**
 * The same for every trial of a candidate. A binder lives as long as both of its indexes do: it is never what keeps one of
 * them in memory, and the room it takes is counted with them.
 */
export function binderOf({ reference, candidate }: Omit<Bindable, 'bind'>): Binder {
  const ofCandidate = binders.get(candidate) ?? new WeakMap<CandidateIndex, Binder>();
  const bind = ofCandidate.get(reference) ?? createBinder({ reference, candidate });
  binders.set(candidate, ofCandidate.set(reference, bind));
  return bind;
}

async function adapted(
  context: StageContext,
  task: RepocraftTask,
  reference: CandidateIndex,
  bound: Bound,
): Promise<AdaptResult> {
  if (bound.kind === 'refused') return refusal(bound);
  if (bound.kind === 'identical') return keepTest(context, task, task.test_code);
  const { bindings, isOffTarget } = bound;
  await context.attach(JSON.stringify(bindings, null, 1), { name: BINDINGS_FILE, mediaType: 'application/json' });
  const answer = await renameTest(context, task, { packages: reference.packages, bindings });
  if ('code' in answer) return refusal(answer);
  const diff = lineDiff(task.test_code, answer.test_code);
  await context.attach(diff, { name: 'adaptation.diff', mediaType: DIFF_TYPE });
  const kept = { ...(await keepTest(context, task, answer.test_code)), renamed: bindings.length };
  return isOffTarget === true ? { ...kept, isOffTarget } : kept;
}

const refusal = ({
  code,
  message,
  isOffTarget,
}: {
  code: string;
  message: string;
  isOffTarget?: true;
}): AdaptResult => ({
  adapted: null,
  refused: code,
  message: shortText(message, 600),
  renamed: 0,
  ...(isOffTarget === true ? { isOffTarget } : {}),
});
