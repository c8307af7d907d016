import { bashTool, type Agent, type AgentTool } from '../../../../src/agents/agent-tool.js';
import type { AgentEnd } from '../../../../src/agents/loop/turns.js';
import { act, think, turnsUpTo } from '../../../../src/agents/turn-stages.js';
import type { StageContext, StageResult } from '../../../../src/suite/stage.js';
import { loadPrompt } from '../../../../src/suite-kit/load-prompt.js';
import type { ArtisanTask } from '../../dataset/artisan-task.js';
import { artifactMount } from '../../runs/run-script.js';
import { optionsOf, type ArtisanOptions } from '../../settings.js';
import type { MadeScript } from '../made-script.js';
import { fileList, taskValues } from '../task-text.js';
import { SCRIPT, scriptIn, submissionsOf, submitTool } from './submission.js';
import { formatTool, getTool } from './table-tools.js';

/** A turn of our own loop; null for every other step. */
export async function agentStep(task: ArtisanTask, context: StageContext): Promise<StageResult | null> {
  const [kind] = context.step.split('/');
  if (context.system.generator !== 'agent' || (kind !== 'think' && kind !== 'act')) return null;
  const agent = await agentOf(task, context);
  return kind === 'think' ? think(context, agent) : act(context, agent);
}

async function agentOf(task: ArtisanTask, { suiteFolder, blobs, system }: StageContext): Promise<Agent> {
  const options = optionsOf(system);
  const { turn_seconds: seconds } = options;
  const { image, limits, artifacts } = task;
  const bash = bashTool({
    ...{ image, seconds },
    mounts: [artifactMount(artifacts.whole.sha256, blobs)],
    limits: { memoryBytes: limits.memoryMib * 1024 ** 2, cpuSeconds: seconds },
  });
  const further: AgentTool[] = options.tools === 'bash' ? [] : [getTool(task), formatTool(task)];
  const { id, messages } = await loadPrompt(suiteFolder, 'agent.v3', agentValues(task, options));
  return { prompt: { id: `${id} ${task.id}`, messages }, tools: [bash, ...further, submitTool(task)] };
}

/** The blanks of an agent's prompt. */
export const agentValues = (task: ArtisanTask, options: ArtisanOptions): Record<string, string> => ({
  ...taskValues(task),
  files: fileList(task),
  seconds: String(options.turn_seconds),
  submitting: submittingText(options),
});

function submittingText({ feedback, submissions }: ArtisanOptions): string {
  if (feedback === 'none') return 'When its table is right, call `submit`: it ends the work.';
  const told = feedback === 'status' ? 'whether it is right' : 'which cells are right; of some cells nothing is told';
  return `When its table is right, call \`submit\`. You may do so ${submissions} times, and are told ${told}. The last one counts.`;
}

/** The step after the last turn: the script that was submitted last, or else the one that is in the folder. */
export async function leftScript(task: ArtisanTask, context: StageContext): Promise<MadeScript> {
  const { because, turns, seconds, workspace, history } = context.input as unknown as AgentEnd;
  const records = await turnsUpTo(context, history);
  const submitted = submissionsOf(records);
  const revealed = new Set(submitted.flatMap((each) => each.revealed.map((cell) => JSON.stringify(cell)))).size;
  const formatted = records.filter(({ said }) => said.action?.tool === 'format').length;
  const counts = { turns, submissions: submitted.length, revealed, formatted, workSeconds: seconds };
  const made = { note: `${turns} turns, ${because}`, ...counts };
  const last = submitted.at(-1);
  if (last !== undefined) return { ...made, script: await context.blobs.get(last.script) };
  if (workspace === null) return { ...made, script: new Uint8Array(), note: `${made.note}; nothing was written` };
  const script = await scriptIn(workspace, task, context);
  return script === undefined
    ? { ...made, script: new Uint8Array(), note: `${made.note}; there is no ${SCRIPT} in the folder` }
    : { ...made, script };
}
