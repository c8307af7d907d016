import { nearest } from '../domain/text/nearest.js';
import { readSuitePackages, type SuitePackage, type SuitePlace } from '../config/suite-packages.js';
import type { Problem } from '../contract/problem.js';
import { UserError } from '../domain/failure/user-error.js';
import { SUITES } from '../../tasks/suites.js';
import { importSuite, unusable, type KnownSuite } from './registry-packages.js';
import type { Suite } from './suite.js';

export type { KnownSuite } from './registry-packages.js';

/** The suites of this tree. */
export async function ownSuites(): Promise<readonly KnownSuite[]> {
  return Promise.all(Object.values(SUITES).map(loaded));
}

const loaded = async (load: () => Promise<Suite>): Promise<KnownSuite> => ({ ...(await load()), from: null });

/**
 * Every suite there is: those of the tree, then those of the packages the project names.
 * @throws UserError with everything that is wrong with the packages
 */
export async function allSuites(place: SuitePlace): Promise<readonly KnownSuite[]> {
  const { suites, problems } = await readSuites(place);
  if (problems.length > 0) throw new UserError('environment', problems);
  return suites;
}

/**
 * The suite of that id, and no other of the tree. Packages are loaded only where the tree has none of it: what is wrong
 * with one stands in nobody else's way.
 * @throws UserError for an unknown one
 */
export async function suiteNamed(id: string, place: SuitePlace): Promise<KnownSuite> {
  const own = Object.hasOwn(SUITES, id) ? SUITES[id] : undefined;
  if (own !== undefined) return loaded(own);
  const { suites, problems } = await readSuites(place);
  const found = suites.find(({ manifest }) => manifest.id === id);
  if (found !== undefined) return found;
  if (problems.length > 0) throw new UserError('environment', problems);
  const known = suites.map((each) => each.manifest.id);
  const meant = nearest(id, known);
  throw new UserError('usage', {
    message: `"${id}" is not a suite`,
    expected: `one of ${known.join(', ')}`,
    fix: meant === undefined ? '`durabench suites` says what each is' : `did you mean "${meant}"?`,
  });
}

/** The suites that can be used, and what is wrong with the packages of others. */
export async function readSuites(
  place: SuitePlace,
): Promise<{ suites: readonly KnownSuite[]; problems: readonly Problem[] }> {
  const { packages, problems } = readSuitePackages(place);
  const suites = [...(await ownSuites())];
  if (packages.length === 0) return { suites, problems };
  const names = new Map(await engineWorkflows());
  for (const from of packages) {
    try {
      const { suite, workflows } = await importSuite(from);
      checkIds(suite, suites);
      checkWorkflows(from, workflows, names);
      suites.push(suite);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push(...error.problems);
    }
  }
  return { suites, problems };
}

/** Names of the engine's workflows → whose they are. */
async function engineWorkflows(): Promise<[string, string][]> {
  return Object.keys(await import('../../workflows/index.js')).map((name) => [name, 'Durabench']);
}

function checkIds({ manifest: { id }, from }: KnownSuite, others: readonly KnownSuite[]): void {
  const taken = others.find(({ manifest }) => manifest.id === id);
  if (taken === undefined || from === null) return;
  throw unusable(from, `the id "${id}" of its suite is taken by ${taken.from?.name ?? 'a suite of Durabench'}`, {
    fix: `remove ${from.name} from the list of suites, or give its suite another id`,
  });
}

function checkWorkflows(from: SuitePackage, workflows: readonly string[], taken: Map<string, string>): void {
  for (const name of workflows) {
    const owner = taken.get(name);
    if (owner !== undefined)
      throw unusable(from, `its workflow "${name}" has the name of a workflow of ${owner}`, {
        fix: `rename the export in ${from.workflows}; beginning it with the id of the suite keeps names apart`,
      });
  }
  for (const name of workflows) taken.set(name, from.name);
}
