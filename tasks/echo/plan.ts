import type { CandidateRef } from '../../src/contract/candidate.js';
import type { SuitePlans } from '../../src/contract/suite.js';
import type { GenerationPlan, TrialPlan } from '../../src/contract/trial.js';
import type { Verdict } from '../../src/contract/verdict.js';
import type { Executed, Generated, Harvested, Localized, Scored, Voted } from './results.js';
import { echoManifest } from './suite.js';

/** How one trial runs, reading like the benchmark's specification. Deterministic: no clock, no randomness, no I/O. */
const echoTrial: TrialPlan = async (trial, stages) => {
  const score = (input: Scored): Promise<Verdict> => stages.score<Verdict>({ input });

  const { task } = await stages.harvest<Harvested>();
  const { answer } = await stages.generate<Generated>({ ...howToGenerate(trial.settings.generator), input: { task } });
  const { line } = await stages.localize<Localized>({ input: { answer } });
  if (line === null) {
    stages.skip('vote', 'there is no line to vote on');
    stages.skip('execute', 'there is no line to compare');
    return score({ localized: false, accepted: null, equal: null });
  }
  const { accepted } = await stages.vote<Voted>({ input: { answer, line }, summary: `vote line ${line}` });
  if (!accepted) {
    stages.skip('execute', 'the voters refused the line');
    return score({ localized: true, accepted, equal: null });
  }
  const { equal } = await stages.execute<Executed>({ input: { answer, line } });
  return score({ localized: true, accepted, equal });
};

/** Where tasks share a candidate (`dataset: { share: true }`): all answers of a group at once. */
const echoGeneration: GenerationPlan = (_generation, stages) =>
  stages.generate<CandidateRef>({ summary: 'answer the whole group' });

function howToGenerate(generator: unknown): { step?: string; summary?: string } {
  return generator === 'model' ? { step: 'ask', summary: 'ask the model' } : {};
}

/** What the workflow side knows of echo; listed in `tasks/plans.ts`. */
export const echoPlans: SuitePlans = { manifest: echoManifest, trial: echoTrial, generation: echoGeneration };
