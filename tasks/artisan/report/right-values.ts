import type { TrialRow } from '../../../src/ports/records.js';
import type { ReportCell, ReportTable } from '../../../src/suite/report.js';

/** So many of so many. */
interface Share {
  right: number;
  of: number;
}

/** Those that are right, and of them those that passed. */
interface PassedShare extends Share {
  passed: number;
}

/** What trials printed, whatever their method: of a row and a table all hidden cells are right. */
interface RightValues {
  cells: Share;
  rows: Share;
  tables: PassedShare;
}

/** What became of one paper. `right`: every table that was graded is right; `passed`: and none of them is copied. */
export interface PaperOutcome extends RightValues {
  graded: number;
  right: boolean;
  passed: boolean;
}

/** Cells, rows and tables of graded trials. Trials that were graded before rows were counted have none. */
function rightValues(graded: readonly TrialRow[]): RightValues {
  const share = (part: string, all: string): Share => ({
    right: graded.reduce((sum, { metrics }) => sum + Math.round((metrics[part] ?? 0) * (metrics[all] ?? 0)), 0),
    of: graded.reduce((sum, { metrics }) => sum + (metrics[all] ?? 0), 0),
  });
  const right = graded.filter(({ metrics }) => metrics.matched === 1).length;
  const passed = graded.filter(({ outcome }) => outcome === 'passed').length;
  return {
    cells: share('matched', 'cells'),
    rows: share('rowsMatched', 'rows'),
    tables: { right, passed, of: graded.length },
  };
}

/** Study → its trials. */
function byStudy(trials: readonly TrialRow[]): Map<string, TrialRow[]> {
  const studies = new Map<string, TrialRow[]>();
  for (const trial of trials) studies.set(trial.group, [...(studies.get(trial.group) ?? []), trial]);
  return studies;
}

/** Study → what became of it. */
export function paperOutcomes(graded: readonly TrialRow[]): Record<string, PaperOutcome> {
  return Object.fromEntries(
    [...byStudy(graded)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([study, own]) => {
        const values = rightValues(own);
        const right = values.tables.right === own.length;
        const passed = values.tables.passed === own.length;
        return [study, { graded: own.length, ...values, right, passed }];
      }),
  );
}

/** The same over all papers. @param outcomes of them */
export function rightMetrics(
  graded: readonly TrialRow[],
  outcomes: Readonly<Record<string, PaperOutcome>>,
): RightValues & { papers: PassedShare } {
  const papers = Object.values(outcomes);
  const count = (is: 'right' | 'passed'): number => papers.filter((paper) => paper[is]).length;
  return { ...rightValues(graded), papers: { right: count('right'), passed: count('passed'), of: papers.length } };
}

/** How much of what was asked for is right: cell by cell, and as a whole. */
export function rightTable(
  systems: readonly { system: string; right: ReturnType<typeof rightMetrics> }[],
): ReportTable {
  const titles = ['system', 'cells', 'rows', 'tables', 'papers', 'papers passed'];
  return {
    title: 'Right cells, rows, tables and papers',
    columns: titles.map((title) => ({ title, kind: 'text' as const })),
    rows: systems.map(({ system, right: { cells, rows, tables, papers } }): ReportCell[] => {
      return [system, ...[cells, rows, tables, papers, { right: papers.passed, of: papers.of }].map(shareText)];
    }),
    notes: [
      'Right whatever the method; a copied table is right too. A row or a table is right where all its hidden cells are, a paper where all its graded tables are; papers passed: none of them is copied.',
    ],
  };
}

const shareText = ({ right, of }: Share): ReportCell => (of === 0 ? null : `${right} / ${of}`);
