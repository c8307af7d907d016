import { join } from 'node:path';
import { jsonHash } from '../../../src/domain/content-hash.js';
import { committedTrouble, readCommitted } from './committed-json.js';
import { lockSchema } from './lock-schema.js';
import type { Difficulty } from './repocraft-task.js';

/** One task as the lock pins it: enough to cut it out of the release again, and the hash it must then have. */
export interface LockedTask {
  id: string;
  /** sha-256 of the task's canonical JSON, which is its blob. */
  sha256: string;
  category: string;
  difficulty: Difficulty;
  file: string;
  lines: [number, number][];
  functions: string[];
}

/** A project's part of the dataset: ids and hashes, no third-party code. Committed as `<project>.lock.json`. */
export interface DatasetLock {
  suite: 'repocraft';
  /** Raised by hand when the recipe changes meaning. */
  version: number;
  project: string;
  reference: { name: string; version: string; sha256: string };
  /** sha-256 over settings, overrides, pin, Python and shims that made it. */
  recipe: string;
  /** Test functions harvested, dropped by rule, left out by the sample, kept. */
  counts: { harvested: number; dropped: Record<string, number>; notSampled: number; functions: number; tasks: number };
  tasks: LockedTask[];
  /** sha-256 over the sorted (id, sha256) pairs. */
  digest: string;
}

/** Where a project's lock lies; relative to the suite's folder where that is empty. */
export function lockPath(project: string, suiteFolder: string): string {
  return join(suiteFolder, 'dataset', `${project}.lock.json`);
}

/**
 * Reads a committed lock.
 * @throws DomainFailure `dataset.missing` when it is absent or damaged
 */
export async function readLock(project: string, suiteFolder: string): Promise<DatasetLock> {
  const file = { path: lockPath(project, suiteFolder), noun: 'dataset lock' };
  const lock = (await readCommitted({ ...file, schema: lockSchema })) as unknown as DatasetLock;
  if (new Set(lock.tasks.map(({ id }) => id)).size < lock.tasks.length)
    throw committedTrouble(file, 'is damaged: a task is in it twice');
  if (lock.digest !== tasksDigest(lock.tasks))
    throw committedTrouble(file, 'is damaged: its tasks do not have its digest');
  if (lock.project !== project) throw committedTrouble(file, `is not the lock of ${project}`);
  return lock;
}

/** The text of a lock's file: stable key order, one task a line, so that a change is a readable diff. */
export function lockText(lock: DatasetLock): string {
  const { tasks, digest, ...head } = lock;
  const opening = JSON.stringify(head, null, 2).slice(0, -2);
  const lines = tasks.map((task) => `    ${JSON.stringify(task)}`).join(',\n');
  return `${opening},\n  "tasks": [\n${lines}\n  ],\n  "digest": "${digest}"\n}\n`;
}

/** The digest of a set of tasks, whatever their order. */
export function tasksDigest(tasks: readonly { id: string; sha256: string }[]): string {
  return jsonHash(tasks.map(({ id, sha256 }) => [id, sha256]).sort(([a = ''], [b = '']) => (a < b ? -1 : 1)));
}
