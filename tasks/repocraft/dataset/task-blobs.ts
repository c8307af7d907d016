import canonicalize from 'canonicalize';
import type { EvidenceRef } from '../../../src/contract/evidence.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import { sha256Hex } from '../../../src/domain/text/content-hash.js';
import type { Blobs } from '../../../src/ports/blobs.js';
import type { DatasetLock } from './lock/dataset-lock.js';
import type { ProjectSettings } from './project-settings.js';
import { packFiles } from '../../../src/suite-kit/packed-files.js';
import type { ReleaseFiles } from './reference-release.js';
import type { RepocraftTask } from './repocraft-task.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';

/** The text a task's hash is taken of: RFC 8785 canonical JSON. */
export function taskText(task: RepocraftTask): string {
  const text = canonicalize(task);
  if (text === undefined) throw new TypeError(`task ${task.id} is not JSON`);
  return text;
}

/** The hash of a task, which is also its blob's. */
export function taskHash(task: RepocraftTask): string {
  return sha256Hex(taskText(task));
}

/** Puts every task, the manifest and the reference package into the store. Returns the manifest's hash. */
export async function storeDataset(
  blobs: Blobs,
  lock: DatasetLock,
  tasks: readonly RepocraftTask[],
  reference: Buffer,
): Promise<string> {
  for (const task of tasks) await blobs.put(taskText(task), { name: `${task.id}.json`, mediaType: 'application/json' });
  const label = { name: `${lock.project}-reference.tar`, mediaType: 'application/x-tar' };
  await blobs.remember(referenceKey(lock.project, lock.reference.sha256), await blobs.put(reference, label));
  const manifest = canonicalize(lock) ?? '';
  const stored = await blobs.put(manifest, { name: `repocraft-${lock.project}.json`, mediaType: 'application/json' });
  // Last: whoever finds the manifest finds everything it names.
  await blobs.remember(manifestKey(lock), stored);
  return stored.sha256;
}

/** True when everything a lock names is in the store already. */
export async function isStored(blobs: Blobs, lock: DatasetLock): Promise<boolean> {
  const manifest = await blobs.recall(manifestKey(lock));
  const reference = await blobs.recall(referenceKey(lock.project, lock.reference.sha256));
  if (manifest === null || reference === null) return false;
  const hashes = [manifest.sha256, reference.sha256, ...lock.tasks.map((task) => task.sha256)];
  return (await Promise.all(hashes.map((hash) => blobs.has(hash)))).every(Boolean);
}

/** Blob of the reference's own package folder, a normalised tar (`requests/…`). Fails with `dataset.missing` when the dataset was not fetched here. */
export async function referenceBlob(blobs: Blobs, project: ProjectSettings): Promise<EvidenceRef> {
  const stored = await blobs.recall(referenceKey(project.project, project.pin.sha256));
  if (stored === null) throw notFetched(project.project);
  return stored;
}

/** The bytes of {@link referenceBlob}. */
export async function referencePackage(blobs: Blobs, project: ProjectSettings): Promise<Buffer> {
  return blobs.get((await referenceBlob(blobs, project)).sha256);
}

/** All tasks of a project's lock. Fails with `dataset.missing` when the dataset was not fetched here. */
export async function lockedTasks(blobs: Blobs, lock: DatasetLock): Promise<RepocraftTask[]> {
  return Promise.all(
    lock.tasks.map(async ({ sha256 }) => {
      if (!(await blobs.has(sha256))) throw notFetched(lock.project);
      return readJsonBlob<RepocraftTask>(blobs, sha256);
    }),
  );
}

/** Packs the reference of an unpacked release. */
export async function packReference(project: ProjectSettings, release: ReleaseFiles): Promise<Buffer> {
  return packFiles(referenceFiles(project, release));
}

/** The reference in an unpacked release, as it is to be imported: its package folders, without the tests inside them. */
export function referenceFiles(project: ProjectSettings, release: ReleaseFiles): ReleaseFiles {
  const { packageRoot, packageFolders, testModules } = project.settings;
  const root = packageRoot === '.' ? '' : `${packageRoot}/`;
  const isTest = new RegExp(testModules);
  const files = [...release]
    .filter(([path]) => packageFolders.some((folder) => path.startsWith(`${root}${folder}/`)))
    .map(([path, bytes]): [string, Buffer] => [path.slice(root.length), bytes])
    // A file beside a module is in the module's folder: what is true of one is true of the other.
    .filter(([path]) => !isTest.test(path.replace(/(\/[^/]*)?$/, '').replaceAll('/', '.')));
  return new Map(files);
}

/** The failure of a stage that needs a dataset nobody fetched. */
function notFetched(project: string): DomainFailure {
  return new DomainFailure('dataset.missing', {
    message: `the tasks of ${project} are not in this blob store`,
    expected: 'a dataset fetched by its lock',
    fix: `run "durabench dataset fetch repocraft --project ${project}"`,
  });
}

function manifestKey(lock: DatasetLock): string {
  return `repocraft/dataset/${lock.project}/${lock.digest}`;
}

function referenceKey(project: string, releaseHash: string): string {
  return `repocraft/reference/${project}/${releaseHash}`;
}
