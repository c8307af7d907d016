import { z } from 'zod';
import type { AgentTool, ToolEnd, ToolPlace } from '../../../../src/agents/agent-tool.js';
import type { TurnRecord } from '../../../../src/agents/loop/turns.js';
import type { WorkspaceRef } from '../../../../src/contract/sandbox-result.js';
import type { StageContext } from '../../../../src/suite/stage.js';
import type { ArtisanTask } from '../../dataset/artisan-task.js';
import { judgeTrial } from '../../judge/verdict.js';
import { methodRuns, resultFiles } from '../../runs/artifact-of.js';
import { knownRun } from '../../runs/known-run.js';
import { outputOf, type ScriptRun } from '../../runs/run-script.js';
import { judgeTable } from '../../judge/table.js';
import { optionsOf } from '../../settings.js';
import { staticProblem } from '../made-script.js';
import { confirmable, feedbackText, revealedCells, type Told } from './feedback.js';

/** What an agent leaves in its folder. */
export const SCRIPT = 'repro.sh';

/** A submission as its turn keeps it: for whoever takes the script and counts what was told, never for the model. */
interface Submission {
  /** sha-256 of the script. */
  script: string;
  /** Hidden cells of which the agent now knows that they are right: row and column. */
  revealed: [row: string, column: string][];
}

/** The submissions of an agent, oldest first. */
export const submissionsOf = (turns: readonly TurnRecord[]): Submission[] =>
  turns.flatMap(({ kept }) => (kept?.submission === undefined ? [] : [kept.submission as unknown as Submission]));

/** Hands in the script of the folder. It is run as the judge will run it, and the agent is told so much as its system allows. */
export function submitTool(task: ArtisanTask): AgentTool<Record<string, never>> {
  return {
    name: 'submit',
    description: `Hands in ${SCRIPT} of the folder, as it is now.`,
    input: z.strictObject({}),
    run: (context, _input, place) => submit(task, context, place),
  };
}

async function submit(task: ArtisanTask, context: StageContext, { workspace, earlier }: ToolPlace): Promise<ToolEnd> {
  const { submissions: most, feedback, method_feedback: tellsMethod } = optionsOf(context.system);
  const script = workspace === null ? undefined : await scriptIn(workspace, task, context);
  if (script === undefined)
    return { observation: `Nothing was submitted: there is no ${SCRIPT} in the folder.`, workspace, seconds: 0 };
  const number = submissionsOf(await earlier()).length + 1;
  const label = { name: `submission-${number}.sh`, mediaType: 'text/plain; charset=utf-8' };
  const { sha256 } = await context.attach(script, label);
  if (feedback === 'none')
    return {
      ...keptAs({ script: sha256, revealed: [] }),
      observation: 'Submitted.',
      workspace,
      seconds: 0,
      isLast: true,
    };
  const { told, seconds } = await tried(task, context, { script, tellsMethod });
  const observation = feedbackText(told, { number, most, feedback });
  const isLast = told.end === 'accepted' || number >= most;
  const revealed = revealedCells(told, feedback);
  return { ...keptAs({ script: sha256, revealed }), observation, workspace, seconds, isLast };
}

const keptAs = (submission: Submission): Pick<ToolEnd, 'kept'> => ({
  kept: { submission: { script: submission.script, revealed: submission.revealed } },
});

/** Judges a script by the cells that may be confirmed; the others count for nothing here, so that nothing is told of them. */
async function tried(
  task: ArtisanTask,
  context: StageContext,
  { script, tellsMethod }: { script: Uint8Array; tellsMethod: boolean },
): Promise<{ told: Told; seconds: number }> {
  const refusal = staticProblem(script);
  const shape = confirmable(task.shape, context.drawingKey('cells that are never confirmed'));
  if (refusal !== null) return { told: { end: 'refused', reason: refusal, shape, run: null, table: null }, seconds: 0 };
  const done: Record<string, ScriptRun> = {};
  const run = async (name: string): Promise<ScriptRun> => {
    const { run: ran, isKnown } = await knownRun(context, { task, script, run: name });
    done[name] = isKnown ? { ...ran, seconds: 0 } : ran;
    return ran;
  };
  const seconds = (): number => Object.values(done).reduce((sum, each) => sum + each.seconds, 0);
  const whole = await run('whole');
  const output = outputOf(whole);
  const table = output === null ? null : judgeTable(shape, task.printed, output);
  const about = { shape, run: whole, table };
  if (table === null || table.problem !== null)
    return { told: { ...about, end: 'failed', reason: null }, seconds: seconds() };
  if (!table.right) return { told: { ...about, end: 'wrong', reason: null }, seconds: seconds() };
  if (tellsMethod) for (const name of methodRuns(task)) await run(name);
  const text = Buffer.from(script).toString('utf8');
  const making = { turns: null, submissions: null, revealed: null, formatted: null, workSeconds: null };
  const judged = tellsMethod
    ? judgeTrial({
        ...{ task: { ...task, shape }, script: text, refusal: null, making, runs: done },
        results: await resultFiles(task, context.blobs),
      })
    : null;
  const isCopied = judged?.status === 'copied';
  return {
    told: { ...about, end: isCopied ? 'copied' : 'accepted', reason: judged?.reason ?? null },
    seconds: seconds(),
  };
}

/** The script in a folder; undefined where there is none. */
export async function scriptIn(
  workspace: WorkspaceRef,
  { image }: Pick<ArtisanTask, 'image'>,
  context: StageContext,
): Promise<Uint8Array | undefined> {
  const { taken } = await context.sandbox.run({
    ...{ image, command: ['true'], mounts: [], workspace: { from: workspace }, take: [SCRIPT] },
    poolKey: null,
    owner: { campaignId: context.campaign.id, ownerId: context.owner.id },
    signal: context.signal,
    onProgress: () => context.heartbeat(),
  });
  return taken?.files[SCRIPT];
}
