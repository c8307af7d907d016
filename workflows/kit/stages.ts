import { ActivityFailure, CancelledFailure, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import type { Json } from '../../src/contract/json.js';
import type { OwnerRef, StageName, StepStage } from '../../src/contract/stage.js';
import type { SuiteManifest } from '../../src/contract/suite.js';
import type { StepCall, TrialStages } from '../../src/contract/trial.js';
import type { SkippedStage } from '../../src/contract/verdict.js';
import { DomainFailure } from '../../src/domain/failure/domain-failure.js';
import { jsonBytes, STEP_LIMIT_BYTES } from '../../src/domain/campaign/step-size.js';
import { failureOf } from './failure-of.js';
import { stageOptions } from './options.js';
import { ownNames } from './children.js';

/** On whose behalf stages run. */
export interface StageCaller {
  manifest: SuiteManifest;
  owner: OwnerRef;
  epoch: number;
  n: number;
}

/** Schedules one stage and waits for its result; cancellation passes, every other failure becomes a `DomainFailure`. */
export async function callStage<Result>(caller: StageCaller, stage: StepStage, call: StepCall = {}): Promise<Result> {
  const { manifest, owner, epoch, n } = caller;
  const step = call.step ?? '';
  checkSize(stage, call.input ?? null);
  const summary = call.summary ?? `${stage} ${step}`.trim();
  const options = { ...stageOptions(ownNames(), manifest, stage, step), summary };
  const activities = proxyActivities<Activities>(options);
  try {
    const reply = await activities[stage]({ owner, epoch, n, step, input: call.input ?? null });
    return reply.result as Result;
  } catch (error) {
    if (isCancellation(error)) throw error;
    // Cancelled while an attempt was failing that would have been made again: the server hands out what it failed with.
    if (error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED')
      throw new CancelledFailure('cancelled', [], error);
    const { type, ...problem } = failureOf(error);
    throw new DomainFailure(type, problem);
  }
}

/** @throws DomainFailure `harness.bug` for an input that is too large for a history */
export function checkSize(stage: string, input: Json): void {
  const size = jsonBytes(input);
  if (size <= STEP_LIMIT_BYTES) return;
  const advice = 'hand on ids, hashes and counts';
  throw new DomainFailure(
    'harness.bug',
    `the input of ${stage} has ${size} bytes; at most ${STEP_LIMIT_BYTES}: ${advice}`,
  );
}

/** The stage functions of a plan, and the list in which `skip` notes what was left out; `pass` asks whether it may go on. */
export function createStages(
  caller: StageCaller,
  pass: () => Promise<void>,
): { stages: TrialStages; skipped: SkippedStage[] } {
  const skipped: SkippedStage[] = [];
  const stageFunction =
    (stage: StageName) =>
    <Result>(call?: StepCall): Promise<Result> =>
      callStage<Result>(caller, stage, call);
  const stages: TrialStages = {
    harvest: stageFunction('harvest'),
    generate: stageFunction('generate'),
    localize: stageFunction('localize'),
    vote: stageFunction('vote'),
    execute: stageFunction('execute'),
    score: stageFunction('score'),
    skip: (stage, reason) => void skipped.push({ stage, reason }),
    pass,
  };
  return { stages, skipped };
}

/** A contract type as plain JSON. Types with named fields are JSON too; TypeScript cannot see it. */
export function asJson(value: object): Json {
  return value as unknown as Json;
}
