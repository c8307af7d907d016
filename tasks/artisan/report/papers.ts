import { studentQuantile } from '../../../src/domain/statistics/distributions.js';
import type { TrialRow } from '../../../src/ports/records.js';
import type { ReportCell, ReportTable } from '../../../src/suite/report.js';
import { byStudy, paperOutcomes } from './right-values.js';

/**
 * The mean of the papers' shares of passed trials, with Student's t over papers, each of which counts once (Ibragimov and Müller,
 * t-Statistic Based Correlation and Heterogeneity Robust Inference, 2010): it holds for few papers, however alike the tables of one are,
 * where a standard error clustered by paper needs many. Without an interval where papers do not differ, or there is one.
 */
export function studyShare(graded: readonly TrialRow[]): ReportCell {
  const shares = [...byStudy(graded).values()].map(shareOf);
  if (shares.length === 0) return null;
  const value = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const squares = shares.reduce((sum, share) => sum + (share - value) ** 2, 0);
  if (shares.length < 2 || squares === 0) return { value, interval: null };
  const error = Math.sqrt(squares / (shares.length - 1) / shares.length);
  const half = studentQuantile(0.975, shares.length - 1) * error;
  return { value, interval: { low: Math.max(0, value - half), high: Math.min(1, value + half) } };
}

const shareOf = (trials: readonly TrialRow[]): number =>
  trials.filter(({ outcome }) => outcome === 'passed').length / trials.length;

/** Passed of graded tables, and the share of cells that are right: a line a paper, a column a system. */
export function paperTable(systems: readonly { system: string; own: readonly TrialRow[] }[]): ReportTable {
  const studies = [...new Set(systems.flatMap(({ own }) => own.map(({ group }) => group)))].sort();
  const outcomes = systems.map(({ own }) => ({ own, papers: paperOutcomes(own) }));
  const cell = ({ own, papers }: (typeof outcomes)[number], study: string): ReportCell => {
    const paper = papers[study];
    if (paper === undefined) return null;
    const passed = own.filter(({ group, outcome }) => group === study && outcome === 'passed').length;
    const { right, of } = paper.cells;
    return `${passed} / ${paper.graded}${of === 0 ? '' : `, cells ${Math.round((100 * right) / of)} %`}`;
  };
  return {
    title: 'By paper',
    columns: [
      { title: 'paper', kind: 'text' },
      ...systems.map(({ system }) => ({ title: system, kind: 'text' as const })),
    ],
    rows: studies.map((study) => [study, ...outcomes.map((system) => cell(system, study))]),
    notes: ['Tables that passed of those that were graded, and how many of their hidden cells are right.'],
  };
}
