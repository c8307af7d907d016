import type { ReportCell, ReportTable } from '../../../src/suite/report.js';
import type { PaperOutcome } from './right-values.js';

/** Passed of graded tables, and the share of cells that are right: a line a paper, a column a system. */
export function paperTable(systems: readonly { system: string; papers: Record<string, PaperOutcome> }[]): ReportTable {
  const studies = [...new Set(systems.flatMap(({ papers }) => Object.keys(papers)))].sort();
  const cell = ({ papers }: (typeof systems)[number], study: string): ReportCell => {
    const paper = papers[study];
    if (paper === undefined) return null;
    const { tables, cells } = paper;
    const credit = cells.of === 0 ? '' : `, cells ${Math.round((100 * cells.right) / cells.of)} %`;
    return `${tables.passed} / ${tables.of}${credit}`;
  };
  return {
    title: 'By paper',
    columns: [
      { title: 'paper', kind: 'text' },
      ...systems.map(({ system }) => ({ title: system, kind: 'text' as const })),
    ],
    rows: studies.map((study) => [study, ...systems.map((system) => cell(system, study))]),
    notes: ['Tables that passed of those that were graded, and how many of their hidden cells are right.'],
  };
}
