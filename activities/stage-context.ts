import type { CandidateRef } from '../src/contract/candidate.js';
import type { EvidenceRef } from '../src/contract/evidence.js';
import type { StageCall, StepStage } from '../src/contract/stage.js';
import { drawingKey } from '../src/domain/drawing-key.js';
import { DomainFailure } from '../src/domain/failure/domain-failure.js';
import type { OwnerContext } from '../src/ports/records.js';
import type { Sandbox } from '../src/ports/sandbox.js';
import type { StageContext, StageFunction } from '../src/suite/stage.js';
import type { Suite } from '../src/suite/suite.js';
import type { ActivityDependencies } from './dependencies.js';

/** @throws DomainFailure `suite.missing`: the worker is older than the campaign, or lacks the package of its suite */
export function suiteOf({ suites }: ActivityDependencies, id: string): Suite {
  const suite = suites.find(({ manifest }) => manifest.id === id);
  if (suite) return suite;
  throw new DomainFailure('suite.missing', {
    message: `this worker does not have the suite ${id}`,
    fix: 'install its package where the worker runs, name it in DURABENCH_SUITES or package.json, and start the worker again',
  });
}

/** What runs a stage of the suite. */
export function stageFunction(suite: Suite, stage: StepStage): StageFunction {
  // Not every suite with shared candidates has something to prepare.
  if (stage === 'prepare') return suite.prepare ?? (async () => ({ result: null }));
  const run = suite.stages[stage];
  if (!run) throw new DomainFailure('harness.bug', `${suite.manifest.id} has no function for its stage ${stage}`);
  return run;
}

/** What is stored for a workspace is evidence of the step: so it stays as long as the trial may go on from it. */
function keepingWorkspaces(sandbox: Sandbox, keep: (ref: EvidenceRef) => void): Sandbox {
  return {
    ...sandbox,
    run: async (run) => {
      const result = await sandbox.run(run);
      result.workspace?.stored.forEach(keep);
      return result;
    },
  };
}

/** Everything a stage may touch. What it attaches, and what its questions leave, is added to `evidence`. */
export function stageContext(parts: {
  dependencies: ActivityDependencies;
  /** Held to what the campaign may run at once. */
  sandbox: Sandbox;
  stage: StepStage;
  call: StageCall;
  owner: OwnerContext;
  evidence: EvidenceRef[];
  signal: AbortSignal;
  heartbeat: () => void;
}): StageContext {
  const { dependencies, sandbox, stage, call, owner, evidence, signal, heartbeat } = parts;
  const { campaign, systemId, repeat, task, scope, settings, candidate, prepared, fresh, run, secret } = owner;
  const system = campaign.spec.systems.find(({ id }) => id === systemId);
  if (!system) throw new DomainFailure('harness.bug', `the campaign has no system ${systemId}`);
  const { blobs, embedder, memory } = dependencies;
  const { step, epoch } = call;
  const asker = {
    account: { kind: 'campaign' as const, id: campaign.id },
    epoch,
    owner: owner.owner,
    stage,
    step,
    fresh,
    repeat,
    run,
    spec: campaign.spec,
    system,
    signal,
  };
  const keep = (ref: EvidenceRef): void => {
    // A call asked again within the attempt leaves the same evidence.
    if (!evidence.some(({ name }) => name === ref.name)) evidence.push(ref);
  };
  return {
    ...{
      campaign,
      owner: owner.owner,
      system,
      repeat,
      task,
      scope,
      settings,
      prepared,
      blobs,
      sandbox: keepingWorkspaces(sandbox, keep),
      embedder,
      memory,
      signal,
    },
    // The candidate is not in the record yet while it is prepared: the plan hands it over.
    candidate: stage === 'prepare' ? (call.input as unknown as CandidateRef) : candidate,
    step,
    input: call.input,
    suiteFolder: dependencies.suiteFolder(campaign.spec.suite),
    drawingKey: (purpose) => drawingKey(secret, task?.id ?? null, purpose),
    earlier: (steps) => dependencies.records.findSteps({ owner: owner.owner, stage, steps }),
    ask: async (question) => {
      const asked = await dependencies.ask(asker, question);
      asked.evidence.forEach(keep);
      return asked.answer;
    },
    // Of a run that asked for fresh samples only its own count.
    samples: fresh === 0 ? call.n : call.n - fresh + 1,
    attach: async (bytes, label) => {
      const ref = await blobs.put(bytes, label);
      keep(ref);
      return ref;
    },
    attachStream: async (bytes, label) => {
      const ref = await blobs.putStream(bytes, label);
      keep(ref);
      return ref;
    },
    heartbeat,
  };
}
