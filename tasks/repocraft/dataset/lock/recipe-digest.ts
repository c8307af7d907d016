import type { JsonObject } from '../../../../src/contract/json.js';
import { jsonHash, sha256Hex } from '../../../../src/domain/text/content-hash.js';
import { toolFiles } from '../dataset-tool.js';
import type { ProjectSettings } from '../project-settings.js';

/** sha-256 over everything of ours that decides what the tasks are. */
export async function recipeDigest(project: ProjectSettings, suiteFolder: string): Promise<string> {
  const files = await toolFiles(project, suiteFolder);
  const hashes = [...files].map(([path, bytes]) => [path, sha256Hex(bytes)]).sort();
  const { settings, overrides, pin } = project;
  return jsonHash({ settings, overrides, pin, hashes } as unknown as JsonObject);
}
