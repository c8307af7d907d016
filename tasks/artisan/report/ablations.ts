import type { CampaignSpec, SystemSpec } from '../../../src/contract/campaign.js';
import { flips, mcnemarP, pairedDifference } from '../../../src/domain/statistics/paired.js';
import type { TrialRow } from '../../../src/ports/records.js';
import type { ReportCell, ReportTable } from '../../../src/suite/report.js';
import { optionsOf } from '../settings.js';

/** What may be taken from an agent. */
const ABLATED = ['tools', 'feedback', 'method_feedback', 'submissions'] as const;

/** Agents that differ in one such option alone, task by task; nothing where there are none. */
export function ablationTable({ systems, seed }: CampaignSpec, trials: readonly TrialRow[]): ReportTable[] {
  const rows = systems.flatMap((whole, at) =>
    systems.slice(at + 1).flatMap((other) => {
      const option = differingOption(whole, other);
      return option === null ? [] : [rowOf({ whole, other, option, trials, seed })];
    }),
  );
  if (rows.length === 0) return [];
  return [
    {
      title: 'Ablations',
      columns: [
        ...['option', 'of', 'against'].map((title) => ({ title, kind: 'text' as const })),
        { title: 'tasks', kind: 'count' },
        { title: 'difference', kind: 'points' },
        ...['gained', 'lost'].map((title) => ({ title, kind: 'count' as const })),
        { title: 'p (McNemar, exact)', kind: 'text' },
      ],
      rows,
      notes: ['Paired by task: the share of tasks that the second passes less that of the first.'],
    },
  ];
}

function differingOption(one: SystemSpec, other: SystemSpec): (typeof ABLATED)[number] | null {
  if (one.generator !== 'agent' || other.generator !== 'agent' || one.model !== other.model) return null;
  const [a, b] = [optionsOf(one), optionsOf(other)];
  const different = (Object.keys(a) as (keyof typeof a)[]).filter(
    (key) => JSON.stringify(a[key]) !== JSON.stringify(b[key]),
  );
  const [option] = different;
  return different.length === 1 ? (ABLATED.find((each) => each === option) ?? null) : null;
}

function rowOf({
  whole,
  other,
  option,
  trials,
  seed,
}: {
  whole: SystemSpec;
  other: SystemSpec;
  option: (typeof ABLATED)[number];
  trials: readonly TrialRow[];
  seed: number;
}): ReportCell[] {
  const shares = (system: string): Map<string, number> => {
    const own = trials.filter(
      ({ systemId, outcome }) => systemId === system && (outcome === 'passed' || outcome === 'failed'),
    );
    return new Map(
      [...new Set(own.map(({ taskId }) => taskId))].map((task) => {
        const repeats = own.filter(({ taskId }) => taskId === task);
        return [task, repeats.filter(({ outcome }) => outcome === 'passed').length / repeats.length];
      }),
    );
  };
  const [first, second] = [shares(whole.id), shares(other.id)];
  const bins = [...first].flatMap(([task, a]) => {
    const b = second.get(task);
    return b === undefined ? [] : [{ tasks: 1, a, b }];
  });
  const [difference, flipped] = [pairedDifference(bins, seed), flips(bins)];
  const told = ({ id, ...system }: SystemSpec): string => `${id} (${String(optionsOf(system)[option])})`;
  return [
    ...[option, told(whole), told(other), bins.length],
    difference === null ? null : { value: difference.value, interval: difference.interval },
    ...[flipped.gained, flipped.lost, bins.length === 0 ? null : mcnemarP(flipped).toFixed(3)],
  ];
}
