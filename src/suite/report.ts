import type { CampaignSpec } from '../contract/campaign.js';
import type { Json } from '../contract/json.js';
import type { RecordedReview } from '../contract/verdict.js';
import type { CampaignUsage } from '../ports/record-sums.js';
import type { TrialRow } from '../ports/records.js';

/** A rate of the suite's own in every result table: the mean of a metric from 0 to 1 over graded trials, their share where it is 0 or 1. */
export interface ResultColumn {
  /** Its key in JSON. */
  id: string;
  title: string;
  /** Which metric of a verdict. */
  metric: string;
  /** What a graded trial without the metric is: not counted, or counted as 0. */
  absent: 'left-out' | 'zero';
}

/** A cell of a report's table; numbers are formatted by the kind of their column, null is a dash. */
export type ReportCell = string | number | null | { value: number; interval: { low: number; high: number } | null };

/** A table of a report. Rates are 0..1; `points` are differences of rates. */
export interface ReportTable {
  title: string;
  columns: { title: string; kind: 'text' | 'count' | 'rate' | 'points' | 'usd' | 'seconds' }[];
  rows: ReportCell[][];
  /** Sentences below the table. */
  notes: string[];
  /** Draws a column of rates in `report.html`: by place the columns that name a row, its panel (joined) and its value. */
  chart?: { title: string; row: number; panel: number[]; value: number };
}

/** What a suite's own report is made from. */
export interface ReportInput {
  spec: CampaignSpec;
  trials: readonly TrialRow[];
  suiteFolder: string;
  /** What people said of its trials, oldest first. */
  reviews: readonly RecordedReview[];
  /** What a step of a trial attached under that name, the last of them; null where there is none. Absent where a report is made of trials alone. */
  evidence?: (trialId: string, name: string) => Promise<Buffer | null>;
  /** A task as the campaign pinned it; null where it is not on this machine. Absent where a report is made of trials alone. */
  task?: (taskId: string) => Promise<Buffer | null>;
  /** What model calls and attempts came to; absent where a report is made of trials alone. */
  usage?: Pick<CampaignUsage, 'calls'> & Partial<Pick<CampaignUsage, 'stages'>>;
}

/** A value that is not what its publication says, as `durabench export --format findings` writes it. */
export interface Finding {
  /** `dataset`: known since the task was made; `campaign`: its systems say so. */
  source: 'dataset' | 'campaign';
  task: string;
  /** Where in the task, such as row and column of a cell. */
  place: Record<string, string>;
  /** As published; null where the task is not on this machine. */
  printed: string | null;
  found: string;
  reason: string;
  /** What it rests on: words, or ids of trials. */
  evidence: string[];
  /** Proposed by a rule, or confirmed by the reviewer. */
  state: 'proposed' | 'confirmed';
  reviewer: string | null;
}

/** What a suite adds to the report of a campaign: figures for `report.json`, tables for people. */
export interface SuiteReport {
  /** By system: `suite_metrics`. */
  metrics: Json;
  /** What is not of one system: `suite_figures`. */
  figures?: Json;
  tables: ReportTable[];
}
