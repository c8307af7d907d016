/** What a person says of a graded trial, beside what its grader said. */
export type TrialReview = {
  /** The trial's id. */
  trial: string;
  /** One of the suite's own, as the grader gave it. */
  judged: string;
  /** The person's. */
  status: string;
};

/** A review as it was kept. */
export type RecordedReview = TrialReview & {
  author: string;
  reason: string;
  /** ISO, UTC. */
  at: string;
};
