import type { Json } from '../../../src/contract/json.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import { REPOCRAFT_LIMITS } from '../suite.js';
import { printed, scriptFiles, type TreeContext } from './tree-reader.js';

/** A program of ours in `python/candidate/` that rewrites tests, and what it is asked. */
interface ToolRun {
  /** `adapt.py`. */
  tool: string;
  /** Further files of the folder it imports. */
  with: string[];
  request: Json | object;
}

/** What a program of ours needs: it reads no tree. */
export type ToolContext = Omit<TreeContext, 'blobs'>;

/** Runs such a program in the base image, for its version of Python's syntax; its answer is one JSON value. */
export async function runPythonTool<Answer>(context: ToolContext, run: ToolRun): Promise<Answer> {
  const scripts = await scriptFiles(context.suiteFolder, [run.tool, ...run.with]);
  const files = { 'request.json': JSON.stringify(run.request), ...scripts };
  const result = await context.sandbox.run({
    image: 'base',
    command: ['python3', '-s', '-E', '-B', `/work/${run.tool}`, '/work/request.json'],
    files,
    mounts: [],
    limits: REPOCRAFT_LIMITS.adapt,
    // Only our own tools and the tasks' texts run in there, so the tasks of a campaign may share it.
    poolKey: `${context.campaign.id}/adapt`,
    owner: { campaignId: context.campaign.id, ownerId: context.owner.id },
    signal: context.signal,
    onProgress: () => context.heartbeat(),
  });
  const answer = printed<Answer>(result);
  if (answer !== null) return answer;
  const complaint = result.stderr.bytes.toString('utf8').trim().slice(-500);
  throw new DomainFailure('harness.bug', `${run.tool} ended with ${result.exitCode ?? 'a kill'}: ${complaint}`);
}
