import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageFunction } from '../../../src/suite/stage.js';
import type { Executed, Execution } from '../results.js';
import { runScenario } from '../runs/run-scenario.js';
import { candidateFiles } from './candidate-files.js';
import { lintCandidate } from './lint-candidate.js';
import { loadTask } from './load-task.js';

/** `lint`: the linters look at the files; each other step runs them as a scenario of the task says. */
export const execute: StageFunction = (context) =>
  context.step === 'lint' ? lintCandidate(context) : runWorkflow(context);

/** Keeps what came of it; `score` judges it. */
const runWorkflow: StageFunction = async (context) => {
  const { candidate, scenario: id } = context.input as Execution;
  const [task, tree] = await Promise.all([loadTask(context), candidateFiles(context.blobs, candidate)]);
  const scenario = task.scenarios.find((each) => each.id === id);
  if (scenario === undefined) throw new DomainFailure('harness.bug', `task ${task.id} has no scenario ${id}`);
  const texts = [...tree].map(([path, bytes]) => [path, Buffer.from(bytes).toString('utf8')]);
  const { sandbox, suiteFolder, signal } = context;
  const evidence = await runScenario({
    ...{ scenario, sandbox, suiteFolder, signal },
    files: { ...task.repo, ...(Object.fromEntries(texts) as Record<string, string>) },
    owner: { campaignId: context.campaign.id, ownerId: context.owner.id },
    onProgress: () => context.heartbeat(),
  });
  const label = { name: `act-${id}.json`, mediaType: 'application/json' };
  const { sha256 } = await context.attach(JSON.stringify(evidence), label);
  const { refused, runs } = evidence;
  const seconds = Math.round(runs.reduce((sum, run) => sum + run.seconds, 0) * 1000) / 1000;
  const ended = runs.map((run) => run.ended);
  return { result: { scenario: id, evidence: sha256, refused: refused.length, seconds, ended } satisfies Executed };
};
