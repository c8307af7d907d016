import { join } from 'node:path';
import type { JsonObject } from '../../../src/contract/json.js';
import type { DatasetTools } from '../../../src/suite/dataset.js';
import { pythonFolder } from '../python-folder.js';
import { mountedFiles } from '../../../src/suite-kit/packed-files.js';
import type { ProjectSettings } from './project-settings.js';
import type { ReleaseFiles } from './reference-release.js';
import { answerOf, sandboxRun } from './trusted-python.js';

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
