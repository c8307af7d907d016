import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { taxonomyLeaves } from '../metrics.js';
import { PURPOSES } from '../generators/purposes.js';

const table = z.record(z.string(), z.record(z.string(), z.array(z.string())));

/** How the categories of our tasks stand to the leaves of the published taxonomies. */
export interface CategoryLeaves {
  /** All leaves of a project's taxonomy; empty for a project of ours alone. */
  leaves(project: string): readonly string[];
  /** Leaves a category's tasks stand for; empty where the taxonomy has no place for it. */
  of(project: string, category: string): readonly string[];
}

/** Reads the committed table (`categories.json`: the longest dotted prefix of a category counts) and the published trees. */
export async function readCategoryLeaves(suiteFolder: string): Promise<CategoryLeaves> {
  const read = async (name: string): Promise<unknown> =>
    JSON.parse(await readFile(join(suiteFolder, 'published', name), 'utf8'));
  const byProject = table.parse(await read('categories.json'));
  const named = Object.keys(byProject).map(
    async (project) => [project, taxonomyLeaves(await read(`trees/${PURPOSES[project]?.title}.json`))] as const,
  );
  const trees = new Map(await Promise.all(named));
  return {
    leaves: (project) => trees.get(project) ?? [],
    of(project, category) {
      const rows = byProject[project] ?? {};
      const prefixes = category.split('.').map((_, index, parts) => parts.slice(0, parts.length - index).join('.'));
      const known = prefixes.find((prefix) => Object.hasOwn(rows, prefix));
      return known === undefined ? [] : (rows[known] ?? []);
    },
  };
}
