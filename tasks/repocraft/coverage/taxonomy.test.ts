import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readLock } from '../dataset/lock/dataset-lock.js';
import { BENCHMARK_PROJECTS } from '../dataset/project-settings.js';
import { readTaxonomy } from './taxonomy.js';

const SUITE = fileURLToPath(new URL('..', import.meta.url));

describe('categories and the leaves of taxonomies', () => {
  it('takes the longest prefix, and nothing for what the taxonomy has no place for', async () => {
    const learning = (await readTaxonomy(SUITE, 'scikit-learn'))!;
    expect(learning.leavesOf('sklearn.metrics.pairwise')).toEqual(['Pairwise metrics, Affinities and Kernels']);
    expect(learning.leavesOf('sklearn.metrics.other')).toEqual(['Classification Metrics', 'Regression Metrics']);
    expect(learning.leavesOf('sklearn.utils')).toEqual([]);
    expect(learning.leavesOf('constructor')).toEqual([]);
  });

  it.each(BENCHMARK_PROJECTS)('%s: most tasks have a leaf', async (project) => {
    const { tasks } = await readLock(project, SUITE);
    const taxonomy = (await readTaxonomy(SUITE, project))!;
    expect(taxonomy.isMapped).toBe(true);
    const placed = tasks.filter(({ category }) => taxonomy.leavesOf(category).length > 0);
    expect(placed.length / tasks.length).toBeGreaterThan(0.5);
  });
});
