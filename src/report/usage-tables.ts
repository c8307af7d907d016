import type { CampaignUsage } from '../ports/records.js';
import type { ReportCell, ReportTable } from '../suite/report.js';
import { grouped } from './text/number-text.js';

/** What calls cost by what they were for, all groups together; `report.json` has them apart. */
export function callTable({ calls }: CampaignUsage): ReportTable {
  const rows = collected(calls, (row) => [row.systemId, row.stage, row.purpose, row.model]);
  const hasReused = calls.some(({ reusedCalls }) => reusedCalls > 0);
  return {
    title: 'Tokens and cost by stage and purpose',
    columns: [
      ...['system', 'stage', 'purpose', 'model'].map((title) => ({ title, kind: 'text' as const })),
      ...['calls', 'tokens'].map((title) => ({ title, kind: 'count' as const })),
      { title: 'cost', kind: 'usd' },
      ...(hasReused ? REUSED_COLUMNS : []),
    ],
    rows: rows.map(({ key, rows: alike }) => [...key, ...spent(alike), ...(hasReused ? reused(alike) : [])]),
    notes: [
      'From the ledger; a call without a usable answer is among the calls here, its requests at their estimate.',
      ...(hasReused ? [REUSED_NOTE] : []),
      ...withoutUsage(calls),
      ...implausible(calls),
    ],
  };
}

/** Only where a campaign has taken answers over. */
const REUSED_COLUMNS: ReportTable['columns'] = [
  { title: 'reused', kind: 'count' },
  { title: 'saved', kind: 'usd' },
];
const REUSED_NOTE =
  'Reused: answered with what other campaigns of this installation got to the same question; not among calls, tokens and cost. Saved: what sending them would have cost.';

function implausible(calls: CampaignUsage['calls']): string[] {
  const odd = calls.filter((row) => row.implausible > 0);
  if (odd.length === 0) return [];
  const models = [...new Set(odd.map(({ model }) => model))].join(', ');
  return [
    `${grouped(sum(odd, 'implausible'))} of these requests came with a usage that cannot be, from ${models}; such a request counts at its estimate, and its completion keeps what was claimed.`,
  ];
}

function withoutUsage(calls: CampaignUsage['calls']): string[] {
  const silent = calls.filter((row) => row.withoutUsage > 0);
  if (silent.length === 0) return [];
  const models = [...new Set(silent.map(({ model }) => model))].join(', ');
  return [
    `${grouped(sum(silent, 'withoutUsage'))} of these calls came without usage, from ${models}; such a call counts at its estimate.`,
    'expected: a reply that ends with its usage, in a stream too (stream_options.include_usage)',
    'fix: have the endpoint report usage; what is shown here stays as it is',
  ];
}

/** Where the time of attempts went by stage, all groups together. */
export function stageTable({ stages }: CampaignUsage): ReportTable {
  const rows = collected(stages, (row) => [row.systemId, row.owner, row.stage]);
  return {
    title: 'Working time by stage',
    columns: [
      ...['system', 'of', 'stage'].map((title) => ({ title, kind: 'text' as const })),
      { title: 'attempts', kind: 'count' },
      ...['sum', 'mean'].map((title) => ({ title, kind: 'seconds' as const })),
    ],
    rows: rows.map(({ key, rows: alike }) => {
      const [attempts, seconds] = [sum(alike, 'attempts'), sum(alike, 'wallSeconds')];
      return [...key, attempts, seconds, seconds / attempts];
    }),
    notes: [
      'Attempts include failed ones. Stages run side by side, so the sums are more than the wall time of the campaign.',
    ],
  };
}

/** Tokens, cost and time of systems that worked on several groups, by group and together. */
export function groupTable({ calls, stages }: CampaignUsage): ReportTable {
  const systems = collected([...calls, ...stages], ({ systemId }) => [systemId]).flatMap(({ key: [system], rows }) => {
    const groups = [...new Set(rows.map(({ group }) => group))].sort();
    return groups.length < 2 ? [] : [...groups, null].map((group) => ({ system: system!, group }));
  });
  return {
    title: 'Tokens, cost and working time by group',
    columns: [
      ...['system', 'group'].map((title) => ({ title, kind: 'text' as const })),
      ...['calls', 'tokens'].map((title) => ({ title, kind: 'count' as const })),
      { title: 'cost', kind: 'usd' },
      ...['shared candidates', 'trials'].map((title) => ({ title, kind: 'seconds' as const })),
    ],
    rows: systems.map(({ system, group }) => {
      const isOwn = (row: Row): boolean => row.systemId === system && (group === null || row.group === group);
      const own = stages.filter(isOwn);
      const times = (['generation', 'trial'] as const).map((owner) => {
        const attempts = own.filter((row) => row.owner === owner);
        return attempts.length === 0 ? null : sum(attempts, 'wallSeconds');
      });
      return [system, group ?? 'all', ...spent(calls.filter(isOwn)), ...times];
    }),
    notes: [
      'Shared candidates count in the group they were made for. Times are those of attempts, summed; by stage and purpose in report.json under usage.',
    ],
  };
}

type Row = Pick<CampaignUsage['calls'][number], 'systemId' | 'group'>;

/** Rows of equal key together, in the order of the first of each. */
function collected<Item>(rows: readonly Item[], keyOf: (row: Item) => string[]): { key: string[]; rows: Item[] }[] {
  const found = new Map<string, { key: string[]; rows: Item[] }>();
  for (const row of rows) {
    const key = keyOf(row);
    const alike = found.get(key.join('\n'));
    if (alike === undefined) found.set(key.join('\n'), { key, rows: [row] });
    else alike.rows.push(row);
  }
  return [...found.values()];
}

/** Calls, tokens, dollars. */
const spent = (calls: CampaignUsage['calls']): ReportCell[] => [
  ...[sum(calls, 'calls'), sum(calls, 'tokens')],
  sum(calls, 'costMicroUsd') / 1_000_000,
];

/** Answers of other campaigns, dollars saved. */
const reused = (calls: CampaignUsage['calls']): ReportCell[] => [
  sum(calls, 'reusedCalls'),
  sum(calls, 'savedMicroUsd') / 1_000_000,
];

const sum = <Field extends string>(rows: readonly Record<Field, number>[], field: Field): number =>
  rows.reduce((total, row) => total + row[field], 0);
