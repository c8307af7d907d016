import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const WORKER = join(sep, 'src', 'worker', 'main.js');

/**
 * One hash over the compiled code a worker command runs: every script below the `dist` its `src/worker/main.js` lies
 * in, with the workflow bundle, and digests.json, which speaks for prompts and Python. A worker loads its code once:
 * another digest means that it has to be started again. Files that are not there (yet) count as none.
 */
export function codeDigest(workerCommand: readonly string[]): string {
  const entry = workerCommand.find((argument) => argument.endsWith(WORKER));
  const hash = createHash('sha256');
  if (entry === undefined) return 'not of this package';
  const dist = entry.slice(0, -WORKER.length);
  for (const file of scriptsIn(dist)) hash.update(`${file}\n`).update(readFileSync(join(dist, file)));
  return hash.digest('hex').slice(0, 16);
}

/**
 * Digest of a workflow bundle: of its code, without the source map, which names the folder it was built in. The same source
 * gives the same digest, wherever and whenever it is built.
 */
export function workflowCode(bundle: string): string {
  const text = readFileSync(bundle, 'utf8');
  const map = text.lastIndexOf('\n//# sourceMappingURL=');
  const code = map < 0 ? text : text.slice(0, map);
  return createHash('sha256').update(code).digest('hex').slice(0, 12);
}

function scriptsIn(dist: string): string[] {
  try {
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' });
    return files.filter((file) => file.endsWith('.js') || file === 'digests.json').sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
