import type { StageContext } from '../../../src/suite/stage.js';
import { recallJson, rememberJson } from '../../../src/suite-kit/json-blobs.js';
import type { ArtisanTask } from '../dataset/artisan-task.js';
import { isRemembering } from '../settings.js';
import { artifactOf } from './artifact-of.js';
import { runKey, runScript, type ScriptRun } from './run-script.js';

/** A run of a script, and whether it is one that this installation had done before. */
export async function knownRun(
  context: StageContext,
  { task, script, run: name }: { task: ArtisanTask; script: Uint8Array; run: string },
): Promise<{ run: ScriptRun; isKnown: boolean }> {
  const { blobs, sandbox, signal, campaign, owner } = context;
  const artifact = artifactOf(task, name);
  const key = runKey(script, { artifact, image: await sandbox.imageDigest(task.image), limits: task.limits });
  // Whoever retries a trial wants to see it run.
  const mayRecall = isRemembering(campaign.spec) && (context.samples ?? 1) === 1;
  const known = mayRecall ? await recallJson<ScriptRun>(blobs, key) : null;
  if (known !== null) return { run: known, isKnown: true };
  const run = await runScript(script, {
    ...{ task, artifact, blobs, sandbox, signal },
    owner: { campaignId: campaign.id, ownerId: owner.id },
    onProgress: () => context.heartbeat(),
  });
  // What a busy machine may have had a hand in is looked at anew.
  const isSettled = run.ended !== 'timeout' && run.ended !== 'memory';
  if (isSettled) await rememberJson(blobs, { key, name: runFile(name) }, run);
  return { run, isKnown: false };
}

/** What the evidence of a run is called. */
export const runFile = (run: string): string => `run-${run.replace('/', '-')}.json`;
