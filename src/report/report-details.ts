import type { CampaignUsage, TrialRow } from '../ports/records.js';
import type { ReportCell, ReportTable, SuiteReport } from '../suite/report.js';
import type { FailureAnalysis } from './failures/failure-analysis.js';
import { callTable, groupTable, stageTable } from './usage-tables.js';
import { ABSENT, dollars, duration, grouped, percent, percentRange } from './text/number-text.js';

/** What a whole report has beyond the rows of the result table. */
export interface ReportDetails {
  /** Null for suites without a report of their own. */
  suite: SuiteReport | null;
  usage: CampaignUsage;
  /** Trials that were run or graded again after they had been graded. */
  rerun: readonly TrialRow[];
}

/** The same with what came of reading all trials. */
export interface AnalysedDetails extends ReportDetails {
  failures: FailureAnalysis;
}

/** Every further table of a report: the suite's, then where tokens, money and time went. */
export function detailTables({ suite, usage }: ReportDetails): ReportTable[] {
  return [...(suite?.tables ?? []), callTable(usage), stageTable(usage), groupTable(usage)].filter(
    ({ rows }) => rows.length > 0,
  );
}

/** A cell as text. */
export function cellText(cell: ReportCell, kind: ReportTable['columns'][number]['kind']): string {
  if (cell === null) return ABSENT;
  if (typeof cell === 'string') return cell;
  if (typeof cell === 'object') return `${percent(cell.value)} ${percentRange(cell.interval)}`.trim();
  const words: Record<typeof kind, (value: number) => string> = {
    text: String,
    count: (value) => grouped(Math.round(value * 10) / 10),
    rate: percent,
    points: (value) => `${value < 0 ? '−' : '+'}${Math.abs(value * 100).toFixed(1)}`,
    usd: dollars,
    seconds: duration,
  };
  return words[kind](cell);
}
