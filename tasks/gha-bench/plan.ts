import type { SuitePlans } from '../../src/contract/suite.js';
import type { TrialPlan, TrialSpec, TrialStages } from '../../src/contract/trial.js';
import type { Verdict } from '../../src/contract/verdict.js';
import type { Executed, Execution, Generated, Harvested, Linted, Localized, Scored } from './results.js';
import { ghaBenchManifest } from './suite.js';

/** One trial: a question, its answer as files, and what the layers say of them. Deterministic: no clock, no randomness, no I/O. */
const ghaTrial: TrialPlan = async (trial, stages) => {
  const { question, stated, scenarios } = await stages.harvest<Harvested>();
  const { candidate, refusal, notes } = await stages.generate<Generated>({
    ...(trial.settings.asks === true ? { step: 'ask', summary: 'ask the model' } : {}),
    input: { question },
  });
  const { isValid } = await stages.localize<Localized>({ input: { candidate } });
  const linted = isValid
    ? await stages.execute<Linted>({ step: 'lint', input: { candidate }, summary: 'run the linters' })
    : null;
  const why = whyNotRun(trial, { isValid, scenarios });
  if (why !== null && linted === null) stages.skip('execute', why);
  const runs = why === null ? await runAll(stages, candidate, scenarios) : null;
  const input: Scored = { candidate, refusal, notes, stated, lint: linted?.lint ?? null, runs };
  return stages.score<Verdict>({ input });
};

function whyNotRun(
  { settings }: TrialSpec,
  of: Pick<Localized, 'isValid'> & Pick<Harvested, 'scenarios'>,
): string | null {
  if (!of.isValid) return 'GitHub would not take the files';
  if (settings.executes !== true) return 'the campaign says judge: { execute: none }';
  return of.scenarios.length === 0 ? 'nothing that the prompt states can be run' : null;
}

async function runAll(
  stages: TrialStages,
  candidate: string,
  scenarios: string[],
): Promise<NonNullable<Scored['runs']>> {
  const runs: NonNullable<Scored['runs']> = [];
  for (const scenario of scenarios) {
    const input: Execution = { candidate, scenario };
    const summary = `run the workflow: ${scenario}`;
    const { evidence } = await stages.execute<Executed>({ step: `act/${scenario}`, input, summary });
    runs.push({ scenario, evidence });
  }
  return runs;
}

/** What the workflow side knows of GHA-Bench; listed in `tasks/plans.ts`. */
export const ghaBenchPlans: SuitePlans = { manifest: ghaBenchManifest, trial: ghaTrial };
