import type { RecordedReview } from '../../../src/contract/verdict.js';
import type { TrialRow } from '../../../src/ports/records.js';
import type { ReportTable } from '../../../src/suite/report.js';

/** How far people agree with the judges. */
interface Agreement {
  /** Trials that somebody has reviewed; of several reviews the last counts. */
  trials: number;
  agreed: number;
  /** Cohen's kappa over statuses (Cohen 1960); null where chance alone would agree always. */
  kappa: number | null;
}

/** Null where nobody has reviewed anything. */
export function reviewAgreement(reviews: readonly RecordedReview[]): Agreement | null {
  const last = [...new Map(reviews.map((review) => [review.trial, review])).values()];
  if (last.length === 0) return null;
  const share = (matches: (review: RecordedReview) => boolean): number => last.filter(matches).length / last.length;
  const agreed = last.filter(({ judged, status }) => judged === status).length;
  const statuses = [...new Set(last.flatMap(({ judged, status }) => [judged, status]))];
  const byChance = statuses.reduce(
    (sum, each) => sum + share(({ judged }) => judged === each) * share(({ status }) => status === each),
    0,
  );
  const kappa = byChance === 1 ? null : (agreed / last.length - byChance) / (1 - byChance);
  return { trials: last.length, agreed, kappa };
}

/** Both counts, and every review; nothing is overwritten. */
export function agreementTable(
  reviews: readonly RecordedReview[],
  agreement: Agreement | null,
  trials: readonly TrialRow[],
): ReportTable[] {
  if (agreement === null) return [];
  const { trials: reviewed, agreed, kappa } = agreement;
  const now = new Map(reviews.map(({ trial, status }) => [trial, status]));
  const isPassed = (status: string | undefined): boolean => status === 'full' || status === 'last-mile';
  const judgedPassed = trials.filter(({ outcome }) => outcome === 'passed').length;
  const withReviews = trials.filter(({ id, outcome }) =>
    now.has(id) ? isPassed(now.get(id)) : outcome === 'passed',
  ).length;
  return [
    {
      title: 'Reviews',
      columns: ['trial', 'judged', 'reviewed as', 'by', 'reason'].map((title) => ({ title, kind: 'text' as const })),
      rows: reviews.map(({ trial, judged, status, author, reason }) => [trial, judged, status, author, reason]),
      notes: [
        `Passed: ${judgedPassed} as judged, ${withReviews} with reviews in the place of verdicts. Scores are as judged.`,
        `People agree with the judges on ${agreed} of ${reviewed} trials${kappa === null ? '' : `, κ ${kappa.toFixed(2)}`}.`,
      ],
    },
  ];
}
