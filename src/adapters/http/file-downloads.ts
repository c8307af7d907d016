import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { DomainFailure } from '../../domain/failure/domain-failure.js';
import { isDiskFull } from '../../domain/failure/system-words.js';
import { sha256Hex } from '../../domain/text/content-hash.js';
import type { DownloadOptions, Downloads, PinnedFile, WebFile } from '../../ports/downloads.js';
import { askServer, insist, missing, type Wait } from './ask-server.js';

/** Before a server that failed is asked again; growing. */
const PAUSE_MS = 500;
/** A part that nobody has written to for so long is nobody's, wherever its process runs. */
const ABANDONED_MS = 600_000;
/** Answers of services are small. */
const MOST_TEXT_BYTES = 4 * 1024 ** 2;

type Wanted = WebFile & Partial<Pick<PinnedFile, 'sha256'>>;

const waiting: Wait = (ms, signal) => sleep(ms, undefined, signal ? { signal } : {});

/** Downloads into `<folder>/<sha-256>`; several processes may share the folder. `pauseMs`: between attempts, growing. */
export function createFileDownloads({
  folder,
  pauseMs = PAUSE_MS,
  wait = waiting,
}: {
  folder: string;
  pauseMs?: number;
  wait?: Wait;
}): Downloads {
  const running = new Map<string, Promise<{ path: string; bytes: number; sha256: string }>>();
  const nothing = (): Promise<number> => Promise.resolve(0);

  /** `key`: what the part is of. */
  async function obtain(wanted: Wanted, key: string, { signal, onProgress }: DownloadOptions) {
    await mkdir(folder, { recursive: true });
    const part = await takePart(folder, key);
    const progress = async (): Promise<number> => (await sizeOf(part)) ?? 0;
    for (let isAnew = false; ; isAnew = true) {
      let isResumed = false;
      const once = async (): Promise<void> => {
        isResumed = (await progress()) > 0;
        await fill(part, wanted, signal, onProgress);
      };
      try {
        await insist(wanted.url, { signal, wait, pauseMs, progress }, once);
        const sha256 = await checked(part, wanted);
        const path = join(folder, sha256);
        await rename(part, path);
        return { path, bytes: (await sizeOf(path)) ?? 0, sha256 };
      } catch (error) {
        if (isDiskFull(error)) throw full(folder, error);
        if (!(error instanceof DomainFailure && error.type === 'dataset.hash-mismatch')) throw error;
        await rm(part, { force: true });
        // What was there before may have been of another file; what came since then was not.
        if (!isResumed || isAnew) throw error;
      }
    }
  }

  /** Callers that want the same at the same time get the same. */
  function shared(wanted: Wanted, key: string, options: DownloadOptions) {
    const current = running.get(key) ?? obtain(wanted, key, options).finally(() => running.delete(key));
    running.set(key, current);
    return current;
  }

  return {
    async fetch(wanted, options = {}) {
      const path = join(folder, wanted.sha256);
      const found = await sizeOf(path);
      if (found !== null) return { path, bytes: found };
      const { bytes } = await shared(wanted, wanted.sha256, options);
      return { path, bytes };
    },
    pin: (wanted, options = {}) => shared(wanted, unpinnedKey(wanted), options),
    async remaining(wanted) {
      const { sha256 } = wanted as Wanted;
      if (sha256 !== undefined && (await sizeOf(join(folder, sha256))) !== null) return 0;
      const [part] = await abandonedParts(folder, sha256 ?? unpinnedKey(wanted));
      const has = part === undefined ? 0 : ((await sizeOf(part)) ?? 0);
      return Math.max(0, (wanted.bytes ?? wanted.mostBytes) - has);
    },
    read: (url, { signal } = {}) =>
      insist(url, { signal, wait, pauseMs, progress: nothing }, () => readText(url, signal)),
  };
}

/** A name of this process for the part that is there, or a new one. A rename is won by one. */
async function takePart(folder: string, sha256: string): Promise<string> {
  const own = join(folder, `${sha256}.${process.pid}.${randomBytes(4).toString('hex')}.part`);
  for (const path of await abandonedParts(folder, sha256)) {
    const isMine = await rename(path, own).then(
      () => true,
      () => false,
    );
    if (isMine) return own;
  }
  return own;
}

/** Parts that nobody writes to. */
async function abandonedParts(folder: string, key: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const [of, pid = '', , ending] = name.split('.');
    const path = join(folder, name);
    if (of === key && ending === 'part' && (await isAbandoned(path, Number(pid)))) found.push(path);
  }
  return found;
}

/** What the part of a file without a known sha-256 is called by. */
const unpinnedKey = ({ url, md5 }: WebFile): string => sha256Hex(`${url} ${md5 ?? ''}`);

