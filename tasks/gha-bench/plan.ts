import type { SuitePlans } from '../../src/contract/suite.js';
import type { TrialPlan } from '../../src/contract/trial.js';
import type { Verdict } from '../../src/contract/verdict.js';
import type { Generated, Harvested, Linted, Localized, Scored } from './results.js';
import { ghaBenchManifest } from './suite.js';

/** One trial: a question, its answer as files, and what the layers say of them. Deterministic: no clock, no randomness, no I/O. */
const ghaTrial: TrialPlan = async (trial, stages) => {
  const { question, stated } = await stages.harvest<Harvested>();
  const { candidate, refusal, notes } = await stages.generate<Generated>({
    ...(trial.settings.asks === true ? { step: 'ask', summary: 'ask the model' } : {}),
    input: { question },
  });
  const { isValid } = await stages.localize<Localized>({ input: { candidate } });
  if (!isValid) stages.skip('execute', 'GitHub would not take the files');
  const linted = isValid
    ? await stages.execute<Linted>({ step: 'lint', input: { candidate }, summary: 'run the linters' })
    : null;
  const input: Scored = { candidate, refusal, notes, stated, lint: linted?.lint ?? null };
  return stages.score<Verdict>({ input });
};

/** What the workflow side knows of GHA-Bench; listed in `tasks/plans.ts`. */
export const ghaBenchPlans: SuitePlans = { manifest: ghaBenchManifest, trial: ghaTrial };
