import type { CampaignSpec, SystemSpec } from '../../../src/contract/campaign.js';
import type { Figure } from '../../../src/domain/statistics/figure.js';
import { flips, mcnemarP, pairedDifference } from '../../../src/domain/statistics/paired.js';
import type { TrialRow } from '../../../src/ports/records.js';
import type { ReportCell, ReportTable } from '../../../src/suite/report.js';
import { optionsOf } from '../settings.js';

/** What may be taken from an agent. */
const ABLATED = ['tools', 'feedback', 'method_feedback', 'submissions'] as const;

type Option = (typeof ABLATED)[number];

/** Two agents that differ in one option alone, task by task. */
export interface Ablation {
  option: Option;
  of: OptionOf;
  against: OptionOf;
  /** That both were graded on. */
  tasks: number;
  /** The share of tasks that the second passes less that of the first, −1 to 1; null where they share no task. */
  difference: Figure | null;
  gained: number;
  lost: number;
  /** McNemar's test, exact; null where they share no task. */
  p: number | null;
}

/** An agent, and its value of the option. */
interface OptionOf {
  system: string;
  value: string | number | boolean;
}

export function ablationsOf({ systems, seed }: CampaignSpec, trials: readonly TrialRow[]): Ablation[] {
  return systems.flatMap((whole, at) =>
    systems.slice(at + 1).flatMap((other) => {
      const option = differingOption(whole, other);
      return option === null ? [] : [ablationOf({ whole, other, option, trials, seed })];
    }),
  );
}

/** A line an ablation; nothing where there are none. */
export function ablationTable(ablations: readonly Ablation[]): ReportTable[] {
  if (ablations.length === 0) return [];
  const told = ({ system, value }: OptionOf): string => `${system} (${String(value)})`;
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
      rows: ablations.map(({ option, of, against, tasks, difference, gained, lost, p }): ReportCell[] => [
        ...[option, told(of), told(against), tasks],
        difference && { value: difference.value, interval: difference.interval },
        ...[gained, lost, p === null ? null : p.toFixed(3)],
      ]),
      notes: ['Paired by task: the share of tasks that the second passes less that of the first.'],
    },
  ];
}

function differingOption(one: SystemSpec, other: SystemSpec): Option | null {
  if (one.generator !== 'agent' || other.generator !== 'agent' || one.model !== other.model) return null;
  const [a, b] = [optionsOf(one), optionsOf(other)];
  const different = (Object.keys(a) as (keyof typeof a)[]).filter(
    (key) => JSON.stringify(a[key]) !== JSON.stringify(b[key]),
  );
  const [option] = different;
  return different.length === 1 ? (ABLATED.find((each) => each === option) ?? null) : null;
}

function ablationOf({
  whole,
  other,
  option,
  trials,
  seed,
}: {
  whole: SystemSpec;
  other: SystemSpec;
  option: Option;
  trials: readonly TrialRow[];
  seed: number;
}): Ablation {
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
  const flipped = flips(bins);
  const valued = (system: SystemSpec): OptionOf => ({ system: system.id, value: optionsOf(system)[option] });
  return {
    ...{ option, of: valued(whole), against: valued(other), tasks: bins.length },
    difference: pairedDifference(bins, seed),
    ...flipped,
    p: bins.length === 0 ? null : mcnemarP(flipped),
  };
}
