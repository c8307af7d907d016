import type { StageFunction } from '../../../src/suite/stage.js';
import { judgeTable } from '../judge/table.js';
import type { Executed, Execution } from '../results.js';
import { knownRun, runFile } from '../runs/known-run.js';
import { outputOf } from '../runs/run-script.js';
import { loadTask } from './load-task.js';
import { opinion } from './opinion.js';

/** One run of the script, in a container of its own; `score` judges it. What this installation has run before is not run again. */
export const execute: StageFunction = async (context) => {
  if (context.step === 'opinion') return opinion(context);
  const { script: sha256, run: name } = context.input as Execution;
  const [task, script] = await Promise.all([loadTask(context), context.blobs.get(sha256)]);
  const { run, isKnown } = await knownRun(context, { task, script, run: name });
  const label = { name: runFile(name), mediaType: 'application/json' };
  const evidence = await context.attach(JSON.stringify(run), label);
  const output = outputOf(run);
  const right = output !== null && judgeTable(task.shape, task.printed, output).right;
  const { ended, seconds } = run;
  return { result: { evidence: evidence.sha256, right, ended, seconds, remembered: isKnown } satisfies Executed };
};
