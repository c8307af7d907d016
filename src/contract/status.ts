import type { CampaignStatus } from './campaign.js';

/** Trial counts. `done` = passed + failed + errored + not_run. */
export interface TrialCounts {
  planned: number;
  done: number;
  passed: number;
  failed: number;
  errored: number;
  not_run: number;
}

/** One system's row. Rates are 0..1 over graded trials (passed + failed), null when none is graded. */
export interface SystemStatus {
  id: string;
  trials: number;
  passed: number;
  failed: number;
  errored: number;
  not_run: number;
  pass_rate: number | null;
  /** The suite's own rates, by the id of the column; null where no graded trial counts. */
  rates: Record<string, number | null>;
}

/** The contract of `status ID --json` and `report ID --json`; key names are public and stable. */
export interface StatusReport {
  campaign: {
    id: string;
    name: string;
    status: CampaignStatus;
    suite: string;
    dataset: string;
    /** The campaign it is a revision of, or null. */
    revises: string | null;
    /** Its revisions, oldest first. */
    revised_by: string[];
  };
  trials: TrialCounts;
  spend: {
    usd: number;
    tokens: number;
    calls: number;
    repeated_calls: number;
    recovered_calls: number;
    /** Answered again from the record, by a step or an agent program that was begun again; not paid again. */
    replayed_calls: number;
    /** Answered with what other campaigns got, as `reuse_answers` asks; not among the calls. */
    reused_calls: number;
    /** What sending the calls of reused answers would have cost. */
    saved_usd: number;
    /** Requests whose provider claimed a usage that cannot be; booked at what was reserved. */
    implausible_usage: number;
    /** Requests that may have been billed and brought no usable answer; in the sums at their estimate, not among the calls. */
    unanswered_requests: number;
  };
  /** Votes that the judge's models withheld, in all runs; and trials that have no verdict because of the judge. */
  judge: { abstentions: number; errored: number };
  systems: SystemStatus[];
  /** `report.md` on this machine; null where none shows the record as it is now. */
  report: { path: string | null };
  temporal_ui: string | null;
  /** Lists of its failed, errored and dearest trials in the Temporal UI; left out where there are none, or no UI is known. */
  temporal_queries?: TemporalQuery[];
}

/** A list of trials in the Temporal UI. */
export interface TemporalQuery {
  name: 'failed' | 'errored' | 'dearest';
  /** What it lists, in a few words. */
  title: string;
  url: string;
}
