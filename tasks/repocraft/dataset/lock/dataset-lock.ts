import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DomainFailure } from '../../../../src/domain/failure/domain-failure.js';
import { jsonHash } from '../../../../src/domain/text/content-hash.js';
import { committedError, readCommitted } from '../../../../src/suite-kit/committed-json.js';
import { lockSchema } from './lock-schema.js';
import type { Difficulty } from '../repocraft-task.js';

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
  /** Written by a model; absent where the description is made by rule. */
  description?: string;
}

/** A project's part of the dataset: ids and hashes, no third-party code. Committed as `<project>.lock.json`. */
export interface DatasetLock {
  suite: 'repocraft';
  /** A number, raised by hand when the recipe changes meaning; an id where a model described the tasks of one. */
  version: number | string;
  /** Who described the tasks, where it was a model: its name, the prompt, and how many descriptions are its own. */
  descriptions?: { model: string; prompt: string; byModel: number; byRule: number };
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

/** Where a project's lock lies; relative to the suite's folder where that is empty. @param version of one described by a model */
export function lockPath(project: string, suiteFolder: string, version?: string): string {
  const folder = version === undefined ? 'dataset' : join('dataset', VERSIONS, version);
  return join(suiteFolder, folder, `${project}.lock.json`);
}

const VERSIONS = 'versions';

/**
 * Reads a committed lock.
 * @throws DomainFailure `dataset.missing` when it is absent or damaged
 */
export async function readLock(project: string, suiteFolder: string, version?: string): Promise<DatasetLock> {
  const file = { path: lockPath(project, suiteFolder, version), noun: 'dataset lock' };
  if (version !== undefined && !existsSync(file.path)) throw await unknownVersion(project, suiteFolder, version);
  const lock = (await readCommitted({ ...file, schema: lockSchema })) as unknown as DatasetLock;
  if (new Set(lock.tasks.map(({ id }) => id)).size < lock.tasks.length)
    throw committedError(file, 'is damaged: a task is in it twice');
  if (lock.digest !== tasksDigest(lock.tasks))
    throw committedError(file, 'is damaged: its tasks do not have its digest');
  const { counts, tasks } = lock;
  if (counts.tasks !== tasks.length || counts.functions !== tasks.flatMap(({ functions }) => functions).length)
    throw committedError(file, 'is damaged: it holds other numbers of tasks or test functions than it counts');
  if (lock.project !== project) throw committedError(file, `is not the lock of ${project}`);
  return lock;
}

async function unknownVersion(project: string, suiteFolder: string, version: string): Promise<DomainFailure> {
  const locks = await readdir(join(suiteFolder, 'dataset', VERSIONS), { recursive: true }).catch(() => []);
  const known = locks.filter((path) => basename(path) === `${project}.lock.json`).map((path) => dirname(path));
  return new DomainFailure('dataset.missing', {
    message: `there is no version "${version}" of the tasks of ${project}`,
    expected: ['the usual one (leave the version out)', ...known.sort()].join(', '),
    fix: `name one of these, or make it: durabench dataset build repocraft --project ${project} --descriptions MODEL`,
  });
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
