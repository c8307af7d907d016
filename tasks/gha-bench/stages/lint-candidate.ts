import type { StageContext, StageResult } from '../../../src/suite/stage.js';
import { recallJson, rememberJson } from '../../../src/suite-kit/json-blobs.js';
import { unpackFiles } from '../../../src/suite-kit/packed-files.js';
import { checkEnds, lintKey, runLinters } from '../lint/run-linters.js';
import type { LintEnd } from '../lint/tool-report.js';
import type { Generated, Linted } from '../results.js';
import { actionFiles, workflowFiles } from '../syntax/check-syntax.js';
import { loadTask } from './load-task.js';

/** What the linters say of a candidate; where this installation knows it already, they are not run again. */
export async function lintCandidate(context: StageContext): Promise<StageResult> {
  const { blobs, sandbox, suiteFolder, signal } = context;
  const { candidate } = context.input as Pick<Generated, 'candidate'>;
  const [task, files] = await Promise.all([loadTask(context), unpackFiles(blobs, candidate)]);
  const looked = { files, project: task.repo, suiteFolder, sandbox };
  const key = await lintKey(looked);
  const known = await recallJson<LintEnd>(blobs, key);
  const end =
    known ??
    (await runLinters({
      ...looked,
      workflows: workflowFiles(files.keys()),
      actions: actionFiles(files.keys()),
      owner: { campaignId: context.campaign.id, ownerId: context.owner.id },
      signal,
      onProgress: () => context.heartbeat(),
    }));
  const { sha256 } = await context.attach(JSON.stringify(end, null, 1), {
    name: 'lint.json',
    mediaType: 'application/json',
  });
  if ('evidence' in end) checkEnds(end.evidence);
  if (known === null) await rememberJson(blobs, { key, name: 'lint.json' }, end);
  return { result: { lint: sha256, remembered: known !== null } satisfies Linted };
}
