/** Second half of `npm run build`: the workflow bundle and the digests of every suite, into `dist/`. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { sha256Hex } from '../domain/text/content-hash.js';
import { packageRoot } from '../config/package-root.js';
import { suiteFolder } from '../config/suite-folder.js';
import { ownSuites } from '../suite/registry.js';

const root = packageRoot(import.meta.url);
const dist = join(root, 'dist');
await mkdir(dist, { recursive: true });
const compiled = join(import.meta.dirname, '..', '..', 'workflows', 'index.js');
const workflowsPath = existsSync(compiled) ? compiled : compiled.replace(/\.js$/, '.ts');
const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
await writeFile(join(dist, 'workflow-bundle.js'), code);
const digests: [string, string][] = [];
for (const suite of await ownSuites()) digests.push([suite.manifest.id, await suiteDigest(suiteFolder(root, suite))]);
await writeFile(join(dist, 'digests.json'), `${JSON.stringify({ suites: Object.fromEntries(digests) }, null, 2)}\n`);

/**
 * One hash over what decides a suite's verdicts: plan, stages, generators, metrics, prompts, Python and shims, what suites
 * share (`src/suite-kit`), and the versions of the libraries that any of it names. Left out: the dataset (it has its own
 * digest), tests, and texts for people.
 */
async function suiteDigest(folder: string): Promise<string> {
  const left = /(^|\/)(dataset|__pycache__|\.[^/]*)\/|\.test\.ts$|^README\.md$|\.pyc$/;
  const own = await filesIn(folder, left);
  const shared = await filesIn(join(root, 'src', 'suite-kit'), left);
  const sources = [...own, ...shared].map(({ bytes }) => bytes.toString('utf8'));
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Dependencies;
  // Those of development are in what was bundled into dist/vendor.
  const named = Object.entries({ ...manifest.devDependencies, ...manifest.dependencies }).filter(([name]) =>
    sources.some((text) => text.includes(`from '${name}`) || text.includes(`import('${name}`)),
  );
  const lines = [
    ...own.map(({ path, bytes }) => `${path} ${sha256Hex(bytes)}`),
    ...shared.map(({ path, bytes }) => `suite-kit/${path} ${sha256Hex(bytes)}`),
    ...named.map(([name, version]) => `${name}@${version}`),
  ];
  return sha256Hex(lines.join('\n'));
}

interface Dependencies {
  /** Exact versions. */
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

async function filesIn(folder: string, left: RegExp): Promise<{ path: string; bytes: Buffer }[]> {
  const paths = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !left.test(path))
    .sort();
  return Promise.all(paths.map(async (path) => ({ path, bytes: await readFile(join(folder, path)) })));
}
