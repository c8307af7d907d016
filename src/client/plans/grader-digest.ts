import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../context.js';
import { suiteNamed } from '../../suite/registry.js';
import { UserError } from '../../domain/failure/user-error.js';

/** What `npm run build` wrote of the suite's plan, stages, prompts and scripts; of a package its version and files. */
export async function graderDigest(context: Context, suite: string): Promise<string> {
  const { from } = await suiteNamed(suite, context.environment());
  if (from !== null) return (await import('../../stack/code-digest.js')).packageDigest(from);
  const path = join(context.packageRoot, 'dist', 'digests.json');
  const text = await readFile(path, 'utf8').catch(() => undefined);
  const digest =
    text === undefined ? undefined : (JSON.parse(text) as { suites?: Record<string, string> }).suites?.[suite];
  if (digest !== undefined) return digest;
  throw new UserError('usage', {
    message: `dist/digests.json ${text === undefined ? 'is missing' : `has no digest for ${suite}`}`,
    expected: 'a built package: the campaign is pinned to the code that grades it',
    fix: 'npm run build',
  });
}
