import type { CampaignSpec } from '../../../src/contract/campaign.js';
import type { TrialRow } from '../../../src/ports/records.js';
import type { ReportCell, ReportInput, ReportTable } from '../../../src/suite/report.js';
import type { SystemMetrics } from '../metrics.js';
import { comparedCoverage } from './paper-table.js';

/** What the project set out to reach with ZeroRepo, over all projects: targets, not published results. */
const TARGETS = { coverage: 0.75, pass: 0.6, vote: 0.7, lines: 15_000, tokens: 5_000_000, usd: 50 } as const;

/** What a system's candidates cost to make, on average; null where nothing was asked of a model for them. */
export type GenerationSpend = Map<string, { tokens: number; usd: number }>;

/** From the usage of a campaign: the calls of the stage `generate`, by candidate. */
export function generationSpend(
  spec: CampaignSpec,
  trials: readonly TrialRow[],
  usage: ReportInput['usage'],
): GenerationSpend {
  const spent: GenerationSpend = new Map();
  for (const { id } of spec.systems) {
    const calls = (usage?.calls ?? []).filter(({ systemId, stage }) => systemId === id && stage === 'generate');
    const candidates = new Set(
      trials.filter(({ systemId }) => systemId === id).map(({ group, repeat }) => `${group}/${repeat}`),
    );
    if (calls.length === 0 || candidates.size === 0) continue;
    const over = (of: (call: (typeof calls)[number]) => number): number =>
      calls.reduce((sum, call) => sum + of(call), 0) / candidates.size;
    spent.set(id, { tokens: over(({ tokens }) => tokens), usd: over(({ costMicroUsd }) => costMicroUsd) / 1e6 });
  }
  return spent;
}

/** Systems that asked a model for their candidates, beside the targets: each figure and how far it is above. */
export function targetTable(systems: readonly SystemMetrics[], spent: GenerationSpend): ReportTable {
  const above = (value: number | null | undefined, target: number): number | null =>
    value == null ? null : value - target;
  const rows = systems.flatMap(({ system, overall }): ReportCell[][] => {
    const spend = spent.get(system);
    if (spend === undefined) return [];
    const { coverage } = comparedCoverage(overall.coverage);
    const { macro } = overall;
    const [pass, vote, lines] = [macro.pass, macro.voting, overall.code?.loc ?? null];
    return [
      [
        ...[system, coverage, above(coverage, TARGETS.coverage), pass, above(pass, TARGETS.pass)],
        ...[vote, above(vote, TARGETS.vote), lines, above(lines, TARGETS.lines)],
        ...[spend.tokens, above(spend.tokens, TARGETS.tokens), spend.usd, above(spend.usd, TARGETS.usd)],
      ],
    ];
  });
  const figure = (title: string, kind: 'rate' | 'count' | 'usd', target: string): ReportTable['columns'] => [
    { title: `${title} (target ${target})`, kind },
    { title: `${title}, less target`, kind: kind === 'rate' ? 'points' : kind },
  ];
  return {
    title: 'Beside the targets',
    columns: [
      { title: 'system', kind: 'text' },
      ...figure('coverage', 'rate', '≥ 75 %'),
      ...figure('passed', 'rate', '≥ 60 %'),
      ...figure('voted', 'rate', '≥ 70 %'),
      ...figure('lines', 'count', '≥ 15,000'),
      ...figure('tokens of a generation', 'count', '< 5,000,000'),
      ...figure('cost of a generation', 'usd', '< $50'),
    ],
    rows,
    notes: [
      'Targets of this project for ZeroRepo with a strong model; nobody’s published results. Over several projects all figures are means of projects.',
    ],
  };
}
