import { UserError } from '../../domain/failure/user-error.js';
import { nearest } from '../../domain/text/nearest.js';
import type { TrialRow } from '../../ports/records.js';
import type { ReportSubject } from '../../report/report-subject.js';

/** Which trials somebody wants to see; all that is left out lets everything through. */
export interface TrialFilter {
  /** Any of these outcomes. */
  outcomes?: readonly NonNullable<TrialRow['outcome']>[];
  /** Ids of systems. */
  systems?: readonly string[];
  /** A reason or failure type, or what it begins with: `sandbox` is `sandbox.lost` too. */
  reason?: string;
  /** How many at most, the first in plan order. */
  limit?: number;
}

/** How many trials passed a filter, and how many were left out for its limit. */
export interface FilterCounts {
  shown: number;
  beyondLimit: number;
}

/**
 * A campaign of which only such trials are read; its sums stay those of all.
 * @throws UserError for a system that it does not have
 */
export function filterTrials(
  subject: ReportSubject,
  filter: TrialFilter,
): { subject: ReportSubject; counts: Readonly<FilterCounts> } {
  checkSystems(subject, filter.systems ?? []);
  const counts = { shown: 0, beyondLimit: 0 };
  const trialPages: ReportSubject['trialPages'] = (visit) => {
    Object.assign(counts, { shown: 0, beyondLimit: 0 });
    return subject.trialPages(async (page) => {
      const matching = page.filter((trial) => isWanted(trial, filter));
      const taken = matching.slice(0, Math.max(0, (filter.limit ?? Infinity) - counts.shown));
      counts.shown += taken.length;
      counts.beyondLimit += matching.length - taken.length;
      if (taken.length > 0) await visit(taken);
    });
  };
  return { subject: { ...subject, trialPages }, counts };
}

/** All trials that are read of a campaign. */
export async function trialsOf({ trialPages }: Pick<ReportSubject, 'trialPages'>): Promise<TrialRow[]> {
  const trials: TrialRow[] = [];
  await trialPages((page) => void trials.push(...page));
  return trials;
}

function isWanted({ outcome, systemId, reason }: TrialRow, filter: TrialFilter): boolean {
  const { outcomes, systems, reason: wanted } = filter;
  if (outcomes !== undefined && (outcome === null || !outcomes.includes(outcome))) return false;
  if (systems !== undefined && !systems.includes(systemId)) return false;
  return wanted === undefined || reason === wanted || (reason?.startsWith(`${wanted}.`) ?? false);
}

function checkSystems({ campaign }: ReportSubject, wanted: readonly string[]): void {
  const known = campaign.spec.systems.map(({ id }) => id);
  const problems = wanted
    .filter((id) => !known.includes(id))
    .map((id) => {
      const meant = nearest(id, known);
      return {
        message: `campaign ${campaign.id} has no system "${id}"`,
        expected: known.join(', '),
        ...(meant !== undefined && { fix: `did you mean "${meant}"?` }),
      };
    });
  if (problems.length > 0) throw new UserError('usage', problems);
}
