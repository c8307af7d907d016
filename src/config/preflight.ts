import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { CampaignSpec } from '../contract/campaign.js';
import type { Problem } from '../contract/problem.js';
import { pathText } from './shape-problems.js';
import type { YamlSource } from './yaml-source.js';

/** Variables that hold keys and are not set. Only the keys of models that some system or judge uses are asked for. */
export function keyProblems(
  campaign: { spec: CampaignSpec; source: YamlSource },
  /** Value of an environment variable, undefined when absent or empty. */
  variable: (name: string) => string | undefined,
): Problem[] {
  const used = usedModels(campaign.spec);
  return Object.entries(campaign.spec.models).flatMap(([key, model]) => {
    if (model.apiKeyEnv === null || !used.has(key) || variable(model.apiKeyEnv) !== undefined) return [];
    const path = ['models', key, 'api_key_env'];
    return [
      {
        what: `${campaign.source.place(path)}: ${pathText(path)}: the environment variable ${model.apiKeyEnv} is not set`,
        allowed: 'a variable that holds the key where `durabench` and its worker start',
        remedy: `export ${model.apiKeyEnv}=… and run the same command (it hands the key to the worker), or remove api_key_env for an endpoint without keys`,
      },
    ];
  });
}

/** The absolute path of a system's `path`, relative to the campaign file's folder. */
export function candidatePath(path: string, campaignFile: string): string {
  return resolve(dirname(resolve(campaignFile)), path);
}

/** Why a system's `path` cannot be read, or undefined. */
export async function pathProblem(input: {
  path: string;
  campaignFile: string;
  index: number;
  source: YamlSource;
}): Promise<Problem | undefined> {
  const absolute = candidatePath(input.path, input.campaignFile);
  const place = ['systems', input.index, 'path'];
  const exists = await stat(absolute).then(
    () => true,
    () => false,
  );
  if (exists) return undefined;
  const fromHere = resolve(input.path);
  const isHere = fromHere !== absolute && (await stat(fromHere).catch(() => null)) !== null;
  return {
    what: `${input.source.place(place)}: ${pathText(place)}: "${input.path}" does not exist (looked at ${absolute})`,
    allowed: `a folder or archive; relative paths start at the campaign file's folder`,
    remedy: isHere ? `write the absolute path: ${fromHere}` : 'correct the path',
  };
}

/** Every model key a campaign can ask: of systems, their purposes, and any `model` or `models` of vote settings. */
export function usedModels(spec: CampaignSpec): Set<string> {
  const votes = [spec.judge, ...spec.systems.flatMap((system) => [system.vote, system.options])];
  const named = votes.flatMap((settings) => namedModels(settings));
  const direct = spec.systems.flatMap((system) => [system.model, ...Object.values(system.purposes)]);
  return new Set([...direct, ...named].filter((key): key is string => key !== null && Object.hasOwn(spec.models, key)));
}

function namedModels(settings: unknown): string[] {
  if (typeof settings !== 'object' || settings === null) return [];
  return Object.entries(settings).flatMap(([key, value]: [string, unknown]) => {
    if (key === 'model' && typeof value === 'string') return [value];
    if (key === 'models' && Array.isArray(value))
      return value.filter((each): each is string => typeof each === 'string');
    return namedModels(value);
  });
}
