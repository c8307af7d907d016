import type { TrialRow } from '../../../src/ports/records.js';
import type { ReportCell, ReportInput, ReportTable } from '../../../src/suite/report.js';

/** Seconds of the runs that judge a script, by what they are for. */
const JUDGING: readonly [metric: string, part: string][] = [
  ['secondsWhole', 'whole run'],
  ['secondsWithheld', 'withheld runs'],
  ['secondsTwins', 'twin runs'],
];

/** Where a graded trial's money and time go, part by part: making its script, formatting, each kind of run, opinions. */
export function partTable(
  systems: readonly { system: string; own: readonly TrialRow[] }[],
  usage: ReportInput['usage'],
): ReportTable {
  return {
    title: 'Cost and time of a task by part',
    columns: [
      ...['system', 'part', 'times'].map((title) => ({ title, kind: 'text' as const })),
      { title: 'cost', kind: 'usd' },
      { title: 'time', kind: 'seconds' },
    ],
    rows: systems.filter(({ own }) => own.length > 0).flatMap((each) => partsOf(each, usage)),
    notes: [
      'Means over graded trials; what is judged only where a table is right counts as nothing elsewhere. making: all attempts, what is waited for included; of it, commands and submissions as the sandbox measured them.',
      'Formatting is done by a tool that asks no model: it costs nothing, and its time is part of the turns. Runs cost nothing: only turns and opinions ask models.',
    ],
  };
}

function partsOf(
  { system, own }: { system: string; own: readonly TrialRow[] },
  usage: ReportInput['usage'],
): ReportCell[][] {
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
    [
      system,
      turns === null ? 'making' : 'agent turns',
      times(turns),
      usd(microUsd - opinionMicroUsd),
      making.length === 0 ? null : makingSeconds,
    ],
    ...(work === null ? [] : [[system, 'of it commands, submissions', null, 0, work]]),
    ...(formatted === null ? [] : [[system, 'of it formatting', times(formatted), 0, null]]),
    ...JUDGING.map(([metric, part]) => [system, part, null, 0, mean(metric)]),
    ...(asked === 0 ? [] : [[system, 'opinion', times(asked / own.length), usd(opinionMicroUsd), null]]),
  ];
}

const times = (value: number | null): ReportCell => (value === null ? null : value.toFixed(1));
