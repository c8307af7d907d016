import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Problem } from '../contract/problem.js';
import type { CampaignDraft } from './campaign-file.js';
import { VARIABLE_NAME } from './secret-settings.js';
import { problemAt } from '../domain/shape/shape-problems.js';
import { pathText } from '../domain/text/path-text.js';
import type { YamlSource } from '../domain/shape/yaml-source.js';

/**
 * Variables that hold keys and are not set. Only the keys of models that some system or judge uses are asked for. Works
 * on broken files too.
 */
export function keyProblems(
  { raw, source }: CampaignDraft,
  /** Value of an environment variable, undefined when absent or empty. */
  variable: (name: string) => string | undefined,
): Problem[] {
  const used = usedModels(raw);
  return Object.entries(isMapping(raw.models) ? raw.models : {}).flatMap(([key, model]) => {
    const name = isMapping(model) ? model.api_key_env : undefined;
    if (typeof name !== 'string' || !VARIABLE_NAME.test(name) || !used.has(key) || variable(name) !== undefined)
      return [];
    const path = ['models', key, 'api_key_env'];
    return [
      problemAt(source, path, {
        message: `${pathText(path)}: the environment variable ${name} is not set`,
        expected: 'a variable that holds the key where `durabench` and its worker start',
        fix: `export ${name}=… and run the same command (it hands the key to the worker), or remove api_key_env for an endpoint without keys`,
      }),
    ];
  });
}

/** Files of rules that are not there. */
export function rulesProblems({ raw, source }: CampaignDraft, campaignFile: string): Problem[] {
  return Object.entries(isMapping(raw.models) ? raw.models : {}).flatMap(([key, model]) => {
    const path = isMapping(model) ? model.rules : undefined;
    if (typeof path !== 'string' || path === '') return [];
    return missingFile({ path, campaignFile, place: ['models', key, 'rules'], source }, 'a file of rules') ?? [];
  });
}

/** The same for the variables that `notify` names. */
export function notifyProblems(
  { raw, source }: CampaignDraft,
  variable: (name: string) => string | undefined,
): Problem[] {
  const entries: unknown[] = Array.isArray(raw.notify) ? raw.notify : [];
  return entries.flatMap((entry, index) =>
    ['webhook_env', 'authorization_env'].flatMap((setting) => {
      const name = isMapping(entry) ? entry[setting] : undefined;
      if (typeof name !== 'string' || !VARIABLE_NAME.test(name) || variable(name) !== undefined) return [];
      const path = ['notify', index, setting];
      return [
        problemAt(source, path, {
          message: `${pathText(path)}: the environment variable ${name} is not set`,
          expected: 'a variable that is set where `durabench` and its worker start',
          fix: `export ${name}=… and run the same command (it hands it to the worker), or write it into .env`,
        }),
      ];
    }),
  );
}

/** The absolute path of what a campaign file names, relative to its folder. */
export function pathFromFile(path: string, campaignFile: string): string {
  return resolve(dirname(resolve(campaignFile)), path);
}

/** Why a path that a campaign file names at a place cannot be read, or undefined. @param what is looked for there */
export function missingFile(
  named: { path: string; campaignFile: string; place: readonly PropertyKey[]; source: YamlSource },
  what: string,
): Problem | undefined {
  const { path, campaignFile, place, source } = named;
  const absolute = pathFromFile(path, campaignFile);
  if (existsSync(absolute)) return undefined;
  const fromHere = resolve(path);
  const isHere = fromHere !== absolute && existsSync(fromHere);
  return problemAt(source, place, {
    message: `${pathText(place)}: "${path}" does not exist (looked at ${absolute})`,
    expected: `${what}; relative paths start at the campaign file's folder`,
    fix: isHere ? `write the absolute path: ${fromHere}` : 'correct the path',
  });
}

/**
 * Every model key a campaign can ask: of systems, their purposes, and any `model` or `models` of vote settings. Takes a
 * spec, or a file as it was written.
 */
export function usedModels(campaign: { models?: unknown; systems?: unknown; judge?: unknown }): Set<string> {
  const models = isMapping(campaign.models) ? campaign.models : {};
  const systems: unknown[] = Array.isArray(campaign.systems) ? campaign.systems : [];
  const purposes = systems.flatMap((system) =>
    isMapping(system) && isMapping(system.purposes) ? Object.values(system.purposes) : [],
  );
  const named = [campaign.judge, ...systems].flatMap((settings) => namedModels(settings));
  return new Set(
    [...purposes, ...named].filter((key): key is string => typeof key === 'string' && Object.hasOwn(models, key)),
  );
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

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
