import type { TrialRow } from '../../../src/ports/records.js';
import type { ReportCell, ReportInput, ReportTable } from '../../../src/suite/report.js';

/** Making a script (of an agent its turns, of which are work and formatting), the runs that judge it, opinions. */
const TITLES = {
  making: 'making',
  turns: 'agent turns',
  work: 'of it commands, submissions',
  formatting: 'of it formatting',
  whole: 'whole run',
  withheld: 'withheld runs',
  twins: 'twin runs',
  opinion: 'opinion',
} as const;

type Part = keyof typeof TITLES;

/** Where a graded trial's money and time go: a mean over graded trials, null where it is not counted or not known. */
export interface PartFigures {
  part: Part;
  /** How often it is done. */
  times: number | null;
  usd: number;
  seconds: number | null;
}

/** Seconds of the runs that judge a script, by what they are for. */
const JUDGING: readonly [metric: string, part: Part][] = [
  ['secondsWhole', 'whole'],
  ['secondsWithheld', 'withheld'],
  ['secondsTwins', 'twins'],
];

/** A line a part. @param systems with their figures */
export function partTable(systems: readonly { system: string; parts: readonly PartFigures[] }[]): ReportTable {
  return {
    title: 'Cost and time of a task by part',
    columns: [
      ...['system', 'part', 'times'].map((title) => ({ title, kind: 'text' as const })),
      { title: 'cost', kind: 'usd' },
      { title: 'time', kind: 'seconds' },
    ],
    rows: systems.flatMap(({ system, parts }) =>
      parts.map(({ part, times, usd, seconds }): ReportCell[] => [
        ...[system, TITLES[part], times === null ? null : times.toFixed(1), usd, seconds],
      ]),
    ),
    notes: [
      'Means over graded trials; what is judged only where a table is right counts as nothing elsewhere. making: all attempts, what is waited for included; of it, commands and submissions as the sandbox measured them.',
      'Formatting is done by a tool that asks no model: it costs nothing, and its time is part of the turns. Runs cost nothing: only turns and opinions ask models.',
    ],
  };
}

/** Part by part: making its script, formatting, each kind of run, opinions. @param own graded trials of the system */
export function costByPart(system: string, own: readonly TrialRow[], usage: ReportInput['usage']): PartFigures[] {
  if (own.length === 0) return [];
  const mean = (metric: string): number | null => {
    const values = own.flatMap(({ metrics }) => metrics[metric] ?? []);
    return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / own.length;
  };
  const microUsd = own.reduce((sum, { costMicroUsd }) => sum + costMicroUsd, 0);
  const opinions = (usage?.calls ?? []).filter((row) => row.systemId === system && row.purpose === 'opinion');
  const asked = opinions.reduce((sum, { calls }) => sum + calls, 0);
  const opinionMicroUsd = opinions.reduce((sum, { costMicroUsd }) => sum + costMicroUsd, 0);
  const usd = (sum: number): number => sum / own.length / 1_000_000;
  const making = (usage?.stages ?? []).filter((row) => row.systemId === system && row.stage === 'generate');
  const makingSeconds = making.reduce((sum, { wallSeconds }) => sum + wallSeconds, 0) / own.length;
  const [turns, formatted, work] = [mean('turns'), mean('formatted'), mean('workSeconds')];
  return [
    {
      ...{ part: turns === null ? 'making' : 'turns', times: turns, usd: usd(microUsd - opinionMicroUsd) },
      seconds: making.length === 0 ? null : makingSeconds,
    },
    ...(work === null ? [] : [free('work', { seconds: work })]),
    ...(formatted === null ? [] : [free('formatting', { times: formatted })]),
    ...JUDGING.map(([metric, part]) => free(part, { seconds: mean(metric) })),
    ...(asked === 0
      ? []
      : [{ part: 'opinion' as const, times: asked / own.length, usd: usd(opinionMicroUsd), seconds: null }]),
  ];
}

const free = (part: Part, { times = null, seconds = null }: Partial<PartFigures>): PartFigures => ({
  ...{ part, times, usd: 0, seconds },
});
