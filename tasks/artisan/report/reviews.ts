import type { RecordedReview } from '../../../src/contract/verdict.js';
import { agreementOf, type Agreement } from '../../../src/domain/statistics/agreement.js';
import type { TrialRow } from '../../../src/ports/records.js';
import type { ReportCell, ReportTable } from '../../../src/suite/report.js';
import { isPassing } from '../judge/verdict.js';

/** How far people agree with the judges, over statuses. */
interface ReviewAgreement extends Pick<Agreement, 'agreed' | 'kappa'> {
  /** Trials that somebody has reviewed; of several reviews the last counts. */
  trials: number;
}

/** Both counts of passed trials, and how far they agree. */
export interface Judged extends ReviewAgreement {
  graded: number;
  /** As the judges say. */
  judged: number;
  /** With reviews in the place of verdicts. */
  reviewed: number;
}

/** Trial → its last review. */
export const lastReviews = (reviews: readonly RecordedReview[]): ReadonlyMap<string, RecordedReview> =>
  new Map(reviews.map((review) => [review.trial, review]));

export function reviewAgreement(reviews: readonly RecordedReview[]): ReviewAgreement {
  const last = [...lastReviews(reviews).values()];
  const { total: trials, agreed, kappa } = agreementOf(last.map(({ judged, status }) => [judged, status]));
  return { trials, agreed, kappa };
}

/** Of graded trials; reviews of others count for nothing. */
export function judgedAndReviewed(graded: readonly TrialRow[], reviews: readonly RecordedReview[]): Judged {
  const ids = new Set(graded.map(({ id }) => id));
  const own = reviews.filter(({ trial }) => ids.has(trial));
  const said = lastReviews(own);
  const isPassed = ({ id, outcome }: TrialRow): boolean => {
    const review = said.get(id);
    return review === undefined ? outcome === 'passed' : isPassing(review.status);
  };
  return {
    graded: graded.length,
    judged: graded.filter(({ outcome }) => outcome === 'passed').length,
    reviewed: graded.filter(isPassed).length,
    ...reviewAgreement(own),
  };
}

/** Both counts, in every report; then every review: nothing is overwritten. @param all the counts over all systems */
export function reviewTables(
  systems: readonly { system: string; reviews: Judged }[],
  all: Judged,
  reviews: readonly RecordedReview[],
): ReportTable[] {
  const titles = ['graded', 'passed as judged', 'with reviews', 'reviewed', 'agreed'];
  const rows = [...systems, ...(systems.length > 1 ? [{ system: 'all', reviews: all }] : [])].map(
    ({ system, reviews: { graded, judged, reviewed, trials, agreed, kappa } }): ReportCell[] => {
      return [system, graded, judged, reviewed, trials, agreed, kappa === null ? null : kappa.toFixed(2)];
    },
  );
  const counts: ReportTable = {
    title: 'Judges and people',
    columns: [
      { title: 'system', kind: 'text' },
      ...titles.map((title) => ({ title, kind: 'count' as const })),
      { title: 'κ', kind: 'text' },
    ],
    rows,
    notes: [
      reviews.length === 0
        ? 'Nobody has reviewed a trial: durabench review TRIAL --status STATUS --reason TEXT. How far people agree with the judges is not known.'
        : 'with reviews: the last review of a trial in the place of its verdict. κ: Cohen’s, over statuses. Scores are as judged.',
    ],
  };
  if (reviews.length === 0) return [counts];
  const columns = ['trial', 'judged', 'reviewed as', 'by', 'reason'];
  return [
    counts,
    {
      title: 'Reviews',
      columns: columns.map((title) => ({ title, kind: 'text' as const })),
      rows: reviews.map(({ trial, judged, status, author, reason }) => [trial, judged, status, author, reason]),
      notes: [],
    },
  ];
}
