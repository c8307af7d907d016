import { runAgent } from '../../src/agents/loop/run-agent.js';
import type { AgentLimits } from '../../src/agents/loop/turns.js';
import type { SuitePlans } from '../../src/contract/suite.js';
import type { TrialPlan, TrialSpec, TrialStages } from '../../src/contract/trial.js';
import type { Verdict } from '../../src/contract/verdict.js';
import { buildStudy } from './dataset/plan.js';
import type { Executed, Execution, Generated, Harvested, Opined, Scored } from './results.js';
import { artisanManifest } from './suite.js';

/** One trial: a script, what it prints, and what it does where it cannot copy. Deterministic: no clock, no randomness, no I/O. */
const artisanTrial: TrialPlan = async (trial, stages) => {
  const harvested = await stages.harvest<Harvested>();
  const { script, refusal, note, making } = await makeScript(trial, stages);
  if (refusal !== null) stages.skip('execute', 'there is no script to run');
  const runs = refusal === null ? await runAll(script, harvested, stages) : { right: false, evidence: {} };
  const opinion = trial.settings.opinion === true && runs.right ? await opine(script, stages) : {};
  const input: Scored = { script, refusal, note, making, runs: runs.evidence, ...opinion };
  return stages.score<Verdict>({ input });
};

/** An agent works turn by turn; the script that it submitted last, or else that its folder holds, is the candidate. */
async function makeScript({ settings }: TrialSpec, stages: TrialStages): Promise<Generated> {
  const { agent, step } = settings;
  if (agent === undefined)
    return stages.generate<Generated>(typeof step === 'string' ? { step, summary: SUMMARIES[step] ?? step } : {});
  const { because, turns, seconds, workspace, history } = await runAgent(stages, agent as unknown as AgentLimits);
  const input = { because, turns, seconds, history, workspace: workspace && { ...workspace } };
  return stages.generate<Generated>({ step: 'collect', input, summary: 'take the script' });
}

const SUMMARIES: Readonly<Record<string, string>> = { ask: 'ask the model', program: 'run the program' };

/** On the whole artifact; where the table is right then, also on every artifact that tells copies from computations. */
async function runAll(
  script: string,
  { runs: further }: Harvested,
  stages: TrialStages,
): Promise<{ right: boolean; evidence: Scored['runs'] }> {
  const run = (name: string, summary: string): Promise<Executed> => {
    const input: Execution = { script, run: name };
    return stages.execute<Executed>({ step: `judge/${name}`, input, summary });
  };
  const whole = await run('whole', 'run the script');
  const evidence: Scored['runs'] = { whole: whole.evidence };
  if (!whole.right) return { right: false, evidence };
  for (const name of further) evidence[name] = (await run(name, summaryOf(name))).evidence;
  return { right: true, evidence };
}

/** What a model says of the script, beside what the runs say. */
async function opine(script: string, stages: TrialStages): Promise<Pick<Scored, 'opinion'>> {
  const call = { step: 'opinion', input: { script }, summary: 'ask what the text says' };
  return { opinion: (await stages.execute<Opined>(call)).evidence };
}

function summaryOf(run: string): string {
  if (run === 'withheld') return 'run it without result files';
  return run === 'underived' ? 'run it without derived files' : `run it on altered data: ${run.replace('twin/', '')}`;
}

/** What the workflow side knows of Artisan-Bench; listed in `tasks/plans.ts`. */
export const artisanPlans: SuitePlans = { manifest: artisanManifest, trial: artisanTrial, datasetBuild: buildStudy };
