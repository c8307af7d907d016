import { nearest } from '../config/nearest.js';
import { UserError } from '../domain/failure/user-error.js';
import type { Suite } from './suite.js';

/** Every suite there is. Loaded when asked for: commands that need none start faster. */
export async function allSuites(): Promise<readonly Suite[]> {
  return (await import('../../tasks/suites.js')).SUITES;
}

/** The suite of that id. @throws UserError for an unknown one */
export async function suiteNamed(id: string): Promise<Suite> {
  const suites = await allSuites();
  const suite = suites.find((each) => each.manifest.id === id);
  if (suite !== undefined) return suite;
  const known = suites.map((each) => each.manifest.id);
  const meant = nearest(id, known);
  throw new UserError('usage', {
    message: `"${id}" is not a suite`,
    expected: `one of ${known.join(', ')}`,
    fix: meant === undefined ? '`durabench suites` says what each is' : `did you mean "${meant}"?`,
  });
}
