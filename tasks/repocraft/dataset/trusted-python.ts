import type { Json } from '../../../src/contract/json.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { ContentMount, SandboxRun } from '../../../src/ports/sandbox.js';
import type { DatasetTools } from '../../../src/suite/dataset.js';
import { REPOCRAFT_LIMITS } from '../suite.js';
import type { ProjectSettings } from './project-settings.js';

/** What every sandbox run of dataset work shares. */
export function sandboxRun(
  project: ProjectSettings,
  tools: Pick<DatasetTools, 'signal'>,
  mounts: ContentMount[],
): SandboxRun {
  return {
    image: project.image,
    command: [],
    mounts,
    limits: REPOCRAFT_LIMITS.dataset,
    poolKey: null,
    owner: { campaignId: 'dataset', ownerId: `repocraft/${project.project}` },
    signal: tools.signal,
  };
}

/**
 * Runs Python of ours, on the reference alone, and parses its answer.
 * @throws DomainFailure `harness.bug`: whatever goes wrong in it is a bug of ours
 */
export async function answerOf(tools: Pick<DatasetTools, 'sandbox'>, run: SandboxRun): Promise<Json> {
  const result = await tools.sandbox.run(run);
  const { exitCode, timedOut, outOfMemory, stdout, stderr } = result;
  if (exitCode === 0 && !stdout.truncated) return JSON.parse(stdout.bytes.toString('utf8')) as Json;
  const why = timedOut ? 'timed out' : outOfMemory ? 'ran out of memory' : `ended with ${String(exitCode)}`;
  const log = stderr.bytes.toString('utf8').trim().split('\n').slice(-8).join('\n');
  throw new DomainFailure('harness.bug', `${run.command.join(' ')} ${why}: ${log}`);
}
