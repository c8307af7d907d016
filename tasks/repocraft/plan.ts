import type { SuitePlans } from '../../src/contract/suite.js';
import type { GenerationPlan, TrialBrief, TrialPlan, TrialStages } from '../../src/contract/trial.js';
import type { CandidateRef } from '../../src/contract/candidate.js';
import type { JsonObject } from '../../src/contract/json.js';
import type { Verdict } from '../../src/contract/verdict.js';
import type { AdaptResult, CanaryResult, Located, RunResult, ScoreInput, VoteResult } from './results.js';
import { buildProject } from './dataset/plan.js';
import { repocraftManifest } from './suite.js';

/** A shared candidate is one `generate` step, or the work of the generator's own workflow. */
const makeCandidate: GenerationPlan = (generation, stages) => {
  const { workflow, step } = generation.settings;
  if (typeof workflow === 'string') return stages.inWorkflow(workflow);
  return stages.generate<CandidateRef & JsonObject>({
    step: typeof step === 'string' ? step : 'candidate',
    summary: `make the candidate of ${generation.systemId} for ${generation.scope}`,
  });
};

/** One trial: is the capability in the candidate (localize), is it the right one (vote), does it work (execute)? */
const gradeTask: TrialPlan = async (trial, stages) => {
  await stages.harvest({ summary: 'load the task' });
  await stages.generate({ summary: 'verify the candidate' });
  const located = await locate(trial, stages);
  const votes = await voteUntilAccepted(trial, located, stages);
  const accepted = votes.find((vote) => vote.accepted) ?? null;
  if (accepted === null) stages.skip('execute', votes.length === 0 ? 'nothing to vote on' : 'no match was accepted');
  const executed = accepted === null ? { adapted: null, run: null, canary: null } : await execute(accepted, stages);
  const graded: ScoreInput = { located, votes, ...executed };
  return stages.score<Verdict & JsonObject>({ input: graded, summary: 'say what it amounts to' });
};

async function locate(trial: TrialBrief, stages: TrialStages): Promise<Located> {
  if (trial.settings.voter !== 'oracle') return stages.localize<Located>({ summary: 'search the candidate' });
  stages.skip('localize', 'the oracle voter hands the targets over');
  return { searched: false, localized: true, matches: [] };
}

/** The first accepted match wins; the others are not voted on. */
async function voteUntilAccepted(trial: TrialBrief, located: Located, stages: TrialStages): Promise<VoteResult[]> {
  const top = Number(trial.settings.top);
  const matches = located.searched ? located.matches.slice(0, top).map((match) => match.entry) : [null];
  if (!located.localized) {
    stages.skip('vote', 'nothing in the candidate is close to the description');
    return [];
  }
  const votes: VoteResult[] = [];
  for (const [index, entry] of matches.entries()) {
    const match = index + 1;
    const input = { match, entry };
    votes.push(await stages.vote<VoteResult>({ step: `match-${match}`, input, summary: `vote match ${match}` }));
    if (votes.at(-1)?.accepted) break;
  }
  return votes;
}

/** What follows on an accepted match: the test bound to it, run, and run altered where a canary is due. */
export async function execute(
  accepted: Pick<VoteResult, 'entry'>,
  stages: TrialStages,
): Promise<Pick<ScoreInput, 'adapted' | 'run' | 'canary'>> {
  const adapted = await adapt(accepted, stages);
  if (adapted.adapted === null) return { adapted, run: null, canary: null };
  const run = await runTest(adapted.adapted, stages);
  const canary = run?.canaryDue ? await runCanary(adapted.adapted, stages) : null;
  return { adapted, run, canary };
}

const adapt = (accepted: Pick<VoteResult, 'entry'>, stages: TrialStages): Promise<AdaptResult> =>
  stages.execute<AdaptResult>({
    step: 'adapt',
    input: { entry: accepted.entry },
    summary: 'bind the test to the candidate',
  });

const runTest = (adapted: string, stages: TrialStages): Promise<RunResult> =>
  stages.execute<RunResult>({ step: 'run', input: { adapted }, summary: 'run the test' });

const runCanary = (adapted: string, stages: TrialStages): Promise<CanaryResult> =>
  stages.execute<CanaryResult>({ step: 'canary', input: { adapted }, summary: 'run it altered, to see it fail' });

/** RepoCraft for the workflow side. */
export const repocraftPlans: SuitePlans = {
  manifest: repocraftManifest,
  trial: gradeTask,
  generation: makeCandidate,
  datasetBuild: buildProject,
};
