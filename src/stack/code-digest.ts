import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, normalize, relative, sep } from 'node:path';
import type { SuitePackage } from '../config/suite-packages.js';

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

/** Digest of workflow code with that of packages in it: of the bundle without them, and of all their files. */
export function workflowCodeWith(bundle: string, packages: readonly SuitePackage[]): string {
  const own = workflowCode(bundle);
  if (packages.length === 0) return own;
  const parts = [own, ...packages.map(packageDigest)].join('\n');
  return createHash('sha256').update(parts).digest('hex').slice(0, 12);
}

/**
 * One hash over what a suite package brings: its name, version and files, and the versions of the libraries it names. Of a
 * folder that is worked in, only what `files` of its package.json would pack, where that names plain paths.
 */
export function packageDigest({ name, version, folder, libraries }: SuitePackage): string {
  const hash = createHash('sha256').update(`${name}@${version}\n${libraries.join('\n')}\n`);
  for (const file of packageFiles(folder)) hash.update(`${file}\n`).update(readFileSync(join(folder, file)));
  return hash.digest('hex');
}

function packageFiles(folder: string): string[] {
  const { files: packed = ['.'] } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    files?: string[];
  };
  const isPlain = packed.every((path) => existsSync(join(folder, path)));
  const roots = isPlain ? ['package.json', ...packed] : ['.'];
  const found = roots.flatMap((root) => filesBelow(folder, root));
  return [...new Set(found)].sort();
}

/** Paths from `folder`. */
function filesBelow(folder: string, root: string): string[] {
  if (statSync(join(folder, root)).isFile()) return [normalize(root)];
  return readdirSync(join(folder, root), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !/(^|[\\/])(node_modules|__pycache__|\.[^\\/]*)([\\/]|$)/.test(path));
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
