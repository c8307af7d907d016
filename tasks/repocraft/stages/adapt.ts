import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { DomainFailure } from '../../../src/domain/domain-failure.js';
import type { SandboxResult } from '../../../src/ports/sandbox.js';
import type { StageContext, StageFunction } from '../../../src/ports/suite.js';
import { readProjectSettings } from '../dataset/project-settings.js';
import type { RepocraftTask } from '../dataset/repocraft-task.js';
import { referencePackage } from '../dataset/task-blobs.js';
import type { AdaptedTest, AdaptResult } from '../results.js';
import { REPOCRAFT_LIMITS } from '../suite.js';
import { bindTask, type Binding, type Bound } from './bind.js';
import { preparedOf, readIndex, type CandidateIndex } from './candidate-index.js';
import { lineDiff } from './line-diff.js';
import { loadTask } from './load-task.js';
import { parseCandidate } from './parse-candidate.js';
import { shortText } from './short-text.js';

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

/** The true library, parsed like a candidate: tells where the names a test uses are defined, and what kind they are. */
async function referenceIndex(context: StageContext, project: string): Promise<CandidateIndex> {
  const tar = await referencePackage(context.blobs, await readProjectSettings(project, context.suiteFolder));
  const { sha256, sizeBytes } = await context.blobs.put(tar, { name: 'reference.tar', mediaType: 'application/x-tar' });
  const ref = await parseCandidate(context, { sha256, sizeBytes, files: 0, provenance: 'reference' });
  return JSON.parse((await context.blobs.get(ref.sha256)).toString('utf8')) as CandidateIndex;
}

async function adapted(
  context: StageContext,
  task: RepocraftTask,
  reference: CandidateIndex,
  bound: Bound,
): Promise<AdaptResult> {
  if (bound.kind === 'refused') return refusal(bound);
  if (bound.kind === 'identical') return keep(context, task, task.test_code, 0);
  const answer = await rewrite(context, task, reference.packages, bound.bindings);
  if ('code' in answer) return refusal(answer);
  const diff = lineDiff(task.test_code, answer.test_code);
  await context.attach(diff, { name: 'adaptation.diff', mediaType: 'text/plain; charset=utf-8' });
  return keep(context, task, answer.test_code, bound.bindings.length);
}

async function keep(
  context: StageContext,
  task: RepocraftTask,
  testCode: string,
  renamed: number,
): Promise<AdaptResult> {
  const test: AdaptedTest = { testCode, auxiliaryCode: task.auxiliary_code };
  const stored = await context.attach(JSON.stringify(test), {
    name: 'adapted-test.json',
    mediaType: 'application/json',
  });
  return { adapted: stored.sha256, refused: null, message: null, renamed };
}

const refusal = ({ code, message }: { code: string; message: string }): AdaptResult => ({
  adapted: null,
  refused: code,
  message: shortText(message, 600),
  renamed: 0,
});

type Rewritten = { test_code: string } | { code: string; message: string };

async function rewrite(
  context: StageContext,
  task: RepocraftTask,
  packages: string[],
  bindings: Binding[],
): Promise<Rewritten> {
  const tool = await readFile(path.join(context.suiteFolder, 'python', 'candidate', 'adapt.py'), 'utf8');
  const result = await context.sandbox.run({
    image: 'base',
    command: ['python3', '-s', '-E', '-B', '/work/adapt.py', '/work/request.json'],
    files: { 'adapt.py': tool, 'request.json': JSON.stringify({ test_code: task.test_code, packages, bindings }) },
    mounts: [],
    limits: REPOCRAFT_LIMITS.adapt,
    // Only our own tool and the task's text run in there, so the tasks of a campaign may share it.
    poolKey: `${context.campaign.id}/adapt`,
    owner: { campaignId: context.campaign.id, ownerId: context.owner.id },
    signal: context.signal,
    onProgress: () => context.heartbeat(),
  });
  return readAnswer(result);
}

function readAnswer(result: SandboxResult): Rewritten {
  if (result.exitCode === 0 && !result.stdout.truncated) {
    return JSON.parse(result.stdout.bytes.toString('utf8')) as Rewritten;
  }
  const complaint = result.stderr.bytes.toString('utf8').trim().slice(-500);
  throw new DomainFailure('harness.bug', `adapt.py ended with ${result.exitCode ?? 'a kill'}: ${complaint}`);
}
