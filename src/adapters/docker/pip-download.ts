import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256Hex } from '../../domain/content-hash.js';
import { downloadInContainer, type PipContainer } from './pip-container.js';
import { DownloadTrouble } from './download-trouble.js';
import { runProgram } from './run-program.js';
import { makeScratch } from './scratch.js';

/** Either way may have to find its index, build metadata and move a few dozen megabytes over a slow line. */
const ATTEMPT_MS = 300_000;

/** What pip is to download, and with what. */
export interface PipDownload {
  /** Text of a requirements file; every line carries its hashes. */
  requirements: string;
  /** pip's options that say which kind of file, e.g. `--only-binary=:all:`. */
  kind: readonly string[];
  /** Options only for the host's pip, whose Python and machine may not be those of the image. */
  hostOptions?: readonly string[];
  /** Python whose pip is tried first. */
  hostPython: string;
  /** Asked only when the host's pip did not do it: the image whose pip is tried next. */
  container: () => Promise<PipContainer>;
  signal?: AbortSignal;
  onProgress: (line: string) => void;
}

/**
 * The files of a requirements list, name → bytes: by the host's pip, which knows the user's index, proxy and certificates,
 * else by pip in a container with a network. Every file's hash is checked here again, whatever pip did.
 * Throws `DownloadTrouble`, or the signal's reason.
 */
export async function pipDownload(wanted: PipDownload): Promise<Map<string, Buffer>> {
  const onHost = await attempt(wanted.signal, (signal) => downloadOnHost(wanted, signal));
  if (typeof onHost !== 'string') return checkHashes(onHost, wanted.requirements);
  const mismatch = mismatchIn(onHost);
  // An index that serves other bytes is not an absent one; a second way to it would only hide that.
  if (mismatch !== null) throw new DownloadTrouble({ host: summary(onHost), container: null, mismatch });
  wanted.onProgress(`pip on the host did not do it (${summary(onHost)}); trying a container`);
  const inContainer = await attempt(wanted.signal, async (signal) =>
    downloadInContainer({ ...wanted, ...(await wanted.container()), pipArguments, signal }),
  );
  if (typeof inContainer !== 'string') return checkHashes(inContainer, wanted.requirements);
  throw new DownloadTrouble({
    host: summary(onHost),
    container: summary(inContainer),
    mismatch: mismatchIn(inContainer),
  });
}

/** What one way gave, or in words why it gave nothing. Only the caller's own abort is thrown. */
async function attempt(
  signal: AbortSignal | undefined,
  way: (limited: AbortSignal) => Promise<Map<string, Buffer> | string>,
): Promise<Map<string, Buffer> | string> {
  signal?.throwIfAborted();
  const limit = AbortSignal.timeout(ATTEMPT_MS);
  try {
    return await way(signal ? AbortSignal.any([signal, limit]) : limit);
  } catch (error) {
    signal?.throwIfAborted();
    if (limit.aborted) return `no end after ${ATTEMPT_MS / 1000} s`;
    return error instanceof Error ? error.message : String(error);
  }
}

async function downloadOnHost(wanted: PipDownload, signal: AbortSignal): Promise<Map<string, Buffer> | string> {
  const scratch = await makeScratch(tmpdir());
  try {
    const list = join(scratch, 'requirements.txt');
    const folder = join(scratch, 'files');
    await writeFile(list, wanted.requirements);
    const argv = ['-m', 'pip', ...pipArguments(wanted.kind, list, folder), ...(wanted.hostOptions ?? [])];
    const { code, tail } = await runProgram(wanted.hostPython, argv, () => undefined, signal);
    if (code === null) return `${wanted.hostPython} cannot be started: ${tail}`;
    if (code !== 0) return tail.trim() === '' ? `pip ended with ${code}` : tail;
    const names = await readdir(folder);
    return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function pipArguments(kind: readonly string[], list: string, folder: string): string[] {
  return [
    ...['download', '--disable-pip-version-check', '--no-input', '--progress-bar', 'off', '--quiet'],
    ...['--require-hashes', '--no-deps', ...kind, '-r', list, '-d', folder],
  ];
}

function checkHashes(files: Map<string, Buffer>, requirements: string): Map<string, Buffer> {
  const known = new Set([...requirements.matchAll(/--hash=sha256:([0-9a-f]{64})/g)].map((match) => match[1]));
  for (const [name, bytes] of files) {
    const found = sha256Hex(bytes);
    if (!known.has(found)) throw new DownloadTrouble({ host: '', container: null, mismatch: `${name}: ${found}` });
  }
  if (files.size > 0) return files;
  throw new DownloadTrouble({ host: 'pip left no file', container: null, mismatch: null });
}

/** pip's own words for a file with another hash, or null. */
function mismatchIn(log: string): string | null {
  if (!/DO NOT MATCH THE HASHES/.test(log)) return null;
  return /Got\s+([0-9a-f]+)/.exec(log)?.[1] ?? 'another';
}

/** One line of a log: its last errors and warnings, which together say what was asked and why it failed. */
function summary(log: string): string {
  const lines = log.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const telling = lines.filter((line) => /^(error|warning|.*: no module named)/i.test(line.trim()));
  return (telling.length > 0 ? telling : lines)
    .slice(-3)
    .map((line) => line.trim().slice(0, 300))
    .join('; ');
}
