import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadVariables } from '../../../domain/program-variables.js';
import { UserError } from '../../../domain/failure/user-error.js';
import { sha256Hex } from '../../../domain/text/content-hash.js';
import { runProgram } from '../sandbox/run-program.js';
import { keptFolder } from './download-folder.js';

interface NpmOptions {
  imageName: string;
  /** Texts of `package.json` and `package-lock.json`. */
  manifest: string;
  lock: string;
  cacheFolder: string;
  variable: (name: string) => string | undefined;
  onProgress: (line: string) => void;
}

/** Of the machine the images are for, which need not be the one npm runs on. */
const FOR_IMAGE = ['--os=linux', '--cpu=x64', '--libc=glibc'];

/** Folder with the `node_modules` of a lock, by the host's npm, which checks every hash; no script of a package is run. */
export async function obtainNpmPackages(options: NpmOptions): Promise<string> {
  const { imageName, manifest, lock, cacheFolder, variable, onProgress } = options;
  const folder = join(cacheFolder, 'npm', sha256Hex(`${manifest}\n${lock}`).slice(0, 24));
  return keptFolder(folder, cacheFolder, async (partial) => {
    onProgress(`downloading the npm packages of ${imageName}`);
    const kept = join(partial, 'packages');
    await mkdir(kept);
    await writeFile(join(kept, 'package.json'), manifest);
    await writeFile(join(kept, 'package-lock.json'), lock);
    const quiet = ['--ignore-scripts', '--no-bin-links', '--no-audit', '--no-fund', '--loglevel=error'];
    const { code, tail } = await runProgram({
      program: 'npm',
      argv: ['ci', '--prefix', kept, ...quiet, ...FOR_IMAGE],
      variables: downloadVariables(variable),
    });
    if (code === 0) return kept;
    throw new UserError('environment', {
      message: `image ${imageName}: its npm packages cannot be downloaded: ${tail.slice(-600)}`,
      expected: 'an npm that reaches its registry',
      fix: `check "npm view npm version", then run "durabench images build ${imageName}"`,
    });
  });
}
