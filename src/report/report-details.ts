import type { CampaignUsage, TrialRow } from '../ports/records.js';
import type { ReportCell, ReportTable, SuiteReport } from '../ports/suite.js';
import { ABSENT, dollars, duration, grouped, percent, percentRange } from './words.js';

/** What a whole report has beyond the rows of the result table. */
export interface ReportDetails {
  /** Null for suites without a report of their own. */
  suite: SuiteReport | null;
  usage: CampaignUsage;
  /** Trials that were run or graded again after they had been graded. */
  rerun: readonly TrialRow[];
}

/** Every further table of a report: the suite's, then where tokens, money and time went. */
export function detailTables({ suite, usage }: ReportDetails): ReportTable[] {
  return [...(suite?.tables ?? []), callTable(usage), stageTable(usage)].filter(({ rows }) => rows.length > 0);
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

function callTable({ calls }: CampaignUsage): ReportTable {
  return {
    title: 'Tokens and cost by stage and purpose',
    columns: [
      ...['system', 'stage', 'purpose', 'model'].map((title) => ({ title, kind: 'text' as const })),
      ...['calls', 'tokens'].map((title) => ({ title, kind: 'count' as const })),
      { title: 'cost', kind: 'usd' },
    ],
    rows: calls.map((row) => [
      ...[row.systemId, row.stage, row.purpose, row.model, row.calls, row.tokens],
      row.costMicroUsd / 1_000_000,
    ]),
    notes: ['From the ledger; a request without a complete reply counts at its estimate.', ...withoutUsage(calls)],
  };
}

function withoutUsage(calls: CampaignUsage['calls']): string[] {
  const silent = calls.filter((row) => row.withoutUsage > 0);
  if (silent.length === 0) return [];
  const count = silent.reduce((sum, row) => sum + row.withoutUsage, 0);
  const models = [...new Set(silent.map(({ model }) => model))].join(', ');
  return [
    `${grouped(count)} of these calls came without usage, from ${models}; such a call counts at its estimate.`,
    'allowed: a reply that ends with its usage, in a stream too (stream_options.include_usage)',
    'to mend: have the endpoint report usage; what is shown here stays as it is',
  ];
}

function stageTable({ stages }: CampaignUsage): ReportTable {
  return {
    title: 'Working time by stage',
    columns: [
      ...['system', 'of', 'stage'].map((title) => ({ title, kind: 'text' as const })),
      { title: 'attempts', kind: 'count' },
      ...['sum', 'mean'].map((title) => ({ title, kind: 'seconds' as const })),
    ],
    rows: stages.map(({ systemId, owner, stage, attempts, wallSeconds }) => [
      ...[systemId, owner, stage, attempts],
      ...[wallSeconds, wallSeconds / attempts],
    ]),
    notes: [
      'Attempts include failed ones. Stages run side by side, so the sums are more than the wall time of the campaign.',
    ],
  };
}
