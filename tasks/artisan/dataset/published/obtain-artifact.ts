import { DomainFailure } from '../../../../src/domain/failure/domain-failure.js';
import type { PinnedFile, WebFile } from '../../../../src/ports/downloads.js';
import type { DatasetTools } from '../../../../src/suite/dataset.js';
import { recallJson, rememberJson } from '../../../../src/suite-kit/json-blobs.js';
import { artifactAddress } from './artifact-address.js';
import { findArtifact, type FoundArtifact } from './find-artifact.js';
import type { ArtifactLock } from './published-lock.js';
import { tooLarge, type ArtifactBytes, type Room } from './refusals.js';

/** Of a code archive, whose service does not say its size. */
const ARCHIVE_MOST_BYTES = 2 * 1024 ** 3;

/** An artifact that is there, or null where it is too large to be downloaded; and how large it was found before that. */
export interface Obtained {
  artifact: ArtifactLock | null;
  size: ArtifactBytes;
}

/**
 * Has the files of an artifact in the cache of downloads. What is locked is downloaded as it was pinned, and its service is
 * not asked; else it is looked up and pinned. Files that an earlier attempt has brought are not downloaded again.
 * @throws DomainFailure `dataset.missing`, `dataset.hash-mismatch`, `sandbox.disk-full`
 */
export async function obtainArtifact(
  { address, locked, room }: { address: string; locked: ArtifactLock | undefined; room: Room },
  tools: DatasetTools,
): Promise<Obtained> {
  if (locked !== undefined) {
    if (locked.address !== address) throw otherAddress(address, locked);
    const size = await lockedSize(locked, tools);
    if (tooLarge(size, room) !== false) return { artifact: null, size };
    for (const file of locked.files) await tools.downloads.fetch({ ...file, mostBytes: file.bytes }, tools);
    return { artifact: locked, size };
  }
  const known = artifactAddress(address);
  if (known === null) throw noAddress(address);
  const found = await findArtifact(known, tools);
  const wanted: Wanted[] = [];
  for (const file of found.files) wanted.push(await remembered(file, tools));
  const size = await sizeOf(wanted, tools);
  if (tooLarge(size, room) !== false) return { artifact: null, size };
  tools.onProgress(`${address}: ${found.service} ${found.id}, ${wanted.length} files, ${size.bytes} bytes`);
  const files: ArtifactLock['files'] = [];
  for (const file of wanted) files.push(await pinned(file, tools));
  return { artifact: { address, service: found.service, id: found.id, files }, size };
}

/** Of an artifact that is locked. */
export function lockedSize({ files }: ArtifactLock, tools: Pick<DatasetTools, 'downloads'>): Promise<ArtifactBytes> {
  return sizeOf(
    files.map((file) => ({ file: { ...file, mostBytes: file.bytes } })),
    tools,
  );
}

async function sizeOf(
  wanted: readonly { file: WebFile | PinnedFile }[],
  { downloads }: Pick<DatasetTools, 'downloads'>,
): Promise<ArtifactBytes> {
  const remaining = await Promise.all(wanted.map(({ file }) => downloads.remaining(file)));
  return { bytes: sum(wanted.map(({ file }) => file.bytes ?? 0)), remaining: sum(remaining) };
}

/** A file, and what an earlier attempt pinned it as. */
interface Wanted {
  name: string;
  key: string;
  file: WebFile;
  before: { bytes: number; sha256: string } | null;
}

async function remembered(
  { name, url, bytes, md5 }: FoundArtifact['files'][number],
  { blobs }: DatasetTools,
): Promise<Wanted> {
  const key = `artisan/published/1/${url}/${md5 ?? ''}`;
  const before = await recallJson<{ bytes: number; sha256: string }>(blobs, key);
  const file = {
    ...{ url, mostBytes: bytes ?? ARCHIVE_MOST_BYTES },
    ...(bytes !== null && { bytes }),
    ...(md5 !== null && { md5 }),
    ...before,
  };
  return { name, key, file, before };
}

async function pinned(
  { name, key, file, before }: Wanted,
  tools: DatasetTools,
): Promise<ArtifactLock['files'][number]> {
  const { blobs, downloads } = tools;
  if (before !== null) await downloads.fetch({ ...file, ...before }, tools);
  const { sha256, bytes } = before ?? (await downloads.pin(file, tools));
  if (before === null) await rememberJson(blobs, { key, name: 'pinned.json' }, { bytes, sha256 });
  return { name, url: file.url, bytes, ...(file.md5 !== undefined && { md5: file.md5 }), sha256 };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const otherAddress = (address: string, locked: ArtifactLock): DomainFailure =>
  new DomainFailure('dataset.hash-mismatch', {
    message: `the release names ${address}, and the lock pins ${locked.address}`,
    expected: 'the release that the lock was made with',
    fix: 'check that release out; or take the paper out of published.lock.json, and it is pinned anew',
  });

const noAddress = (address: string): DomainFailure =>
  new DomainFailure('dataset.missing', {
    message: `${address} is no artifact that can be downloaded`,
    expected: 'a record of Zenodo, an article of Figshare, a repository of GitHub, or the DOI of one of the first two',
    fix: 'put such an address into metadata.json',
  });
