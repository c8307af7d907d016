import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import tar from 'tar-stream';
import { sha256Hex } from '../../../src/domain/content-hash.js';
import type { DatasetTools } from '../../../src/ports/suite.js';
import { datasetTrouble } from './dataset-trouble.js';
import { packFiles } from './packed-files.js';
import type { ReleasePin } from './project-settings.js';

/** Files of an unpacked release: path without the top folder → bytes. */
export type ReleaseFiles = ReadonlyMap<string, Buffer>;

type ReleaseTools = Pick<DatasetTools, 'cacheFolder' | 'onProgress' | 'packages' | 'signal' | 'suiteFolder'>;

/**
 * The pinned source release, unpacked in memory: a folder of ours, or downloaded once; its hash is checked every time.
 * Fails with `dataset.hash-mismatch` or `dataset.missing`.
 */
export async function obtainRelease(pin: ReleasePin, tools: ReleaseTools): Promise<ReleaseFiles> {
  if (pin.folder !== undefined) return ownRelease(pin, join(tools.suiteFolder, pin.folder));
  const folder = join(tools.cacheFolder, 'releases');
  const path = join(folder, releaseFile(pin));
  let bytes = await readIfPresent(path);
  if (bytes === null) {
    await mkdir(folder, { recursive: true });
    tools.onProgress(`downloading ${releaseFile(pin)}`);
    bytes = await downloadRelease(pin, path, tools);
  }
  checkHash(bytes, pin, path);
  return unpackRelease(bytes);
}

/** A library that is part of this repository; its normalised tar has the pinned hash. */
async function ownRelease(pin: ReleasePin, folder: string): Promise<ReleaseFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sources = paths.filter((path) => path.endsWith('.py'));
  const named = sources.map(
    async (path) => [relative(folder, path).split(sep).join('/'), await readFile(path)] as const,
  );
  const files = new Map(await Promise.all(named));
  const found = sha256Hex(await packFiles(files));
  if (found === pin.sha256) return files;
  throw datasetTrouble('dataset.hash-mismatch', {
    what: `${folder}: the hash of its Python files is ${found}; this is not the pinned ${pin.name} ${pin.version}`,
    allowed: `the files as committed, with hash ${pin.sha256}`,
    remedy: `git checkout -- ${folder}; after a change on purpose write the new hash into dataset/pins.json and build the dataset`,
  });
}

function releaseFile(pin: ReleasePin): string {
  if (pin.file === undefined) throw new TypeError(`the pin of ${pin.name} has neither file nor folder`);
  return pin.file;
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

async function downloadRelease(pin: ReleasePin, path: string, tools: ReleaseTools): Promise<Buffer> {
  const { name, version, sha256 } = pin;
  const byHand = `put ${releaseFile(pin)} (sha-256 ${sha256}) at ${path}`;
  const { signal, onProgress } = tools;
  const bytes = await tools.packages.download({ name, version, kind: 'sdist', sha256, byHand }, { signal, onProgress });
  // Whole or not at all, also when two commands download at once.
  const partial = `${path}.${randomUUID()}`;
  try {
    await writeFile(partial, bytes);
    await rename(partial, path);
  } finally {
    await rm(partial, { force: true });
  }
  return bytes;
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
