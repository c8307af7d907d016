import { Context } from '@temporalio/activity';
import type { EvidenceRef } from '../src/contract/evidence.js';
import type { Json } from '../src/contract/json.js';
import type { StageCall, StageReply, StepStage } from '../src/contract/stage.js';
import { jsonHash } from '../src/domain/content-hash.js';
import { DomainFailure } from '../src/domain/domain-failure.js';
import { jsonBytes, STEP_LIMIT_BYTES } from '../src/domain/step-size.js';
import type { AttemptRecord } from '../src/ports/records.js';
import type { StageResult } from '../src/ports/suite.js';
import type { ActivityDependencies } from './dependencies.js';
import { abortKind, shutdownFailure, toApplicationFailure, toFailure, type FailureCounts } from './failures.js';
import { createSandboxGate, type SandboxGate } from './sandbox-gate.js';
import { stageContext, stageFunction, suiteOf } from './stage-context.js';
import { limitTime } from './time-limit.js';

/** Three beats within the heartbeat timeout of 10 s. */
const HEARTBEAT_MS = 3_000;
const STAGES: readonly StepStage[] = ['harvest', 'generate', 'localize', 'vote', 'execute', 'score', 'prepare'];

type StageActivity = (call: StageCall) => Promise<StageReply>;

/** The six stages and `prepare` as activities: look the step up, else run the suite's function and record it. */
export function createStageActivities(dependencies: ActivityDependencies): Record<StepStage, StageActivity> {
  // After a long silence of the server an attempt is started again while the first one still works: they share it.
  const inFlight = new Map<string, Promise<StageReply>>();
  const gate = createSandboxGate(dependencies.sandbox);
  const activity = (stage: StepStage): [StepStage, StageActivity] => [
    stage,
    (call) => joined(inFlight, { dependencies, gate, stage, call, inputHash: jsonHash(call.input) }),
  ];
  return Object.fromEntries(STAGES.map(activity)) as Record<StepStage, StageActivity>;
}

/** One attempt at one step. */
interface Attempt {
  dependencies: ActivityDependencies;
  gate: SandboxGate;
  stage: StepStage;
  call: StageCall;
  inputHash: string;
}

async function joined(inFlight: Map<string, Promise<StageReply>>, attempt: Attempt): Promise<StageReply> {
  const { owner, n, step } = attempt.call;
  const key = JSON.stringify([owner.kind, owner.id, n, attempt.stage, step, attempt.inputHash]);
  const stopBeating = startHeartbeat();
  try {
    const first = inFlight.get(key);
    const shared = await first?.catch(() => undefined);
    if (shared) return shared;
    const own = attemptStep(attempt);
    inFlight.set(key, own);
    return await own.finally(() => inFlight.get(key) === own && inFlight.delete(key));
  } finally {
    stopBeating();
  }
}

async function attemptStep(attempt: Attempt): Promise<StageReply> {
  const { dependencies, stage, call, inputHash } = attempt;
  const { owner, n, step } = call;
  const startedAt = new Date().toISOString();
  try {
    const found = await dependencies.records.findStep({ owner, n, stage, step, inputHash });
    if (found !== undefined) return { result: found, reused: true };
    const { result, votes, evidence } = await runStage(attempt);
    const { epoch } = call;
    const record = attemptRecord(attempt, startedAt, null);
    const standing = await dependencies.records.recordStep({
      ...{ owner, epoch, n, stage, step, inputHash, result, evidence },
      votes: votes ?? [],
      attempt: record,
    });
    return { result: standing, reused: false };
  } catch (error) {
    throw await ended(attempt, startedAt, error);
  }
}

/** What a failed attempt throws; its record is written where that is possible, and missed where it is not. */
async function ended(attempt: Attempt, startedAt: string, error: unknown): Promise<Error> {
  const { cancellationSignal } = Context.current();
  const abort = abortKind(cancellationSignal);
  if (abort === 'shutdown') return shutdownFailure();
  if (abort === 'cancelled') return cancellationSignal.reason as Error;
  const failure = toFailure(error);
  const counts = failureCounts();
  // Waiting for its turn is no attempt at anything, and at a slow provider it is what most attempts end with.
  if (failure.type !== 'operator.superseded' && failure.type !== 'model.waiting') {
    const { owner, epoch, n, step } = attempt.call;
    const record = attemptRecord(attempt, startedAt, failure);
    await attempt.dependencies.records
      .recordFailedAttempt({ owner, epoch, n, stage: attempt.stage, step, attempt: record })
      .catch((problem: unknown) => {
        Context.current().log.warn('a failed attempt was not recorded', { problem: String(problem) });
      });
  }
  // The last details of an attempt are handed to the next one: so each type is counted by itself.
  Context.current().heartbeat({ ...counts, [failure.type]: (counts[failure.type] ?? 0) + 1 });
  return toApplicationFailure(error, counts);
}

function attemptRecord({ dependencies }: Attempt, startedAt: string, failure: AttemptRecord['failure']): AttemptRecord {
  const { attempt } = Context.current().info;
  return { attempt, worker: dependencies.worker, startedAt, endedAt: new Date().toISOString(), failure };
}

async function runStage(attempt: Attempt): Promise<StageResult & { evidence: EvidenceRef[] }> {
  const { dependencies, gate, stage, call } = attempt;
  const owner = await dependencies.records.ownerContext(call.owner, call.epoch);
  const suite = suiteOf(dependencies, owner.campaign.spec.suite);
  const run = stageFunction(suite, stage);
  const evidence: EvidenceRef[] = [];
  const limit = limitTime();
  try {
    const { signal } = limit;
    const { concurrency, isolation } = owner.campaign.spec;
    const loosened = suite.manifest.sandboxLimits;
    const sandbox = gate({ id: owner.campaign.id, atOnce: concurrency.sandbox, loosened, isolation });
    const context = stageContext({
      ...{ dependencies, sandbox, stage, call, owner, evidence, signal },
      heartbeat: beat,
    });
    const { result, votes = [] } = await Promise.race([run(context), limit.exceeded]);
    checkSize(stage, result);
    return { result, votes, evidence };
  } finally {
    limit.clear();
  }
}

function checkSize(stage: StepStage, result: Json): void {
  const bytes = jsonBytes(result);
  if (bytes <= STEP_LIMIT_BYTES) return;
  const advice = 'return ids, hashes and counts, and attach the bytes as evidence';
  throw new DomainFailure('harness.bug', `${stage} returned ${bytes} bytes; at most ${STEP_LIMIT_BYTES}: ${advice}`);
}

function startHeartbeat(): () => void {
  beat();
  const timer = setInterval(beat, HEARTBEAT_MS);
  return () => clearInterval(timer);
}

/** Every beat repeats the counts: the last details are what the next attempt gets. */
function beat(): void {
  Context.current().heartbeat(failureCounts());
}

function failureCounts(): FailureCounts {
  return (Context.current().info.heartbeatDetails ?? {}) as FailureCounts;
}