async function isAbandoned(path: string, pid: number): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  if (found === null) return false;
  if (Date.now() - found.mtimeMs > ABANDONED_MS) return true;
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Brings what a part lacks. Fails with a `DomainFailure` where asking again is of no use. */
async function fill(
  part: string,
  wanted: Wanted,
  signal: AbortSignal | undefined,
  say: ((line: string) => void) | undefined,
): Promise<void> {
  const has = (await sizeOf(part)) ?? 0;
  const headers: Record<string, string> = has > 0 ? { range: `bytes=${has}-` } : {};
  await askServer(wanted.url, { headers, signal }, async (response, alive) => {
    // All of it is there already, or of another file that was larger: its hash tells.
    if (response.status === 416 && has > 0) return void (await response.body?.cancel());
    if (response.status === 404 || response.status === 410) throw vanished(wanted, response.status);
    if (!response.ok || response.body === null) throw missing(wanted.url, `the server answers ${response.status}`);
    const from = response.status === 206 ? has : 0;
    const range = response.headers.get('content-range');
    if (response.status === 206 && range !== null && !range.startsWith(`bytes ${has}-`)) {
      await response.body.cancel();
      await rm(part, { force: true });
      throw new Error(`the server answers with another range: ${range}`);
    }
    if (from > 0) say?.(`going on with ${wanted.url} at ${from} bytes`);
    const length = Number(response.headers.get('content-length') ?? 0);
    if (from + length > wanted.mostBytes) throw mismatch(wanted, `it has ${from + length} bytes`);
    const file = await open(part, from > 0 ? 'a' : 'w');
    let bytes = from;
    try {
      for await (const chunk of Readable.fromWeb(response.body)) {
        alive();
        bytes += (chunk as Buffer).length;
        if (bytes > wanted.mostBytes) throw mismatch(wanted, 'it has more');
        await file.writeFile(chunk as Buffer);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    if (wanted.bytes !== undefined && bytes < wanted.bytes)
      throw new Error(`it ended after ${bytes} of ${wanted.bytes} bytes`);
  });
}

/** sha-256 of a part that is what was wanted. */
async function checked(part: string, wanted: Wanted): Promise<string> {
  const [sha256, md5] = await hashesOf(part);
  if (wanted.sha256 !== undefined && sha256 !== wanted.sha256) throw mismatch(wanted, `its sha-256 is ${sha256}`);
  if (wanted.md5 !== undefined && md5 !== wanted.md5) throw mismatch(wanted, `its md5 is ${md5}`);
  const bytes = await sizeOf(part);
  if (wanted.bytes !== undefined && bytes !== wanted.bytes) throw mismatch(wanted, `it has ${bytes} bytes`);
  return sha256;
}

async function hashesOf(path: string): Promise<[sha256: string, md5: string]> {
  const [sha256, md5] = [createHash('sha256'), createHash('md5')];
  // A file without a byte leaves no part.
  if ((await sizeOf(path)) === null) await (await open(path, 'a')).close();
  for await (const chunk of createReadStream(path)) {
    sha256.update(chunk as Buffer);
    md5.update(chunk as Buffer);
  }
  return [sha256.digest('hex'), md5.digest('hex')];
}

async function readText(url: string, signal: AbortSignal | undefined): Promise<{ url: string; text: string } | null> {
  return askServer(url, { headers: { accept: 'application/json' }, signal }, async (response, alive) => {
    const isThere = response.status !== 404 && response.status !== 410;
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      if (isThere) throw missing(url, `the server answers ${response.status}`);
      return null;
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of Readable.fromWeb(response.body)) {
      alive();
      bytes += (chunk as Buffer).length;
      if (bytes > MOST_TEXT_BYTES) throw missing(url, `the answer has more than ${MOST_TEXT_BYTES} bytes`);
      chunks.push(Buffer.from(chunk as Uint8Array));
    }
    return { url: response.url, text: Buffer.concat(chunks).toString('utf8') };
  });
}

async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  );
}

function vanished({ url }: Wanted, status: number): DomainFailure {
  return new DomainFailure('dataset.missing', {
    message: `${url} is not there any more: the server answers ${status}`,
    expected: 'the file as it was published',
    fix: 'ask its publisher where it went; a copy with the same hash will do',
  });
}

function full(folder: string, cause: unknown): DomainFailure {
  return new DomainFailure(
    'sandbox.disk-full',
    {
      message: `the disk of ${folder} is full`,
      expected: 'room for what is downloaded',
      fix: 'free disk space, then run the command again: it goes on where it was',
    },
    { cause },
  );
}

function mismatch({ url, sha256, md5, mostBytes }: Wanted, why: string): DomainFailure {
  const hash = sha256 !== undefined ? `sha-256 ${sha256}, ` : md5 !== undefined ? `md5 ${md5}, ` : '';
  return new DomainFailure('dataset.hash-mismatch', {
    message: `${url} is another file than ${sha256 === undefined ? 'its publisher says' : 'was pinned'}: ${why}`,
    expected: `${hash}at most ${mostBytes} bytes`,
    fix: 'find out why it changed; pin the new one only if it is what you want',
  });
}
