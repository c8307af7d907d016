import type { TrialRow } from '../../src/ports/records.js';
import type { ReportCell, ReportTable } from '../../src/suite/report.js';
import { readTaxonomy } from './coverage/taxonomy.js';

/** Leaves of the projects' taxonomies: how many the graded tasks stand for, and on how many of these one passed. */
export async function leafTable(
  systems: readonly string[],
  trials: readonly TrialRow[],
  suiteFolder: string,
): Promise<ReportTable> {
  const graded = trials.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed');
  const projects = [...new Set(graded.map(({ group }) => group))].sort();
  const known = await Promise.all(
    projects.map(async (project) => ({ project, taxonomy: await readTaxonomy(suiteFolder, project) })),
  );
  const rows = systems.flatMap((system) =>
    known.flatMap(({ project, taxonomy }): ReportCell[][] => {
      const own = graded.filter(({ systemId, group }) => systemId === system && group === project);
      if (taxonomy === null || own.length === 0) return [];
      const reached = (some: readonly TrialRow[]): number =>
        new Set(some.flatMap(({ category }) => taxonomy.leavesOf(category ?? ''))).size;
      const tested = reached(own);
      const passed = reached(own.filter(({ outcome }) => outcome === 'passed'));
      return [[system, project, taxonomy.leaves.length, tested, passed, tested === 0 ? null : passed / tested]];
    }),
  );
  return {
    title: 'Leaves of the taxonomies',
    columns: [
      ...['system', 'project'].map((title) => ({ title, kind: 'text' as const })),
      ...['leaves', 'tested', 'passed'].map((title) => ({ title, kind: 'count' as const })),
      { title: 'passed of tested', kind: 'rate' },
    ],
    rows,
    notes: [
      'A category of ours stands for the leaves that coverage/categories.json gives it; one passed task is enough for all of them, so this flatters.',
      'What a system meant to build is not in here; the paper’s coverage counts planned features.',
    ],
  };
}
