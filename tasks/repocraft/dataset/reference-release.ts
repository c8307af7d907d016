import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import { sha256Hex } from '../../../src/domain/text/content-hash.js';
import type { DatasetTools } from '../../../src/suite/dataset.js';
import { packFiles } from '../../../src/suite-kit/packed-files.js';
import { sizeProblem } from '../../../src/suite-kit/snapshot/candidate-limits.js';
import type { ReleasePin } from './project-settings.js';
import { readTarEntries } from '../../../src/suite-kit/tar-entries.js';
import { readZipEntries } from '../../../src/suite-kit/zip-entries.js';

/** Files of an unpacked release: path (of a source release without its top folder) → bytes. */
export type ReleaseFiles = ReadonlyMap<string, Buffer>;

type ReleaseTools = Pick<DatasetTools, 'cacheFolder' | 'onProgress' | 'packages' | 'signal' | 'suiteFolder'>;

/**
 * The pinned release, unpacked in memory: a folder of ours, or downloaded once; its hash is checked every time.
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
  return pin.kind === 'wheel' ? unpackWheel(bytes, releaseFile(pin)) : unpackRelease(bytes);
}

/** Unpacks a wheel in memory; only plain files. */
function unpackWheel(bytes: Buffer, name: string): ReleaseFiles {
  const entries = readZipEntries(bytes, (count) => sizeProblem(name, count));
  if (!Array.isArray(entries))
    throw new Error(`${entries.message}: the pinned release has this hash, so the limit is wrong`);
  return new Map(entries.filter(({ link }) => link === null).map(({ name, content }) => [name, Buffer.from(content)]));
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
  throw new DomainFailure('dataset.hash-mismatch', {
    message: `${folder}: the hash of its Python files is ${found}; this is not the pinned ${pin.name} ${pin.version}`,
    expected: `the files as committed, with hash ${pin.sha256}`,
    fix: `git checkout -- ${folder}; after a change on purpose write the new hash into dataset/pins.json and build the dataset`,
  });
}

function releaseFile(pin: ReleasePin): string {
  if (pin.file === undefined) throw new TypeError(`the pin of ${pin.name} has neither file nor folder`);
  return pin.file;
}

function checkHash(bytes: Buffer, pin: ReleasePin, path: string): void {
  const found = sha256Hex(bytes);
  if (found === pin.sha256) return;
  throw new DomainFailure('dataset.hash-mismatch', {
    message: `${path}: sha-256 is ${found}; this is not the pinned release of ${pin.name} ${pin.version}`,
    expected: `the file with sha-256 ${pin.sha256}`,
    fix: 'delete that file and run the command again; if the hash is wrong again, check the package index in use',
  });
}

async function readIfPresent(path: string): Promise<Buffer | null> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

async function downloadRelease(pin: ReleasePin, path: string, tools: ReleaseTools): Promise<Buffer> {
  const { name, version, kind = 'sdist', sha256 } = pin;
  const file = releaseFile(pin);
  const byHand = `put ${file} (sha-256 ${sha256}) at ${path}`;
  const { signal, onProgress } = tools;
  const bytes = await tools.packages.download(
    { name, version, kind, sha256, byHand, ...wheelFit(file) },
    { signal, onProgress },
  );
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

/** What a compiled wheel's name says it was made for; nothing for any other file. */
function wheelFit(file: string): { fits?: { python: string; machine: string } } {
  const [, major, minor, machine] = /-cp(\d)(\d+)-.*linux_\d+_\d+_(\w+)\.whl$/.exec(file) ?? [];
  return machine === undefined ? {} : { fits: { python: `${major}.${minor}`, machine } };
}

/** Unpacks a gzipped tar in memory. Only plain files inside the top folder; anything else in a release is left out. */
export async function unpackRelease(bytes: Buffer): Promise<ReleaseFiles> {
  const files = new Map<string, Buffer>();
  for (const { name, content, link } of await readTarEntries(gunzipSync(bytes))) {
    const parts = name.split('/').slice(1);
    if (link === null && parts.length > 0 && !parts.includes('..')) files.set(parts.join('/'), Buffer.from(content));
  }
  return files;
}
