import type { TrialRow } from '../../src/ports/records.js';
import type { ReportCell, ReportTable } from '../../src/ports/suite.js';
import type { CategoryLeaves } from './published/category-leaves.js';

/** Leaves of the published taxonomies: how many the graded tasks stand for, and on how many of these one passed. */
export function leafTable(systems: readonly string[], trials: readonly TrialRow[], table: CategoryLeaves): ReportTable {
  const graded = trials.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed');
  const projects = [...new Set(graded.map(({ group }) => group))]
    .filter((name) => table.leaves(name).length > 0)
    .sort();
  const leavesOf = (rows: readonly TrialRow[]): Set<string> =>
    new Set(rows.flatMap(({ group, category }) => table.of(group, category ?? '')));
  const row = (system: string, project: string): ReportCell[][] => {
    const own = graded.filter(({ systemId, group }) => systemId === system && group === project);
    if (own.length === 0) return [];
    const tested = leavesOf(own).size;
    const passed = leavesOf(own.filter(({ outcome }) => outcome === 'passed')).size;
    return [[system, project, table.leaves(project).length, tested, passed, tested === 0 ? null : passed / tested]];
  };
  return {
    title: 'Leaves of the published taxonomies',
    columns: [
      ...['system', 'project'].map((title) => ({ title, kind: 'text' as const })),
      ...['published', 'tested', 'passed'].map((title) => ({ title, kind: 'count' as const })),
      { title: 'passed of tested', kind: 'rate' },
    ],
    rows: systems.flatMap((system) => projects.flatMap((project) => row(system, project))),
    notes: [
      'A category of ours stands for the leaves that published/categories.json gives it; one passed task is enough for all of them, so this flatters.',
      'Without a plan nothing is said of what a system meant to build: the paper’s coverage counts planned features.',
    ],
  };
}
