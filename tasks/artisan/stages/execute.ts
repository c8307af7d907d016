import type { StageFunction } from '../../../src/suite/stage.js';
import { recallJson, rememberJson } from '../../../src/suite-kit/json-blobs.js';
import { judgeTable } from '../judge/table.js';
import type { Executed, Execution } from '../results.js';
import { outputOf, runKey, runScript, type ScriptRun } from '../runs/run-script.js';
import { isRemembering } from '../settings.js';
import { artifactOf, loadTask } from './load-task.js';

/** One run of the script, in a container of its own; `score` judges it. What this installation has run before is not run again. */
export const execute: StageFunction = async (context) => {
  const { script: sha256, run: name } = context.input as Execution;
  const { blobs, sandbox, signal, campaign, owner } = context;
  const [task, script] = await Promise.all([loadTask(context), blobs.get(sha256)]);
  const artifact = artifactOf(task, name);
  const key = runKey(script, { artifact, image: await sandbox.imageDigest(task.image), limits: task.limits });
  // Whoever retries a trial wants to see it run.
  const mayRecall = isRemembering(campaign.spec) && (context.samples ?? 1) === 1;
  const known = mayRecall ? await recallJson<ScriptRun>(blobs, key) : null;
  const run =
    known ??
    (await runScript(script, {
      ...{ task, artifact, blobs, sandbox, signal },
      owner: { campaignId: campaign.id, ownerId: owner.id },
      onProgress: () => context.heartbeat(),
    }));
  const file = `run-${name.replace('/', '-')}.json`;
  const evidence = await context.attach(JSON.stringify(run), { name: file, mediaType: 'application/json' });
  // What a busy machine may have had a hand in is looked at anew.
  const isSettled = run.ended !== 'timeout' && run.ended !== 'memory';
  if (known === null && isSettled) await rememberJson(blobs, { key, name: file }, run);
  const output = outputOf(run);
  const right = output !== null && judgeTable(task.shape, task.printed, output).right;
  const { ended, seconds } = run;
  return {
    result: { evidence: evidence.sha256, right, ended, seconds, remembered: known !== null } satisfies Executed,
  };
};
