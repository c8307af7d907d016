import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import { taxonomyLeaves } from '../metrics.js';

/** Project → name of its tree: the paraphrased names of RPG-ZeroRepo. */
const TREES: Readonly<Record<string, string>> = {
  requests: 'HttpEasy',
  'scikit-learn': 'MLKit-Py',
  pandas: 'TableKit',
  sympy: 'SymbolicMath',
  statsmodels: 'StatModeler',
  django: 'PyWebEngine',
  textkit: 'ProseMeter',
};

/** What a repository of one kind is expected to be able to do. */
export interface Taxonomy {
  leaves: string[];
  /** The leaves a category of our tasks is about, by its longest dotted prefix in the map; empty where the taxonomy has no place for it. */
  leavesOf(category: string): readonly string[];
  /** Whether there is a map of its categories. */
  isMapped: boolean;
}

const maps = z.record(z.string(), z.record(z.string(), z.array(z.string())));

/**
 * The taxonomy of a project: the published one, or one of ours for a library of ours (beside this file); null where
 * there is none. Categories are mapped by `coverage/categories.json`.
 * @throws DomainFailure `harness.bug`: the map names what the taxonomy does not have
 */
export async function readTaxonomy(suiteFolder: string, project: string): Promise<Taxonomy | null> {
  const name = TREES[project];
  if (name === undefined) return null;
  const tree =
    (await jsonOf(join(suiteFolder, 'published', 'trees', `${name}.json`))) ??
    (await jsonOf(join(suiteFolder, 'coverage', `${name}.json`)));
  if (tree === undefined) return null;
  const leaves = taxonomyLeaves(tree);
  const map = maps.parse(await jsonOf(join(suiteFolder, 'coverage', 'categories.json')))[project];
  const strange = Object.values(map ?? {}).flatMap((names) => names.filter((each) => !leaves.includes(each)));
  if (strange.length > 0) throw new DomainFailure('harness.bug', `categories of ${project}: no leaf ${strange[0]}`);
  const leavesOf = (category: string): readonly string[] => {
    const prefixes = category.split('.').map((_, index, parts) => parts.slice(0, parts.length - index).join('.'));
    const known = prefixes.find((prefix) => Object.hasOwn(map ?? {}, prefix));
    return known === undefined ? [] : (map?.[known] ?? []);
  };
  return { leaves, leavesOf, isMapped: map !== undefined };
}

/** A file that may be missing. */
async function jsonOf(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}
