import { DomainFailure } from '../../../../src/domain/failure/domain-failure.js';
import type { DatasetTools } from '../../../../src/suite/dataset.js';
import { recallJson, rememberJson } from '../../../../src/suite-kit/json-blobs.js';
import { artifactAddress } from './artifact-address.js';
import { findArtifact, type FoundArtifact } from './find-artifact.js';
import type { ArtifactLock } from './published-lock.js';
import { tooLarge, type Room } from './refusals.js';

/** Of a code archive, whose service does not say its size. */
const ARCHIVE_MOST_BYTES = 2 * 1024 ** 3;

/** An artifact that is there, or how large it is where it is too large to be downloaded. */
export type Obtained = { artifact: ArtifactLock; bytes: number } | { artifact: null; bytes: number };

/**
 * Has the files of an artifact in the cache of downloads. What is locked is downloaded as it was pinned, and its service is
 * not asked; else it is looked up and pinned. Files that an earlier attempt has brought are not downloaded again.
 * @throws DomainFailure `dataset.missing`, `dataset.hash-mismatch`
 */
export async function obtainArtifact(
  { address, locked, room }: { address: string; locked: ArtifactLock | undefined; room: Room },
  tools: DatasetTools,
): Promise<Obtained> {
  if (locked !== undefined) {
    if (locked.address !== address) throw otherAddress(address, locked);
    const bytes = sum(locked.files);
    if (tooLarge(bytes, room) !== false) return { artifact: null, bytes };
    for (const file of locked.files) await tools.downloads.fetch({ ...file, mostBytes: file.bytes }, tools);
    return { artifact: locked, bytes };
  }
  const known = artifactAddress(address);
  if (known === null) throw noAddress(address);
  const found = await findArtifact(known, tools);
  const said = sum(found.files);
  if (tooLarge(said, room) !== false) return { artifact: null, bytes: said };
  tools.onProgress(`${address}: ${found.service} ${found.id}, ${found.files.length} files, ${said} bytes`);
  const files: ArtifactLock['files'] = [];
  for (const file of found.files) files.push(await pinned(file, tools));
  return { artifact: { address, service: found.service, id: found.id, files }, bytes: sum(files) };
}

async function pinned(
  { name, url, bytes, md5 }: FoundArtifact['files'][number],
  tools: DatasetTools,
): Promise<ArtifactLock['files'][number]> {
  const { blobs, downloads } = tools;
  const wanted = {
    ...{ url, mostBytes: bytes ?? ARCHIVE_MOST_BYTES },
    ...(bytes !== null && { bytes }),
    ...(md5 !== null && { md5 }),
  };
  const key = `artisan/published/1/${url}/${md5 ?? ''}`;
  const before = await recallJson<{ bytes: number; sha256: string }>(blobs, key);
  if (before !== null) await downloads.fetch({ ...wanted, ...before }, tools);
  const { sha256, bytes: had } = before ?? (await downloads.pin(wanted, tools));
  if (before === null) await rememberJson(blobs, { key, name: 'pinned.json' }, { bytes: had, sha256 });
  return { name, url, bytes: had, ...(md5 !== null && { md5 }), sha256 };
}

const sum = (files: readonly { bytes: number | null }[]): number =>
  files.reduce((total, { bytes }) => total + (bytes ?? 0), 0);

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
