import { join } from 'node:path';
import type { JsonObject } from '../../../src/contract/json.js';
import { committedError, readCommitted } from '../../../src/suite-kit/committed-json.js';
import {
  dependenciesSchema,
  notOfferedSchema,
  overridesSchema,
  pinsSchema,
  settingsSchema,
} from './settings-schema.js';

/** The pinned release a project's tasks come from: a download, or a folder of ours. */
export interface ReleasePin {
  name: string;
  version: string;
  /** `wheel` where the package carries its tests along and the source release cannot be had without building it; absent with `folder`. */
  kind?: 'sdist' | 'wheel';
  /** File name of the release; absent with `folder`. */
  file?: string;
  /** Where a library written for this suite lies, relative to the suite's folder; there is nothing to download then. */
  folder?: string;
  /** Of the release file; of the folder's normalised tar where it is a folder. */
  sha256: string;
  licence: string;
}

/** A test whose fate a person decided, with the reason. */
interface FilterOverride {
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
  settings: JsonObject & {
    package: string;
    packageRoot: string;
    /** Folders of the release that make the reference: the package, and libraries its compiled modules bring along. */
    packageFolders: string[];
    /** Pattern of dotted names: modules of tests, inside the package or beside it. */
    testModules: string;
    /** Module of the reference → our stand-in for it, a file of the shim folder. */
    shimLibraries: Record<string, string>;
    shimFolder: string;
    /** Modules most tests import, beside the package: gold imports them once for many tasks. */
    warm?: string[];
    seed: number;
    /** Lower-case words no description may hold. */
    givingAway: string[];
  };
  /** `tests/file.py::Class::test` → decision. */
  overrides: Record<string, FilterOverride>;
}

/** What a campaign takes that names no project. */
export const BENCHMARK_PROJECTS = ['requests', 'django', 'pandas', 'sympy', 'statsmodels', 'scikit-learn'] as const;

/** Projects with a lock. `textkit` is ours and small: for tests and trying out, not for scores. */
export const DATASET_PROJECTS = [...BENCHMARK_PROJECTS, 'textkit'] as const;

/** Image recipe in which a project's tests run, where it is not one of its own. */
const SHARED_IMAGES: Readonly<Record<string, string>> = {
  // Needs pytest and nothing else; an image more would cost every machine a build.
  textkit: 'repocraft-requests',
};

/** Name of the image recipe in which a project's tests run. */
export const projectImage = (project: string): string => SHARED_IMAGES[project] ?? `repocraft-${project}`;

/**
 * Top-level names of the packages a project's release declares that it depends on (extras included): all that a candidate's
 * code may import of what is installed. Null where none are recorded: then all of it. Beside the settings and not in them,
 * since they decide how candidates run and not what the tasks are.
 */
export async function readDependencies(project: string, suiteFolder: string): Promise<string[] | null> {
  const file = { path: join(suiteFolder, 'dataset', 'dependencies.json'), noun: 'list of dependencies' };
  return (await readCommitted({ ...file, schema: dependenciesSchema }))[project] ?? null;
}

/**
 * The reference's own names that no other library is expected to have (its data sets, its test cases); null where it has
 * none. Beside the settings and not in them, since they decide what a skeleton has and not what the tasks are.
 */
export async function readNotOffered(project: string, suiteFolder: string): Promise<RegExp | null> {
  const file = { path: join(suiteFolder, 'dataset', 'not-offered.json'), noun: 'list of names not offered' };
  const found = (await readCommitted({ ...file, schema: notOfferedSchema }))[project];
  return found === undefined ? null : new RegExp(found);
}

/**
 * Reads a project's committed settings.
 * @throws DomainFailure `dataset.missing` where a file is absent or damaged
 */
export async function readProjectSettings(project: string, suiteFolder: string): Promise<ProjectSettings> {
  const file = (name: string, noun: string) => ({ path: join(suiteFolder, 'dataset', name), noun });
  const pins = file('pins.json', 'list of pinned releases');
  const pin = (await readCommitted({ ...pins, schema: pinsSchema }))[project];
  if (pin === undefined) throw committedError(pins, `is damaged: it has no release of ${project}`);
  const settings = file(`projects/${project}.json`, 'dataset settings');
  const overrides = file(`projects/${project}.overrides.json`, 'list of overrides');
  return {
    project,
    image: projectImage(project),
    pin,
    settings: (await readCommitted({ ...settings, schema: settingsSchema })) as unknown as ProjectSettings['settings'],
    overrides: await readCommitted({ ...overrides, schema: overridesSchema }),
  };
}
