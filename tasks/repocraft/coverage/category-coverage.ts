import type { TrialRow } from '../../../src/ports/records.js';
import { CODE_LEAF_METRIC, LEAF_METRIC } from './coverage-figures.js';

/** Of the leaves that one category of tasks is about, the shares that a system reached, on average over repeats. */
export interface CategoryCoverage {
  /** Leaves of the taxonomy that the category stands for, 0 where it has no place for it; null where none was looked at. */
  leaves: number | null;
  /** With a feature of the plan; null without a plan. */
  planned: number | null;
  /** With a public definition of the candidate; null where that was not counted. */
  byCode: number | null;
  /** With a feature (of the plan; without one, of the code) and a passed task of this category. */
  implemented: number | null;
}

/** Of the trials of one system in one category of a project. */
export function categoryCoverage(trials: readonly TrialRow[]): CategoryCoverage {
  const leaves = placesOf(trials, LEAF_METRIC).size;
  const repeats = [...new Set(trials.map(({ repeat }) => repeat))].map((repeat) =>
    trials.filter((trial) => trial.repeat === repeat),
  );
  const mean = (of: (own: readonly TrialRow[]) => number | null): number | null => {
    const known = leaves === 0 ? [] : repeats.flatMap((own) => of(own) ?? []);
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length / leaves;
  };
  const reached = (own: readonly TrialRow[], prefix: string): number | null =>
    placesOf(own, prefix).size === 0 ? null : placesOf(own, prefix, 1).size;
  const isPlanned = trials.some(({ metrics }) => metrics.taxonomy_planned != null);
  return {
    leaves: trials.some(({ metrics }) => metrics.taxonomy_leaves != null) ? leaves : null,
    planned: isPlanned ? mean((own) => reached(own, LEAF_METRIC)) : null,
    byCode: mean((own) => reached(own, isPlanned ? CODE_LEAF_METRIC : LEAF_METRIC)),
    implemented: mean((own) => implementedIn(own)),
  };
}

function implementedIn(trials: readonly TrialRow[]): number | null {
  const graded = trials.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed');
  if (graded.length === 0) return null;
  const passed = graded.filter(({ outcome }) => outcome === 'passed');
  return placesOf(passed, LEAF_METRIC, 1).size;
}

/** Places of leaves in the metrics of that beginning, those of one value where one is asked for. */
function placesOf(trials: readonly TrialRow[], prefix: string, value?: number): Set<string> {
  const entries = trials.flatMap(({ metrics }) => Object.entries(metrics));
  return new Set(entries.flatMap(([name, own]) => (name.startsWith(prefix) && (value ?? own) === own ? [name] : [])));
}
