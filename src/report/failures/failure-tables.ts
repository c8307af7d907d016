import type { ReportCell, ReportTable } from '../../suite/report.js';
import { percent } from '../text/number-text.js';
import type { FailureAnalysis, FailureClass, FailureCount } from './failure-analysis.js';
import { FEWEST, type Recommendation } from './recommendations.js';

const text = (title: string) => ({ title, kind: 'text' as const });
const count = (title: string) => ({ title, kind: 'count' as const });
const rate = (title: string) => ({ title, kind: 'rate' as const });

/** Where failed trials were lost, and what to try; without the samples. Empty where nothing failed. */
export function failureTables({ classes, recommendations }: FailureAnalysis): ReportTable[] {
  return [
    recommendationTable(recommendations),
    classTable(classes),
    crossTable('group', classes, ({ groups }) => groups),
    crossTable('difficulty', classes, ({ difficulties }) => difficulties),
    crossTable('stage', classes, ({ stages }) => stages),
  ].filter(({ rows }) => rows.length > 0);
}

/** What a class is called: reasons and codes as they are. */
export const className = (name: string | null): string => name ?? 'no class';

function recommendationTable(all: readonly Recommendation[]): ReportTable {
  const certain = all.filter((each) => each.certain);
  const open = all.filter((each) => !each.certain);
  return {
    title: 'What to try',
    columns: [
      ...['system', 'what'].map(text),
      ...['found', 'of'].map(count),
      ...['share', 'above'].map(rate),
      text('such as'),
    ],
    rows: certain.map(({ system, counts, found, of, share, above, trials }) => [
      ...[system, countedText(counts), found, of],
      { value: share.value, interval: share.interval },
      ...[above, trials.slice(0, 3).join('\n')],
    ]),
    notes: [
      ...new Set(certain.map(({ counts, advice }) => `To try for ${countedText(counts)}: ${advice}.`)),
      `Rules fire where the 95 % Wilson interval of the share lies above the threshold, of ${FEWEST} trials or more: of those that failed, and where errors count of those that ended. Trials of one shared candidate fail alike, so intervals are too narrow for what a second candidate would do.`,
      ...(open.length === 0 ? [] : [`Above their threshold, but not certain: ${open.map(openText).join('; ')}.`]),
    ],
  };
}

const countedText = (counts: Recommendation['counts']): string => {
  if ('class' in counts) return counts.class;
  return 'stage' in counts ? `stage ${counts.stage}` : `errored: ${counts.blame}`;
};

const openText = ({ system, counts, found, of, share, above }: Recommendation): string =>
  `${system}, ${countedText(counts)} ${found} of ${of} (${percent(share.value)}, threshold ${percent(above)})`;

function classTable(classes: readonly FailureClass[]): ReportTable {
  return {
    title: 'Failures by class',
    columns: [text('system'), text('class'), count('failed'), rate('share of failed'), text('such as')],
    rows: classes.map(({ system, class: name, failed, share, samples }) => [
      ...[system, className(name), failed],
      { value: share.value, interval: share.interval },
      samples[0]?.trial ?? null,
    ]),
    notes: ['In brackets 95 % Wilson intervals. `durabench explain CLASS` says what one means.'],
  };
}

/** Values with a column of their own. */
const MOST_COLUMNS = 8;

/** A row a class, a column a value of what it is counted by; the rarer values share the last column. */
function crossTable(
  by: string,
  classes: readonly FailureClass[],
  of: (row: FailureClass) => readonly FailureCount[],
): ReportTable {
  const counts = classes.flatMap(of);
  const names = [...new Set(counts.map(({ name }) => name))];
  const total = (name: string): number => counts.reduce((sum, each) => sum + (each.name === name ? each.failed : 0), 0);
  const frequent = [...names].sort((one, other) => total(other) - total(one)).slice(0, MOST_COLUMNS);
  const shown = names.filter((name) => frequent.includes(name));
  const cells = (row: FailureClass): ReportCell[] => {
    const own = new Map(of(row).map(({ name, failed }) => [name, failed]));
    const rest = of(row).reduce((sum, { name, failed }) => sum + (shown.includes(name) ? 0 : failed), 0);
    return [...shown.map((name) => own.get(name) ?? 0), ...(shown.length < names.length ? [rest] : [])];
  };
  return {
    title: `Failures by class and ${by}`,
    columns: [
      ...['system', 'class'].map(text),
      ...shown.map(count),
      ...(shown.length < names.length ? [count('others')] : []),
    ],
    // One value says nothing that the classes do not.
    rows: names.length < 2 ? [] : classes.map((row) => [row.system, className(row.class), ...cells(row)]),
    notes: [],
  };
}

/** Samples of every class, for documents without lists that open. */
export function sampleTable({ classes }: FailureAnalysis): ReportTable {
  return {
    title: 'Samples of failures',
    columns: ['system', 'class', 'trial', 'reason', 'excerpt'].map(text),
    rows: classes.flatMap(({ system, class: name, samples }) =>
      samples.map(({ trial, reason, excerpt }) => [system, className(name), trial, reason, excerpt]),
    ),
    notes: ['Ten trials of a class at most, drawn by the hash of their ids; the excerpt is a line of their evidence.'],
  };
}
