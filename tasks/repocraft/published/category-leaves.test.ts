import { fileURLToPath } from 'node:url';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLock } from '../dataset/dataset-lock.js';
import { BENCHMARK_PROJECTS } from '../dataset/project-settings.js';
import { readCategoryLeaves } from './category-leaves.js';

const SUITE = fileURLToPath(new URL('..', import.meta.url));

describe('categories and the leaves of the published taxonomies', async () => {
  const table = await readCategoryLeaves(SUITE);

  it('takes the longest prefix, and nothing for what the taxonomy has no place for', () => {
    expect(table.of('scikit-learn', 'sklearn.metrics.pairwise')).toEqual(['Pairwise metrics, Affinities and Kernels']);
    expect(table.of('scikit-learn', 'sklearn.metrics.other')).toEqual(['Classification Metrics', 'Regression Metrics']);
    expect(table.of('scikit-learn', 'sklearn.utils')).toEqual([]);
    expect(table.of('textkit', 'textkit')).toEqual([]);
    expect(table.leaves('textkit')).toEqual([]);
  });

  it('names leaves as they are published', async () => {
    const text = await readFile(join(SUITE, 'published', 'categories.json'), 'utf8');
    for (const [project, rows] of Object.entries(JSON.parse(text) as Record<string, Record<string, string[]>>)) {
      const unknown = Object.values(rows).flatMap((leaves) => leaves.filter((leaf) => !table.leaves(project).includes(leaf)));
      expect(unknown, project).toEqual([]);
    }
  });

  it.each(BENCHMARK_PROJECTS)('%s: most tasks have a leaf', async (project) => {
    const { tasks } = await readLock(project, SUITE);
    const placed = tasks.filter(({ category }) => table.of(project, category).length > 0);
    expect(placed.length / tasks.length).toBeGreaterThan(0.5);
  });
});
