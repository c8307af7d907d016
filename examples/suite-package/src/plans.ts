import type { SuitePlans, TrialPlan, Verdict } from 'durabench/workflow-kit';
import { manifest } from './manifest.js';
import type { Executed, Generated } from './results.js';

/** One trial: ask, run, score. Runs in Temporal's sandbox, so it does nothing but call stages. */
const trial: TrialPlan = async (_trial, stages) => {
  const { pattern } = await stages.generate<Generated>();
  if (pattern === null) {
    stages.skip('execute', 'the answer has no pattern');
    return stages.score<Verdict>({ input: { pattern, ran: null } });
  }
  const ran = await stages.execute<Executed>({ input: { pattern }, summary: 'match all texts' });
  return stages.score<Verdict>({ input: { pattern, ran } });
};

/** What the workflow side knows of the suite; named in package.json (`durabench.suite.plans`). */
export const plans: SuitePlans = { manifest, trial };
