import { existsSync } from 'node:fs';
import { lockPath, readLock, type DatasetLock, type LockedTask } from './dataset-lock.js';
import type { Draft } from '../describing/drafts.js';

/** A locked task as the dataset's Python finds it again in the release. */
export type LockedPlace = Pick<LockedTask, 'id' | 'category' | 'file' | 'functions'>;

/** Where the tasks of a lock are found. */
export function placesOf({ tasks }: DatasetLock): LockedPlace[] {
  return tasks.map(({ id, category, file, functions }) => ({ id, category, file, functions }));
}

/**
 * The tasks whose place in the sample a build keeps: those of the committed lock; none where a project has no lock yet.
 * @throws DomainFailure `dataset.missing` when it is damaged
 */
export async function keptSample(project: string, suiteFolder: string): Promise<LockedPlace[]> {
  return existsSync(lockPath(project, suiteFolder)) ? placesOf(await readLock(project, suiteFolder)) : [];
}

/** Tells whether a draft consists of exactly the functions of a kept task. */
export function holdsPlace(kept: readonly LockedPlace[]): (draft: Draft) => boolean {
  const key = (file: string, functions: readonly string[]): string => JSON.stringify([file, [...functions].sort()]);
  const known = new Set(kept.map(({ file, functions }) => key(file, functions)));
  return ({ source, functions }) => known.has(key(source.file, functions));
}
