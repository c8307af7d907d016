import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Problem } from '../contract/problem.js';
import { UserError } from '../domain/failure/user-error.js';
import type { Environment } from './env.js';
import { readJsonFile, readSuitePackage, type SuitePackage } from './suite-manifest.js';

export type { SuitePackage } from './suite-manifest.js';

/** The project whose packages are meant. */
export type SuitePlace = Pick<Environment, 'projectRoot' | 'variable'>;

const projectSchema = z.object({ durabench: z.object({ suites: z.array(z.string()).optional() }).optional() });

/**
 * The packages named by DURABENCH_SUITES (separated by commas), else by `durabench.suites` in the project's package.json.
 * Reads their package.json and loads nothing.
 * @throws UserError for every one that cannot be used
 */
export function suitePackages(place: SuitePlace): SuitePackage[] {
  const { packages, problems } = readSuitePackages(place);
  if (problems.length > 0) throw new UserError('environment', problems);
  return packages;
}

/** The same, with what is wrong beside those that can be used. */
export function readSuitePackages(place: SuitePlace): { packages: SuitePackage[]; problems: Problem[] } {
  const named = namedPackages(place);
  if (!Array.isArray(named)) return { packages: [], problems: [named] };
  const read = [...new Set(named)].map((name) => readSuitePackage(place.projectRoot, name));
  return {
    packages: read.flatMap((each) => ('folder' in each ? [each] : [])),
    problems: read.flatMap((each) => ('folder' in each ? [] : [each])),
  };
}

function namedPackages({ projectRoot, variable }: SuitePlace): string[] | Problem {
  const given = variable('DURABENCH_SUITES');
  if (given !== undefined)
    return given
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean);
  const file = join(projectRoot, 'package.json');
  if (!existsSync(file)) return [];
  const checked = projectSchema.safeParse(readJsonFile(file));
  if (checked.success) return checked.data.durabench?.suites ?? [];
  return {
    message: `${file}: durabench.suites is not a list of package names`,
    expected: 'JSON with "durabench": { "suites": ["package"] }',
    fix: 'correct the file',
  };
}
