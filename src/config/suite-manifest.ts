import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Problem } from '../contract/problem.js';
import { SUITE_CONTRACT } from '../contract/suite.js';
import { packageRoot } from './package-root.js';

/** A package that brings a suite, as its package.json describes it. Paths are absolute. */
export interface SuitePackage {
  name: string;
  version: string;
  folder: string;
  /** Module that exports `suite`, the `Suite`. */
  module: string;
  /** Module that exports `plans`, its `SuitePlans`; runs in Temporal's sandbox. */
  plans: string;
  /** Module whose exports are workflows of its own; null where it has none. */
  workflows: string | null;
  /** The libraries it names, as they are installed: `zod@4.6.7`. */
  libraries: string[];
}

const NAME = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

const names = z.record(z.string(), z.unknown()).default({});

const manifestSchema = z.object({
  version: z.string(),
  dependencies: names,
  peerDependencies: names,
  durabench: z.object({
    suite: z.strictObject({
      contract: z.int(),
      module: z.string(),
      plans: z.string(),
      workflows: z.string().optional(),
    }),
  }),
});

type Manifest = z.infer<typeof manifestSchema>;

/** Read first: what else a manifest of another contract holds is not known. */
const contractSchema = z.object({
  version: z.string(),
  durabench: z.object({ suite: z.object({ contract: z.int() }) }),
});

/**
 * What an installed package says of itself, or what is wrong with it. Loads nothing.
 * @param projectRoot where it is looked for
 */
export function readSuitePackage(projectRoot: string, name: string): SuitePackage | Problem {
  if (!NAME.test(name))
    return {
      message: `"${name}" is not the name of a suite package`,
      expected: 'the name in its package.json, as my-suite or @me/my-suite',
      fix: 'correct DURABENCH_SUITES, or durabench.suites in package.json',
    };
  const folder = installedFolder(projectRoot, name);
  if (folder === null)
    return {
      message: `the suite package ${name} is not installed in ${projectRoot}`,
      fix: `npm install ${name}, or remove it from DURABENCH_SUITES or durabench.suites in package.json`,
    };
  const given = readJsonFile(join(folder, 'package.json'));
  const { data } = contractSchema.safeParse(given);
  if (data !== undefined && data.durabench.suite.contract !== SUITE_CONTRACT) return otherContract(name, data);
  const checked = manifestSchema.safeParse(given);
  if (!checked.success)
    return {
      message: `the package ${name} has no usable durabench.suite in its package.json: ${firstIssue(checked.error)}`,
      expected: '"durabench": { "suite": { "contract", "module", "plans" } } (docs/adding-a-suite.md)',
      fix: `install a version of ${name} that brings a suite, or remove it from the list of suites`,
    };
  return checkedPackage(name, folder, checked.data);
}

function otherContract(name: string, { version, durabench }: z.infer<typeof contractSchema>): Problem {
  const { contract } = durabench.suite;
  return {
    message: `the suite package ${name} ${version} is written for suite contract ${contract}`,
    expected: `suite contract ${SUITE_CONTRACT}, the one of this version of Durabench`,
    fix: contract > SUITE_CONTRACT ? 'npm install durabench@latest' : `npm install ${name}@latest`,
  };
}

function checkedPackage(
  name: string,
  folder: string,
  { version, durabench, ...rest }: Manifest,
): SuitePackage | Problem {
  const { module, plans, workflows } = durabench.suite;
  const missing = [module, plans, workflows].find((path) => path !== undefined && !existsSync(join(folder, path)));
  if (missing !== undefined)
    return {
      message: `the suite package ${name} ${version} has no file ${missing}, which its durabench.suite names`,
      fix: `build it (npm run build in ${folder}), or install it again`,
    };
  const paths = { module: join(folder, module), plans: join(folder, plans) };
  const own = {
    workflows: workflows === undefined ? null : join(folder, workflows),
    libraries: libraries(folder, rest),
  };
  const found = { name, version, folder, ...paths, ...own };
  return otherCopy(found) ?? found;
}

/** Durabench is left out: its own code has a digest of its own. */
function libraries(
  folder: string,
  { dependencies, peerDependencies }: Omit<Manifest, 'version' | 'durabench'>,
): string[] {
  const named = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => name !== 'durabench');
  return named.sort().map((name) => {
    const installed = installedFolder(folder, name);
    const { version = '?' } = (installed === null ? {} : readJsonFile(join(installed, 'package.json'))) as {
      version?: string;
    };
    return `${name}@${version}`;
  });
}

/** Its classes would be others than the engine's: errors and failures of the one are unknown to the other. */
function otherCopy({ name, version, folder }: SuitePackage): Problem | null {
  const own = realpathSync(packageRoot(import.meta.url));
  const used = resolvedFolder(folder);
  if (used === null || used === own) return null;
  return {
    message: `the suite package ${name} ${version} uses another copy of Durabench (${used}) than this command (${own})`,
    expected: 'one copy: durabench among the peerDependencies of the suite, installed beside it',
    fix: used.startsWith(folder)
      ? `remove durabench from the dependencies of ${name}, or install it with: npm install --install-links ${folder}`
      : 'run the command of that copy: npx durabench',
  };
}

/** The Durabench that its imports find; null where they find none, which importing it tells. */
function resolvedFolder(folder: string): string | null {
  try {
    return realpathSync(dirname(createRequire(join(folder, 'package.json')).resolve('durabench/package.json')));
  } catch {
    return null;
  }
}

/** As Node finds it from the project, whatever its `exports` say: installed, or the project itself. */
function installedFolder(from: string, name: string): string | null {
  if ((readJsonFile(join(from, 'package.json')) as { name?: string } | null)?.name === name) return realpathSync(from);
  for (let folder = from; ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name);
    if (existsSync(join(place, 'package.json'))) return realpathSync(place);
    if (dirname(folder) === folder) return null;
  }
}

function firstIssue({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`;
}

/** What a JSON file holds; null where there is none, or it is not JSON. */
export function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
