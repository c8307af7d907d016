import canonicalize from 'canonicalize';
import { mkdir, statfs } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { datasetDigest } from '../../../../src/domain/campaign/dataset-digest.js';
import { DomainFailure } from '../../../../src/domain/failure/domain-failure.js';
import { UserError } from '../../../../src/domain/failure/user-error.js';
import type { DatasetTools, PublishedSet, PublishedTask } from '../../../../src/suite/dataset.js';
import { lockedSize, obtainArtifact, type Obtained } from './obtain-artifact.js';
import { PUBLISHED_LOCK, readPublishedLock, type ArtifactLock, type PublishedLock } from './published-lock.js';
import { readRelease, type Release, type ReleasedTable } from './read-release.js';
import { refusals, roomHere, type ArtifactBytes, type Room } from './refusals.js';

/** What came of looking for an artifact. */
type Sought = Obtained | { artifact: null; size: ArtifactBytes | null } | { failure: DomainFailure };

interface Request {
  folder: string;
  projects: string[];
  isDry: boolean;
  /** Of the disk of a folder. */
  freeBytes?: (folder: string) => Promise<number>;
}

/** Reads the published benchmark, has its artifacts downloaded and pinned, and says which of its tasks can be run here. */
export async function loadPublished(
  { folder, projects, isDry, freeBytes = freeBytesOf }: Request,
  tools: DatasetTools,
): Promise<PublishedSet> {
  const release = await readRelease(folder);
  const papers = chosenPapers(release, projects);
  const lock = await readPublishedLock(tools.suiteFolder);
  const tasks: PublishedTask[] = [];
  const made: PublishedLock = { version: 1, artifacts: {}, tasks: [] };
  for (const paper of papers) {
    const locked = lock.artifacts[paper.id];
    // Each artifact takes from what the next one finds.
    const room = roomHere(await freeBytes(tools.cacheFolder));
    const sought: Sought = isDry
      ? { artifact: null, size: locked ? await lockedSize(locked, tools) : null }
      : await seek({ address: paper.artifact_url, locked, room }, tools);
    if ('artifact' in sought && sought.artifact !== null) made.artifacts[paper.id] = sought.artifact;
    for (const table of release.tables.filter((each) => each.paper.id === paper.id)) {
      tasks.push(planned(table, sought, room));
      if ('artifact' in sought && sought.artifact !== null)
        made.tasks.push({ id: table.id, sha256: await store(table, sought.artifact, tools) });
    }
  }
  checkLocked(made, lock);
  return {
    ...{ tasks, notes: notesOf(release), digest: datasetDigest(made.tasks) },
    files: isDry ? [] : await lockFiles(merged(lock, made), lock, tools),
  };
}

function chosenPapers({ papers }: Release, projects: readonly string[]): Release['papers'] {
  const unknown = projects.filter((project) => !papers.some(({ id }) => id === project));
  if (unknown.length === 0) return papers.filter(({ id }) => projects.length === 0 || projects.includes(id));
  throw new UserError('usage', {
    message: `--project: ${unknown.join(', ')} is no paper of the release`,
    expected: `one of ${papers.map(({ id }) => id).join(', ')}`,
    fix: 'correct the name, or leave --project out for all of them',
  });
}

async function freeBytesOf(folder: string): Promise<number> {
  await mkdir(folder, { recursive: true });
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function seek(wanted: Parameters<typeof obtainArtifact>[0], tools: DatasetTools): Promise<Sought> {
  try {
    return await obtainArtifact(wanted, tools);
  } catch (error) {
    tools.signal.throwIfAborted();
    if (error instanceof DomainFailure && error.type.startsWith('dataset.')) return { failure: error };
    throw error;
  }
}

function planned(table: ReleasedTable, sought: Sought, room: Room): PublishedTask {
  const size = 'failure' in sought ? null : sought.size;
  const reasons = refusals(table, { size, room });
  const failed = 'failure' in sought ? [{ code: 'artifact', message: sought.failure.problem.message }] : [];
  const state = failed.length > 0 ? 'unavailable' : reasons.length > 0 ? 'refused' : 'planned';
  return { id: table.id, project: table.paper.id, state, reasons: [...failed, ...reasons] };
}

/** Keeps a task, whole. @returns its hash */
async function store(table: ReleasedTable, artifact: ArtifactLock, { blobs }: DatasetTools): Promise<string> {
  const { paper, text, ...rest } = table;
  const label = { name: `${table.id}.md`, mediaType: 'text/markdown' };
  const task = {
    ...{ version: 1, ...rest, paper: paper.id, title: paper.title, language: paper.language },
    needs: { docker: paper.uses_docker, api: paper.uses_api, gpu: paper.uses_gpu },
    text: text === null ? null : (await blobs.put(text, label)).sha256,
    artifact: {
      ...{ service: artifact.service, id: artifact.id },
      files: artifact.files.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 })),
    },
  };
  const content = canonicalize(task) ?? '';
  const { sha256 } = await blobs.put(content, { name: `${table.id}.json`, mediaType: 'application/json' });
  return sha256;
}

/** @throws DomainFailure where a task is not what it was pinned as */
function checkLocked(made: PublishedLock, lock: PublishedLock): void {
  const other = lock.tasks.filter(({ id, sha256 }) => {
    const now = made.tasks.find((task) => task.id === id);
    return now !== undefined && now.sha256 !== sha256;
  });
  if (other.length === 0) return;
  throw new DomainFailure('dataset.hash-mismatch', {
    message: `${other.map(({ id }) => id).join(', ')}: the release has other tables or papers than the lock says`,
    expected: 'the release that the lock was made with',
    fix: `check that release out; or take these tasks out of tasks/artisan/${PUBLISHED_LOCK}, and they are pinned anew`,
  });
}

/** What was pinned stays; what was made is added. */
function merged(lock: PublishedLock, made: PublishedLock): PublishedLock {
  const before = lock.tasks.filter(({ id }) => !made.tasks.some((task) => task.id === id));
  const artifacts = Object.entries({ ...lock.artifacts, ...made.artifacts });
  return {
    version: 1,
    artifacts: Object.fromEntries(artifacts.sort(([a], [b]) => (a < b ? -1 : 1))),
    tasks: [...before, ...made.tasks].sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

async function lockFiles(
  next: PublishedLock,
  lock: PublishedLock,
  { blobs }: DatasetTools,
): Promise<PublishedSet['files']> {
  if (isDeepStrictEqual(next, lock)) return [];
  const label = { name: PUBLISHED_LOCK, mediaType: 'application/json' };
  const { sha256 } = await blobs.put(`${JSON.stringify(next, null, 2)}\n`, label);
  return [{ path: PUBLISHED_LOCK, sha256 }];
}

function notesOf({ papers, tables, leftOut }: Release): string[] {
  const of = (differs: ReleasedTable['differs']): number => tables.filter((table) => table.differs === differs).length;
  const [inconsistent, partial] = [of('inconsistency'), of('partial')];
  const reasons = [...new Set(leftOut.map(({ reason }) => reason))].map(
    (reason) => `${leftOut.filter((each) => each.reason === reason).length} ${reason}`,
  );
  return [
    `the release: ${tables.length} tasks of ${papers.length} papers`,
    `${inconsistent + partial} ask for another table than the paper prints: ${inconsistent} inconsistent with their artifact, ${partial} in part`,
    ...(reasons.length > 0 ? [`${leftOut.length} tables were left out by its publishers: ${reasons.join(', ')}`] : []),
  ];
}
