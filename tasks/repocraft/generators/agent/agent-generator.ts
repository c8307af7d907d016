import { z } from 'zod';
import { bashTool, type Agent, type AgentTool } from '../../../../src/agents/agent-tool.js';
import type { AgentEnd } from '../../../../src/agents/loop/turns.js';
import { act, think } from '../../../../src/agents/turn-stages.js';
import { DomainFailure } from '../../../../src/domain/failure/domain-failure.js';
import type { StageContext, StageResult } from '../../../../src/suite/stage.js';
import { loadPrompt } from '../../../../src/suite-kit/load-prompt.js';
import { REPOCRAFT_LIMITS } from '../../suite.js';
import { loopSettings } from '../agent-settings.js';
import { PLANNING_LIMITS, type Generator } from '../generator.js';
import { leftRepository, REPOSITORY } from '../left-repository.js';
import { purposeOf } from '../purposes.js';
import { storedCandidate } from '../stored-candidate.js';

/** Our own loop on the task that `command` gives to others: one thought and one command a turn, in a folder that stays. */
export const agentGenerator: Generator = {
  needsModel: true,
  needsPath: false,
  purposes: ['generate'],
  phase: 'generate',
  description: 'our own agent: one thought and one command of bash a turn, in a folder that stays',
  provenance: 'generated',
  limits: PLANNING_LIMITS,
  options: ['image', 'turns', 'turn_seconds', 'work_seconds', 'purpose'],
  agent: ({ options }) => {
    const { turns, work_seconds: seconds } = loopSettings.parse(options);
    return { turns, seconds };
  },
  step: async (context) => {
    if (context.step === 'collect') return collect(context);
    const agent = await agentOf(context);
    if (context.step.startsWith('think/')) return think(context, agent);
    if (context.step.startsWith('act/')) return act(context, agent);
    throw new DomainFailure('harness.bug', `the agent has no step ${context.step}`);
  },
};

async function agentOf(context: StageContext): Promise<Agent> {
  const { image, turn_seconds: seconds } = loopSettings.parse(context.system.options);
  const { title, text, dependencies } = purposeOf(context);
  const values = { title, purpose: text, dependencies: dependencies.join(', ') || 'nothing', seconds: String(seconds) };
  return {
    prompt: await loadPrompt(context.suiteFolder, 'agent.v1', values),
    tools: [bashTool({ image, seconds, limits: REPOCRAFT_LIMITS.agent }), SUBMIT],
  };
}

const SUBMIT: AgentTool<Record<string, never>> = {
  name: 'submit',
  description: `Ends the work: the folder ${REPOSITORY} as it is now is the repository.`,
  input: z.strictObject({}),
  isLast: true,
  run: (_context, _input, { workspace }) => Promise.resolve({ observation: 'Submitted.', workspace, seconds: 0 }),
};

/** The step after the last turn: the folder as the candidate. */
async function collect(context: StageContext): Promise<StageResult> {
  const { because, turns, workspace } = context.input as unknown as AgentEnd;
  const { image } = loopSettings.parse(context.system.options);
  const taken =
    workspace === null
      ? { files: {}, tooLarge: false }
      : (
          await context.sandbox.run({
            ...{ image, command: ['true'], mounts: [], workspace: { from: workspace }, take: [REPOSITORY] },
            ...{ poolKey: null, limits: REPOCRAFT_LIMITS.agent },
            owner: { campaignId: context.campaign.id, ownerId: context.owner.id },
            signal: context.signal,
            onProgress: () => context.heartbeat(),
          })
        ).taken;
  const left = leftRepository(taken);
  const said = `${turns} turns, ${because}`;
  return storedCandidate(context, { ...left, note: left.note === null ? said : `${said}; ${left.note}` }, 'generated');
}
