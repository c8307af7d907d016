import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/contract/json.js';

/** The pinned release a project's tasks come from. */
export interface ReleasePin {
  name: string;
  version: string;
  /** File name of the source release. */
  file: string;
  sha256: string;
  licence: string;
}

/** A test whose fate a person decided, with the reason. */
export interface FilterOverride {
  action: 'keep' | 'drop';
  /** Name of the rule a dropped test is counted under. */
  rule: string;
  reason: string;
}

/** What dataset work knows of one project, as committed under `dataset/`. */
export interface ProjectSettings {
  project: string;
  /** Image recipe under `deploy/images/` whose Python parses and whose packages gold runs use. */
  image: string;
  pin: ReleasePin;
  /** `projects/<project>.json`, handed to the Python as it is. */
  settings: JsonObject & { package: string; packageRoot: string; shimFolder: string; seed: number };
  /** `tests/file.py::Class::test` → decision. */
  overrides: Record<string, FilterOverride>;
}

/** Projects with a build; one settings file and one pin each. */
export const DATASET_PROJECTS = ['requests'] as const;

/** Reads a project's committed settings. */
export async function readProjectSettings(project: string, suiteFolder: string): Promise<ProjectSettings> {
  const read = async (name: string): Promise<unknown> =>
    JSON.parse(await readFile(join(suiteFolder, 'dataset', name), 'utf8'));
  const pins = (await read('pins.json')) as Record<string, ReleasePin>;
  const pin = pins[project];
  if (pin === undefined) throw new TypeError(`no pin for project ${project}`);
  return {
    project,
    image: `repocraft-${project}`,
    pin,
    settings: (await read(`projects/${project}.json`)) as ProjectSettings['settings'],
    overrides: (await read(`projects/${project}.overrides.json`)) as Record<string, FilterOverride>,
  };
}
