import { Context } from '@temporalio/activity';
import type { EvidenceRef } from '../src/contract/evidence.js';
import type { Failure } from '../src/contract/failure.js';
import type { StageCall, StageReply, StepStage } from '../src/contract/stage.js';
import { jsonHash } from '../src/domain/text/content-hash.js';
import { DomainFailure } from '../src/domain/failure/domain-failure.js';
import type { AttemptRecord } from '../src/ports/records.js';
import type { StageResult } from '../src/suite/stage.js';
import { beat, checkResultSize, createSharedAttempts, failedAttempt } from './attempts.js';
import type { ActivityDependencies } from './dependencies.js';
import { isLacking } from './failures.js';
import { createSandboxGate, type SandboxGate } from './sandbox-gate.js';
import { stageContext, stageFunction, suiteOf } from './stage-context.js';
import { createSuiteFiles } from './suite-files.js';
import { limitTime } from './time-limit.js';

const STAGES: readonly StepStage[] = ['harvest', 'generate', 'localize', 'vote', 'execute', 'score', 'prepare'];

type StageActivity = (call: StageCall) => Promise<StageReply>;

/** The six stages and `prepare` as activities: look the step up, else run the suite's function and record it. */
export function createStageActivities(dependencies: ActivityDependencies): Record<StepStage, StageActivity> {
  const shared = createSharedAttempts<StageReply>();
  const gate = createSandboxGate(dependencies.sandbox);
  const checkFiles = createSuiteFiles(dependencies);
  const activity = (stage: StepStage): [StepStage, StageActivity] => [
    stage,
    (call) => {
      const attempt = { dependencies, gate, checkFiles, stage, call, inputHash: jsonHash(call.input) };
      return shared(keyOf(attempt), (wanted) => attemptStep(attempt, wanted));
    },
  ];
  return Object.fromEntries(STAGES.map(activity)) as Record<StepStage, StageActivity>;
}

/** One attempt at one step. */
interface Attempt {
  dependencies: ActivityDependencies;
  gate: SandboxGate;
  checkFiles: ReturnType<typeof createSuiteFiles>;
  stage: StepStage;
  call: StageCall;
  inputHash: string;
}

function keyOf({ call: { owner, n, step }, stage, inputHash }: Attempt): string {
  return JSON.stringify([owner.kind, owner.id, n, stage, step, inputHash]);
}

async function attemptStep(attempt: Attempt, wanted: AbortSignal): Promise<StageReply> {
  const { dependencies, stage, call, inputHash } = attempt;
  const { owner, n, step } = call;
  const startedAt = new Date().toISOString();
  const evidence: EvidenceRef[] = [];
  try {
    const found = await dependencies.records.findStep({ owner, n, stage, step, inputHash });
    if (found !== undefined) return { result: found, reused: true };
    const { result, votes } = await runStage(attempt, evidence, wanted);
    const { epoch } = call;
    const record = attemptRecord(attempt, startedAt, null);
    const standing = await dependencies.records.recordStep({
      ...{ owner, epoch, n, stage, step, inputHash, result, evidence },
      votes: votes ?? [],
      attempt: record,
    });
    return { result: standing, reused: false };
  } catch (error) {
    const told = ofThisWorker(error, dependencies);
    throw await failedAttempt(told, wanted, (failure) => noteFailure(attempt, startedAt, { failure, evidence }));
  }
}

/** What a worker lacks is told with its name, in its log too: others may have it. */
function ofThisWorker(error: unknown, { worker }: ActivityDependencies): unknown {
  if (!isLacking(error)) return error;
  const { type, problem } = error;
  Context.current().log.warn('this worker lacks what a step needs; it gives the step back', { type, ...problem });
  return error.with({ message: `worker ${worker}: ${problem.message}` });
}

/** The record of a failed attempt, written where that is possible, and missed where it is not. */
async function noteFailure(
  attempt: Attempt,
  startedAt: string,
  { failure, evidence }: { failure: Failure; evidence: EvidenceRef[] },
): Promise<void> {
  // Waiting for its turn or for a provider batch is no attempt at anything, and at a slow provider what most end with.
  if (['operator.superseded', 'model.waiting', 'model.batched'].includes(failure.type)) return;
  const { owner, epoch, n, step } = attempt.call;
  const record = { ...attemptRecord(attempt, startedAt, failure), evidence };
  await attempt.dependencies.records
    .recordFailedAttempt({ owner, epoch, n, stage: attempt.stage, step, attempt: record })
    .catch((problem: unknown) => {
      Context.current().log.warn('a failed attempt was not recorded', { problem: String(problem) });
    });
}

function attemptRecord({ dependencies }: Attempt, startedAt: string, failure: AttemptRecord['failure']): AttemptRecord {
  const { attempt } = Context.current().info;
  return { attempt, worker: dependencies.worker, startedAt, endedAt: new Date().toISOString(), failure };
}

/** `evidence`: where what the stage attaches is added, also where it fails. */
async function runStage(attempt: Attempt, evidence: EvidenceRef[], wanted: AbortSignal): Promise<StageResult> {
  const { dependencies, gate, checkFiles, stage, call } = attempt;
  const owner = await dependencies.records.ownerContext(call.owner, call.epoch);
  const suite = suiteOf(dependencies, owner.campaign.spec.suite);
  const run = stageFunction(suite, stage);
  checkFiles(suite.manifest.id);
  const limit = limitTime(wanted);
  try {
    const { signal } = limit;
    const { concurrency, isolation } = owner.campaign.spec;
    const { sandboxLimits: loosened, nestedEngine } = suite.manifest;
    const sandbox = gate({ id: owner.campaign.id, atOnce: concurrency.sandbox, loosened, nestedEngine, isolation });
    const context = stageContext({
      ...{ dependencies, sandbox, stage, call, owner, evidence, signal },
      heartbeat: beat,
    });
    const running = run(context).catch((error: unknown) => {
      // It cannot tell who stopped it: that its time was up is no cancellation, which would end all trials that wait for it.
      throw isCancelled(error) && signal.aborted && !wanted.aborted ? (signal.reason as Error) : error;
    });
    // What it read, and so why it failed, may be of two versions.
    const { result, votes = [] } = await Promise.race([running, limit.exceeded]).finally(() =>
      checkFiles(suite.manifest.id),
    );
    checkResultSize(stage, result);
    return { result, votes };
  } finally {
    limit.clear();
  }
}

const isCancelled = (error: unknown): boolean => error instanceof DomainFailure && error.type === 'operator.cancelled';
