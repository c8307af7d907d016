import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import type { SuitePackage } from '../config/suite-packages.js';
import { UserError } from '../domain/failure/user-error.js';

/** How long a bundle is kept beside newer ones. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** Where a bundle is made, and from what. */
export interface BundleParts {
  packageRoot: string;
  /** Where bundles are kept. */
  folder: string;
  /** Digest of the bundle without packages and of their files: another one is another bundle. */
  code: string;
}

/**
 * The workflow bundle with plans and workflows of packages in it, made once for each code.
 * @returns its path
 * @throws UserError for packages whose workflow code cannot be bundled
 */
export async function bundleWith(packages: readonly SuitePackage[], parts: BundleParts): Promise<string> {
  const bundle = join(parts.folder, `${parts.code}.js`);
  if (existsSync(bundle)) return bundle;
  const scratch = `${bundle}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(scratch, { recursive: true });
    await writeFile(join(scratch, 'bundle.js'), await bundled(packages, parts.packageRoot, scratch));
    await rename(join(scratch, 'bundle.js'), bundle);
    await removeOld(parts.folder);
    return bundle;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Each version of a package leaves one. A worker has read its own when it starts. */
async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() })); // another worker was faster
    if (Date.now() - mtimeMs > KEPT_MS) await rm(path, { recursive: true, force: true });
  }
}

async function bundled(packages: readonly SuitePackage[], packageRoot: string, scratch: string): Promise<string> {
  const compiled = join(packageRoot, 'dist');
  const imports = packages.map((each, n) => `import { plans as plans${n} } from ${JSON.stringify(each.plans)};`);
  const list = packages.map((_, n) => `plans${n}`).join(', ');
  const workflows = packages.flatMap((each) => (each.workflows === null ? [] : [each.workflows]));
  const plans = join(scratch, 'package-plans.js');
  await writeFile(plans, lines([...imports, `export const PACKAGE_PLANS = [${list}];`]));
  const exported = join(scratch, 'package-workflows.js');
  await writeFile(
    exported,
    lines(['export {};', ...workflows.map((path) => `export * from ${JSON.stringify(path)};`)]),
  );
  // What is empty without packages.
  const replaced = {
    [join(compiled, 'tasks', 'package-plans.js')]: plans,
    [join(compiled, 'tasks', 'package-workflows.js')]: exported,
  };
  let told: string[] = [];
  try {
    const { code } = await bundleWorkflowCode({
      workflowsPath: join(compiled, 'workflows', 'index.js'),
      logger: new DefaultLogger('ERROR'),
      webpackConfigHook: (config) => ({
        ...config,
        plugins: [
          ...(config.plugins ?? []),
          (compiler) =>
            compiler.hooks.done.tap('durabench', (stats) => {
              told = (stats.toJson({ all: false, errors: true }).errors ?? []).map(errorLine);
            }),
        ],
        resolve: { ...config.resolve, alias: { ...config.resolve?.alias, ...replaced } },
      }),
    });
    return code;
  } catch (error) {
    throw notBundled(packages, told.length > 0 ? told : [error instanceof Error ? error.message : String(error)]);
  }
}

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`;

/** Said of a module that is not built; the error that the bundler throws names nothing. */
const errorLine = ({ moduleName = '', message = '' }: { moduleName?: string; message?: string }): string =>
  `${moduleName}: ${message.split('\n')[0]}`;

function notBundled(packages: readonly SuitePackage[], reasons: readonly string[]): UserError {
  const names = packages.map(({ name, version }) => `${name} ${version}`).join(', ');
  return new UserError('environment', {
    message: `the workflow code of ${names} cannot be bundled: ${reasons.join('; ')}`,
    expected: 'plans and workflows that import durabench/workflow-kit, @temporalio/workflow and pure code alone',
    fix: 'install another version of the package, or remove it from the list of suites',
  });
}
