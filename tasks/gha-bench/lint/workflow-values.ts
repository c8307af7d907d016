import { parse } from 'yaml';
import type { Tree } from '../../../src/suite-kit/packed-files.js';

export type Mapping = Record<string, unknown>;

/** One workflow as plain values; what is not of its kind is empty. */
export interface WorkflowValues {
  path: string;
  /** Names of its events. */
  events: string[];
  top: Mapping;
  jobs: { id: string; job: Mapping; steps: Mapping[] }[];
}

/** The workflows of a tree that GitHub takes: the layer before has looked at them. */
export function workflowValues(tree: Tree): WorkflowValues[] {
  return [...tree]
    .filter(([path]) => /^\.github\/workflows\/[^/]+\.ya?ml$/.test(path))
    .map(([path, bytes]) => valuesOf(path, mapping(parse(Buffer.from(bytes).toString('utf8'), { maxAliasCount: -1 }))));
}

function valuesOf(path: string, top: Mapping): WorkflowValues {
  const jobs = Object.entries(mapping(top.jobs)).map(([id, value]) => {
    const job = mapping(value);
    return { id, job, steps: Array.isArray(job.steps) ? job.steps.map(mapping) : [] };
  });
  return { path, events: eventNames(top.on), top, jobs };
}

function eventNames(on: unknown): string[] {
  if (typeof on === 'string') return [on];
  return Array.isArray(on) ? on.filter((name) => typeof name === 'string') : Object.keys(mapping(on));
}

export const mapping = (value: unknown): Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Mapping) : {};

/** Text of a scalar; empty for everything else. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
