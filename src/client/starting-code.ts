import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { codeToStartOn } from '../domain/campaign/polled-code.js';
import type { Records } from '../ports/records.js';
import type { Context } from './context.js';

/** The workflow code that a command starts workflows on, at this server. */
export async function startingCode(
  { packageRoot }: Pick<Context, 'packageRoot'>,
  records: Pick<Records, 'polledCodes'>,
  server: () => Promise<string>,
): Promise<string> {
  const { workflowCode } = await import('../stack/code-digest.js');
  const bundle = join(packageRoot, 'dist', 'workflow-bundle.js');
  const own = existsSync(bundle) ? workflowCode(bundle) : '';
  return codeToStartOn(await records.polledCodes(await server()), own);
}
