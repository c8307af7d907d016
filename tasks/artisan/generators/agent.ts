import { z } from 'zod';
import { bashTool, type Agent, type AgentTool } from '../../../src/agents/agent-tool.js';
import type { AgentEnd } from '../../../src/agents/loop/turns.js';
import { act, think } from '../../../src/agents/turn-stages.js';
import type { StageContext, StageResult } from '../../../src/suite/stage.js';
import { loadPrompt } from '../../../src/suite-kit/load-prompt.js';
import type { ArtisanTask } from '../dataset/artisan-task.js';
import { artifactMount } from '../runs/run-script.js';
import { optionsOf } from '../settings.js';
import type { MadeScript } from './made-script.js';
import { fileList, taskValues } from './task-text.js';

/** What an agent leaves in its folder. */
const SCRIPT = 'repro.sh';

/** A turn of our own loop; null for every other step. */
export async function agentStep(task: ArtisanTask, context: StageContext): Promise<StageResult | null> {
  const [kind] = context.step.split('/');
  if (context.system.generator !== 'agent' || (kind !== 'think' && kind !== 'act')) return null;
  const agent = await agentOf(task, context);
  return kind === 'think' ? think(context, agent) : act(context, agent);
}

async function agentOf(task: ArtisanTask, { suiteFolder, blobs, system }: StageContext): Promise<Agent> {
  const { turn_seconds: seconds } = optionsOf(system);
  const values = { ...taskValues(task), files: fileList(task), seconds: String(seconds) };
  const { image, limits, artifacts } = task;
  const bash = bashTool({
    ...{ image, seconds },
    mounts: [artifactMount(artifacts.whole.sha256, blobs)],
    limits: { memoryBytes: limits.memoryMib * 1024 ** 2, cpuSeconds: seconds },
  });
  const { id, messages } = await loadPrompt(suiteFolder, 'agent.v1', values);
  return { prompt: { id: `${id} ${task.id}`, messages }, tools: [bash, SUBMIT] };
}

const SUBMIT: AgentTool<Record<string, never>> = {
  name: 'submit',
  description: `Ends the work: ${SCRIPT} in the folder, as it is now, is the script.`,
  input: z.strictObject({}),
  isLast: true,
  run: (_context, _input, { workspace }) => Promise.resolve({ observation: 'Submitted.', workspace, seconds: 0 }),
};

/** The step after the last turn: the script that is in the folder. */
export async function leftScript(task: ArtisanTask, context: StageContext): Promise<MadeScript> {
  const { because, turns, workspace } = context.input as unknown as AgentEnd;
  const said = `${turns} turns, ${because}`;
  if (workspace === null) return { script: new Uint8Array(), note: `${said}; nothing was written`, turns };
  const { taken } = await context.sandbox.run({
    ...{ image: task.image, command: ['true'], mounts: [], workspace: { from: workspace }, take: [SCRIPT] },
    poolKey: null,
    owner: { campaignId: context.campaign.id, ownerId: context.owner.id },
    signal: context.signal,
    onProgress: () => context.heartbeat(),
  });
  const script = taken?.files[SCRIPT];
  return script === undefined
    ? { script: new Uint8Array(), note: `${said}; there is no ${SCRIPT} in the folder`, turns }
    : { script, note: said, turns };
}
