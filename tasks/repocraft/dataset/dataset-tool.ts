import { join } from 'node:path';
import type { Json, JsonObject } from '../../../src/contract/json.js';
import { DomainFailure } from '../../../src/domain/domain-failure.js';
import type { ContentMount, SandboxRun } from '../../../src/ports/sandbox.js';
import type { DatasetTools } from '../../../src/ports/suite.js';
import { pythonFolder } from '../python-folder.js';
import { REPOCRAFT_LIMITS } from '../suite.js';
import { mountedFiles } from '../archives/packed-files.js';
import type { ProjectSettings } from './project-settings.js';
import type { ReleaseFiles } from './reference-release.js';

/** Runs `python/dataset` on an unpacked release, in a container without network. */
export interface DatasetTool {
  /** One request, one answer; see `python/dataset/__main__.py` for the modes. */
  ask(request: JsonObject & { mode: 'plan' | 'number' | 'extract' }): Promise<JsonObject>;
}

/** A dataset tool for one project's release. */
export async function createDatasetTool(
  project: ProjectSettings,
  release: ReleaseFiles,
  tools: DatasetTools,
): Promise<DatasetTool> {
  const mounts = await Promise.all([
    mountedFiles(onlyPython(release), '/release'),
    mountedFiles(await toolFiles(project, tools.suiteFolder), '/tool'),
  ]);
  return {
    async ask(request) {
      const stdin = JSON.stringify({ ...request, settings: project.settings });
      const command = ['python3', '/tool/dataset', '/release', '/tool/shims'];
      return (await answerOf(tools, { ...sandboxRun(project, tools, mounts), command, stdin })) as JsonObject;
    },
  };
}

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

/** Runs trusted Python in the sandbox and parses its answer. Whatever goes wrong in it is a bug of ours. */
export async function answerOf(tools: Pick<DatasetTools, 'sandbox'>, run: SandboxRun): Promise<Json> {
  const result = await tools.sandbox.run(run);
  const { exitCode, timedOut, outOfMemory, stdout, stderr } = result;
  if (exitCode === 0 && !stdout.truncated) return JSON.parse(stdout.bytes.toString('utf8')) as Json;
  const why = timedOut ? 'timed out' : outOfMemory ? 'ran out of memory' : `ended with ${String(exitCode)}`;
  const log = stderr.bytes.toString('utf8').trim().split('\n').slice(-8).join('\n');
  throw new DomainFailure('harness.bug', `${run.command.join(' ')} ${why}: ${log}`);
}

/** `python/dataset` and the project's shims, as mounted. */
export async function toolFiles(project: ProjectSettings, suiteFolder: string): Promise<Map<string, Buffer>> {
  return new Map([
    ...(await pythonFolder(join(suiteFolder, 'python/dataset'), 'dataset')),
    ...(await pythonFolder(join(suiteFolder, 'shims', project.settings.shimFolder), 'shims')),
  ]);
}

function onlyPython(release: ReleaseFiles): ReleaseFiles {
  return new Map([...release].filter(([path]) => path.endsWith('.py')));
}
