import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { DomainFailure } from '../../domain/failure/domain-failure.js';
import type { Downloads, PinnedFile } from '../../ports/downloads.js';

/** A server is asked again this often, each time for what is missing. */
const ATTEMPTS = 5;
const PAUSE_MS = 500;
/** A connection that brings nothing for so long is given up. */
const SILENCE_MS = 60_000;
/** A part that nobody has written to for so long is nobody's, wherever its process runs. */
const ABANDONED_MS = 600_000;

/** Downloads into `<folder>/<sha-256>`; several processes may share the folder. `pauseMs`: between attempts, growing. */
export function createFileDownloads({ folder, pauseMs = PAUSE_MS }: { folder: string; pauseMs?: number }): Downloads {
  const running = new Map<string, Promise<{ path: string; bytes: number }>>();

  async function obtain(wanted: PinnedFile, signal?: AbortSignal, say?: (line: string) => void) {
    const path = join(folder, wanted.sha256);
    const found = await sizeOf(path);
    if (found !== null) return { path, bytes: found };
    await mkdir(folder, { recursive: true });
    const part = await takePart(folder, wanted.sha256);
    for (let attempt = 1; ; attempt += 1) {
      signal?.throwIfAborted();
      try {
        await fill(part, wanted, signal, say);
        break;
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof DomainFailure || attempt === ATTEMPTS) throw await failed(wanted, part, error);
        await sleep(pauseMs * attempt, undefined, signal ? { signal } : {});
      }
    }
    const sha256 = await hashOf(part);
    if (sha256 !== wanted.sha256) {
      await rm(part, { force: true });
      throw mismatch(wanted, `its sha-256 is ${sha256}`);
    }
    await rename(part, path);
    return { path, bytes: (await sizeOf(path)) ?? 0 };
  }

  return {
    fetch(wanted, { signal, onProgress } = {}) {
      const current =
        running.get(wanted.sha256) ?? obtain(wanted, signal, onProgress).finally(() => running.delete(wanted.sha256));
      running.set(wanted.sha256, current);
      return current;
    },
  };
}

/** A name of this process for the part that is there, or a new one. A rename is won by one. */
async function takePart(folder: string, sha256: string): Promise<string> {
  const own = join(folder, `${sha256}.${process.pid}.${randomBytes(4).toString('hex')}.part`);
  for (const name of await readdir(folder)) {
    const [of, pid = '', , ending] = name.split('.');
    if (of !== sha256 || ending !== 'part' || !(await isAbandoned(join(folder, name), Number(pid)))) continue;
    const isMine = await rename(join(folder, name), own).then(
      () => true,
      () => false,
    );
    if (isMine) return own;
  }
  return own;
}

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
  wanted: PinnedFile,
  signal: AbortSignal | undefined,
  say: ((line: string) => void) | undefined,
): Promise<void> {
  const has = (await sizeOf(part)) ?? 0;
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(new Error('the server says nothing')), SILENCE_MS);
  try {
    const response = await fetch(wanted.url, {
      headers: { 'accept-encoding': 'identity', ...(has > 0 ? { range: `bytes=${has}-` } : {}) },
      signal: AbortSignal.any([silence.signal, ...(signal ? [signal] : [])]),
    });
    // All of it is there already, or of another file that was larger: its hash tells.
    if (response.status === 416 && has > 0) return void (await response.body?.cancel());
    if (response.status >= 500 || response.status === 429) throw new Error(`the server answers ${response.status}`);
    if (!response.ok || response.body === null) throw missing(wanted, `the server answers ${response.status}`);
    const from = response.status === 206 ? has : 0;
    if (from > 0) say?.(`going on with ${wanted.url} at ${from} bytes`);
    const length = Number(response.headers.get('content-length') ?? 0);
    if (from + length > wanted.mostBytes) throw mismatch(wanted, `it has ${from + length} bytes`);
    const file = await open(part, from > 0 ? 'a' : 'w');
    try {
      let bytes = from;
      for await (const chunk of Readable.fromWeb(response.body)) {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(new Error('the server says nothing')), SILENCE_MS);
        bytes += (chunk as Buffer).length;
        if (bytes > wanted.mostBytes) throw mismatch(wanted, 'it has more');
        await file.writeFile(chunk as Buffer);
      }
      await file.sync();
    } finally {
      await file.close();
    }
  } finally {
    clearTimeout(timer);
  }
}

/** What is to be thrown; of a file that is another nothing is kept. */
async function failed(wanted: PinnedFile, part: string, error: unknown): Promise<DomainFailure> {
  if (!(error instanceof DomainFailure)) {
    const { message, cause } = error as Error & { cause?: Error };
    return missing(wanted, cause?.message ?? message, error);
  }
  if (error.type === 'dataset.hash-mismatch') await rm(part, { force: true });
  return error;
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  );
}

function missing({ url }: PinnedFile, why: string, cause?: unknown): DomainFailure {
  return new DomainFailure(
    'dataset.missing',
    {
      message: `${url} cannot be downloaded: ${why}`,
      expected: 'a server that serves it',
      fix: 'check the connection, then run the command again: it goes on where it was',
    },
    { cause },
  );
}

function mismatch({ url, sha256, mostBytes }: PinnedFile, why: string): DomainFailure {
  return new DomainFailure('dataset.hash-mismatch', {
    message: `${url} is another file than was pinned: ${why}`,
    expected: `sha-256 ${sha256}, at most ${mostBytes} bytes`,
    fix: 'find out why it changed; pin the new one only if it is what you want',
  });
}
