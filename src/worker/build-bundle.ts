/** Second half of `npm run build`: the workflow bundle and the digests of every suite, into `dist/`. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { sha256Hex } from '../domain/text/content-hash.js';
import { packageRoot } from '../config/package-root.js';
import { suiteFolder } from '../config/suite-folder.js';
import { allSuites } from '../suite/registry.js';

const root = packageRoot(import.meta.url);
const dist = join(root, 'dist');
await mkdir(dist, { recursive: true });
const compiled = join(import.meta.dirname, '..', '..', 'workflows', 'index.js');
const workflowsPath = existsSync(compiled) ? compiled : compiled.replace(/\.js$/, '.ts');
const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
await writeFile(join(dist, 'workflow-bundle.js'), code);
const digests: [string, string][] = [];
for (const suite of await allSuites()) digests.push([suite.manifest.id, await suiteDigest(suiteFolder(root, suite))]);
await writeFile(join(dist, 'digests.json'), `${JSON.stringify({ suites: Object.fromEntries(digests) }, null, 2)}\n`);

/**
 * One hash over what decides a suite's verdicts: plan, stages, generators, metrics, prompts, Python and shims. Left out:
 * the dataset (it has its own digest), tests, and texts for people.
 */
async function suiteDigest(folder: string): Promise<string> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !/(^|\/)(dataset|__pycache__|\.[^/]*)\/|\.test\.ts$|^README\.md$|\.pyc$/.test(path))
    .sort();
  const lines = await Promise.all(
    files.map(async (path) => `${path} ${sha256Hex(await readFile(join(folder, path)))}`),
  );
  return sha256Hex(lines.join('\n'));
}
