import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageFunction } from '../../../src/suite/stage.js';
import type { Executed, Execution } from '../results.js';
import { recallJson, rememberJson } from '../../../src/suite-kit/json-blobs.js';
import { unpackFiles } from '../../../src/suite-kit/packed-files.js';
import { isWhole, runKey, runScenario, type ScenarioEvidence } from '../runs/run-scenario.js';
import { isRemembering } from '../settings.js';
import { lintCandidate } from './lint-candidate.js';
import { loadTask } from './load-task.js';

/** `lint`: the linters look at the files; each other step runs them as a scenario of the task says. */
export const execute: StageFunction = (context) =>
  context.step === 'lint' ? lintCandidate(context) : runWorkflow(context);

/** Keeps what came of it; `score` judges it. What this installation has run before is not run again. */
const runWorkflow: StageFunction = async (context) => {
  const { candidate, scenario: id } = context.input as Execution;
  const [task, tree] = await Promise.all([loadTask(context), unpackFiles(context.blobs, candidate)]);
  const scenario = task.scenarios.find((each) => each.id === id);
  if (scenario === undefined) throw new DomainFailure('harness.bug', `task ${task.id} has no scenario ${id}`);
  const texts = [...tree].map(([path, bytes]) => [path, Buffer.from(bytes).toString('utf8')]);
  const { blobs, sandbox, suiteFolder, signal } = context;
  const files = { ...task.repo, ...(Object.fromEntries(texts) as Record<string, string>) };
  const name = `act-${id}.json`;
  const key = await runKey({ scenario, files, suiteFolder, sandbox });
  // Whoever retries a trial wants to see it run.
  const mayRecall = isRemembering(context.campaign.spec) && (context.samples ?? 1) === 1;
  const known = mayRecall ? await recallJson<ScenarioEvidence>(blobs, key) : null;
  const evidence =
    known ??
    (await runScenario({
      ...{ scenario, files, sandbox, suiteFolder, signal },
      owner: { campaignId: context.campaign.id, ownerId: context.owner.id },
      onProgress: () => context.heartbeat(),
    }));
  const { sha256 } = await context.attach(JSON.stringify(evidence), { name, mediaType: 'application/json' });
  if (known === null && isWhole(evidence)) await rememberJson(blobs, { key, name }, evidence);
  const { refused, runs } = evidence;
  const seconds = Math.round(runs.reduce((sum, run) => sum + run.seconds, 0) * 1000) / 1000;
  const ended = runs.map((run) => run.ended);
  const told = { scenario: id, evidence: sha256, refused: refused.length, seconds, ended };
  return { result: { ...told, remembered: known !== null } satisfies Executed };
};
