import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suitePackages } from '../config/suite-packages.js';
import { codeToStartOn } from '../domain/campaign/polled-code.js';
import type { Records } from '../ports/records.js';
import type { Context } from './context.js';

/**
 * The workflow code that a command starts workflows on, at this server. With suites of packages only one's own: a living
 * worker of other code may not have them, and one that has takes over what nobody polls for.
 */
export async function startingCode(
  { packageRoot, environment }: Pick<Context, 'packageRoot' | 'environment'>,
  records: Pick<Records, 'polledCodes'>,
  server: () => Promise<string>,
): Promise<string> {
  const { workflowCodeWith } = await import('../stack/code-digest.js');
  const bundle = join(packageRoot, 'dist', 'workflow-bundle.js');
  const packages = suitePackages(environment());
  const own = existsSync(bundle) ? workflowCodeWith(bundle, packages) : '';
  if (packages.length > 0 && own !== '') return own;
  return codeToStartOn(await records.polledCodes(await server()), own);
}
