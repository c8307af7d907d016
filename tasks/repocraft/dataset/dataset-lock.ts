import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonHash } from '../../../src/domain/content-hash.js';
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

/** Where a project's lock lies. */
export function lockPath(project: string, suiteFolder: string): string {
  return join(suiteFolder, 'dataset', `${project}.lock.json`);
}

/** Reads a committed lock. */
export async function readLock(project: string, suiteFolder: string): Promise<DatasetLock> {
  return JSON.parse(await readFile(lockPath(project, suiteFolder), 'utf8')) as DatasetLock;
}

/** Writes a lock: stable key order, one task a line, so that a change is a readable diff. */
export async function writeLock(lock: DatasetLock, suiteFolder: string): Promise<string> {
  const { tasks, digest, ...head } = lock;
  const opening = JSON.stringify(head, null, 2).slice(0, -2);
  const lines = tasks.map((task) => `    ${JSON.stringify(task)}`).join(',\n');
  const path = lockPath(lock.project, suiteFolder);
  await writeFile(path, `${opening},\n  "tasks": [\n${lines}\n  ],\n  "digest": "${digest}"\n}\n`);
  return path;
}

/** The digest of a set of tasks, whatever their order. */
export function tasksDigest(tasks: readonly { id: string; sha256: string }[]): string {
  return jsonHash(tasks.map(({ id, sha256 }) => [id, sha256]).sort(([a = ''], [b = '']) => (a < b ? -1 : 1)));
}
