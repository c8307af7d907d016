import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256Hex } from '../../../domain/text/content-hash.js';
import { downloadInContainer, type PipContainer } from './pip-container.js';
import { DownloadError } from './download-error.js';
import { hashesOf, pipCommand, type PipCommand } from './pip-command.js';
import { runProgram } from '../sandbox/run-program.js';
import { makeScratch } from '../sandbox/scratch.js';

/** Either way may have to find its index and move a few dozen megabytes over a slow line. */
const ATTEMPT_MS = 300_000;

/** What pip is to download, and with what. */
export interface PipDownload extends PipCommand {
  /** Options only for the host's pip, whose Python and machine may not be those of the image. */
  hostOptions?: readonly string[];
  /** Python whose pip is tried first. */
  hostPython: string;
  /** The whole environment of the host's pip. */
  hostVariables: Record<string, string>;
  /** Asked only when the host's pip did not do it: the image whose pip is tried next. */
  container: () => Promise<PipContainer>;
  signal?: AbortSignal;
  onProgress: (line: string) => void;
}

/**
 * The files of a requirements list, name → bytes: by the host's pip, which knows the user's index, proxy and certificates,
 * else by pip in a container with a network. Nothing of what is downloaded is run. Every file's hash is checked here again,
 * whatever pip did.
 * Throws `DownloadError`, or the signal's reason.
 */
export async function pipDownload(wanted: PipDownload): Promise<Map<string, Buffer>> {
  const onHost = await attempt(wanted.signal, (signal) => downloadOnHost(wanted, signal));
  if (typeof onHost !== 'string') return checkHashes(onHost, wanted.requirements);
  const mismatch = mismatchIn(onHost);
  // An index that serves other bytes is not an absent one; a second way to it would only hide that.
  if (mismatch !== null) throw new DownloadError({ host: summary(onHost), container: null, mismatch });
  wanted.onProgress(`pip on the host did not do it (${summary(onHost)}); trying a container`);
  const inContainer = await attempt(wanted.signal, async (signal) =>
    downloadInContainer({ ...wanted, ...(await wanted.container()), signal }),
  );
  if (typeof inContainer !== 'string') return checkHashes(inContainer, wanted.requirements);
  throw new DownloadError({
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
    const argv = [...pipCommand(wanted, list, folder), ...(wanted.hostOptions ?? [])];
    const { hostPython: program, hostVariables } = wanted;
    // What it leaves behind where it ends before its time goes with the rest.
    const variables = { ...hostVariables, TMPDIR: scratch };
    const { code, tail } = await runProgram({ program, argv, variables, signal });
    if (code === null) return `${program} cannot be started: ${tail}`;
    if (code !== 0) return tail.trim() === '' ? `pip ended with ${code}` : tail;
    const names = await readdir(folder);
    return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function checkHashes(files: Map<string, Buffer>, requirements: string): Map<string, Buffer> {
  const known = new Set(hashesOf(requirements));
  for (const [name, bytes] of files) {
    const found = sha256Hex(bytes);
    if (!known.has(found)) throw new DownloadError({ host: '', container: null, mismatch: `${name}: ${found}` });
  }
  if (files.size > 0) return files;
  throw new DownloadError({ host: 'pip left no file', container: null, mismatch: null });
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
