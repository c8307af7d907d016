import type { Verdict } from '../../../src/contract/verdict.js';
import type { StageFunction } from '../../../src/suite/stage.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';
import { judgeTrial } from '../judge/verdict.js';
import type { Opinion, Scored } from '../results.js';
import { resultFiles } from '../runs/artifact-of.js';
import type { ScriptRun } from '../runs/run-script.js';
import { loadTask } from './load-task.js';

/** The verdict, from script and runs as they were kept: repeated by `regrade`, it runs nothing again. */
export const score: StageFunction = async (context) => {
  const { script, refusal, note, making, runs, opinion } = context.input as Scored;
  const [task, text] = await Promise.all([loadTask(context), context.blobs.get(script)]);
  const results = await resultFiles(task, context.blobs);
  const named = await Promise.all(
    Object.entries(runs).map(
      async ([name, evidence]) => [name, await readJsonBlob<ScriptRun>(context.blobs, evidence)] as const,
    ),
  );
  const evidence = { task, script: text.toString('utf8'), refusal, making, runs: Object.fromEntries(named), results };
  const { verdict, ...report } = judgeTrial(evidence);
  const whole = evidence.runs.whole;
  const told =
    whole === undefined
      ? null
      : { ended: whole.ended, exitCode: whole.exitCode, stderr: whole.stderr, opened: whole.opened };
  // Shown beside the verdict, which does not know it.
  const said = opinion === undefined ? {} : { opinion: await readJsonBlob<Opinion>(context.blobs, opinion) };
  const details = { task: task.id, note, ...report, whole: told, ...said };
  await context.attach(JSON.stringify(details, null, 1), { name: 'judgement.json', mediaType: 'application/json' });
  const result: VerdictJson = verdict;
  return { result };
};

type VerdictJson = { [Key in keyof Verdict]: Verdict[Key] };
