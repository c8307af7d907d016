import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { DomainFailure } from '../../domain/failure/domain-failure.js';
import { downloadVariables } from '../../domain/program-variables.js';

/** 95 MB over a slow line. */
const INSTALL_TIMEOUT_MS = 600_000;

/** Where the runtime is kept, what pins it, and how this machine downloads. */
export interface RuntimeOptions {
  /** Shared between projects; the runtime gets a folder of its own in it. */
  cacheFolder: string;
  /** Holds `deploy/onnxruntime/`: the pinned version and its hashes, as npm's lock. */
  packageRoot: string;
  /** A variable of the environment: where the npm registry is. */
  variable: (name: string) => string | undefined;
}

/**
 * Folder from which `onnxruntime-node` is found, installed there by npm the first time. It is no dependency of this package:
 * suites without embeddings need none of its 300 MB, and its install script would fetch 300 MB more for graphics cards, or
 * fail without a network. Fails with `dataset.missing`.
 */
export async function ensureRuntime({ cacheFolder, packageRoot, variable }: RuntimeOptions): Promise<string> {
  const pinned = path.join(packageRoot, 'deploy', 'onnxruntime');
  const manifest = JSON.parse(await readFile(path.join(pinned, 'package.json'), 'utf8')) as Manifest;
  const version = manifest.dependencies['onnxruntime-node'];
  const target = path.join(cacheFolder, `onnxruntime-node-${version}`);
  if (existsSync(target)) return target;
  const scratch = `${target}.${randomBytes(6).toString('hex')}`;
  await mkdir(scratch, { recursive: true });
  try {
    for (const file of ['package.json', 'package-lock.json'])
      await copyFile(path.join(pinned, file), path.join(scratch, file));
    await install(scratch, { version, target, variable });
    // Another process may have been faster: its folder holds the same.
    await rename(scratch, target).catch(async (error: unknown) => {
      if (!existsSync(target)) throw error;
    });
    return target;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

interface Manifest {
  dependencies: { 'onnxruntime-node': string };
}

async function install(
  folder: string,
  { version, target, variable }: { version: string; target: string; variable: RuntimeOptions['variable'] },
): Promise<void> {
  const options = { cwd: folder, env: downloadVariables(variable), timeout: INSTALL_TIMEOUT_MS };
  try {
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], options);
  } catch (error) {
    const { stderr = '', message } = error as { stderr?: string; message: string };
    const said = stderr.split('\n').find((line) => /^npm (error|ERR!)/.test(line)) ?? message.split('\n')[0] ?? '';
    const problem = {
      message: `the embedding runtime onnxruntime-node ${version} cannot be installed: ${said.slice(0, 300)}`,
      expected: 'an npm that reaches a registry',
      fix: `make \`npm view onnxruntime-node@${version}\` work, then run the command again; or, elsewhere, run \`npm install --ignore-scripts onnxruntime-node@${version}\` in an empty folder and copy that to ${target}`,
    };
    throw new DomainFailure('dataset.missing', problem, { cause: error });
  }
}
