import type { Decision } from '../../domain/statistics/decision.js';
import { plainLine } from '../../domain/text/plain-text.js';
import { methodName } from '../figures/figure-tables.js';
import type { TableColumn } from '../result-table.js';
import { ABSENT, counted, grouped, percent } from '../text/number-text.js';
import type { ComparedColumn, ComparedPair, ComparedSystem, Flip, TaskResult } from './comparison.js';

/** `campaign/system`; of a log that another program wrote, marked. */
export const systemName = ({ campaign, system, source }: ComparedSystem): string =>
  `${campaign}/${system}${source === 'campaign' ? '' : ' †'}`;

/** `+3.3` percentage points. */
const points = (difference: number): string => `${difference < 0 ? '−' : '+'}${Math.abs(difference * 100).toFixed(1)}`;

/** One line a pair; decisions are a column where there are any. */
export const pairColumns = (pairs: readonly ComparedPair[]): readonly TableColumn<ComparedPair>[] =>
  pairs.some(({ decision }) => decision !== null)
    ? [...PAIR_COLUMNS.slice(0, 2), DECISION, ...PAIR_COLUMNS.slice(2)]
    : PAIR_COLUMNS;

const DECISION: TableColumn<ComparedPair> = {
  title: 'decision',
  cell: ({ decision }) => decision?.toUpperCase() ?? ABSENT,
  align: 'left',
};

const PAIR_COLUMNS: readonly TableColumn<ComparedPair>[] = [
  { title: 'a', cell: ({ a }) => systemName(a), align: 'left' },
  { title: 'b', cell: ({ b }) => systemName(b), align: 'left' },
  { title: 'tasks', cell: ({ tasks }) => grouped(tasks), align: 'right', rank: 4 },
  { title: 'score a', cell: (pair) => percent(pair.score_a), align: 'right', rank: 2 },
  { title: 'score b', cell: (pair) => percent(pair.score_b), align: 'right', rank: 2 },
  { title: 'b − a, points (95 %)', cell: ({ difference }) => differenceText(difference), align: 'right' },
  { title: 'gained', cell: ({ gained }) => grouped(gained), align: 'right', rank: 3 },
  { title: 'lost', cell: ({ lost }) => grouped(lost), align: 'right', rank: 3 },
  { title: 'chi²', cell: ({ chi_squared: chi }) => chi?.value.toFixed(2) ?? ABSENT, align: 'right', rank: 7 },
  { title: 'p (McNemar)', cell: ({ p }) => pText(p), align: 'right', rank: 6 },
  { title: 'p (Holm)', cell: (pair) => pText(pair.p_holm), align: 'right', rank: 1 },
  {
    title: 'tasks needed',
    cell: (pair) => (pair.tasks_needed === null ? ABSENT : grouped(pair.tasks_needed)),
    align: 'right',
    rank: 5,
  },
];

/** A rate of the suite, with the pair it is of. */
export type ColumnOfPair = ComparedColumn & { pair: Pick<ComparedPair, 'a' | 'b'> };

/** One line a rate of the suite and pair. */
export const RATE_COLUMNS: readonly TableColumn<ColumnOfPair>[] = [
  { title: 'a', cell: ({ pair }) => systemName(pair.a), align: 'left', rank: 2 },
  { title: 'b', cell: ({ pair }) => systemName(pair.b), align: 'left' },
  { title: 'rate', cell: ({ title }) => plainLine(title, 40), align: 'left' },
  { title: 'tasks', cell: ({ tasks }) => grouped(tasks), align: 'right', rank: 1 },
  { title: 'of a', cell: ({ a }) => percent(a), align: 'right' },
  { title: 'of b', cell: ({ b }) => percent(b), align: 'right' },
  { title: 'b − a, points (95 %)', cell: ({ difference }) => differenceText(difference), align: 'right' },
];

function differenceText({ value, interval }: ComparedPair['difference']): string {
  return `${points(value)} [${points(interval!.low)}, ${points(interval!.high)}]`;
}

const pText = (p: number): string => (p < 0.0001 ? '< 0.0001' : p.toFixed(4));

/** One line a flipped task, with a trial of each system. */
export const FLIP_COLUMNS: readonly TableColumn<Flip>[] = [
  { title: 'change', cell: ({ change }) => change, align: 'left' },
  { title: 'task', cell: ({ task }) => plainLine(task, 80), align: 'left', rank: 1 },
  { title: 'a', cell: ({ a }) => resultText(a), align: 'left' },
  { title: 'b', cell: ({ b }) => resultText(b), align: 'left' },
];

const resultText = ({ graded, passed, trial }: TaskResult): string =>
  `${plainLine(trial, 120)} ${graded === 1 ? (passed === 1 ? 'passed' : 'failed') : `${passed}/${graded}`}`;

/** What a pair comes to, in sentences. */
export function pairLines(pair: ComparedPair): string[] {
  const { a, b, difference, gained, lost } = pair;
  const left = pair.only_a + pair.only_b;
  const better = difference.value > 0 ? b : a;
  const needed = pair.tasks_needed;
  return [
    ...(pair.decision === null ? [] : [`${DECISIONS[pair.decision]} (${systemName(b)}).`]),
    pair.differs
      ? `${systemName(better)} passes more: interval and adjusted test agree.`
      : `No difference can be told between ${systemName(a)} and ${systemName(b)}: ${counted(gained, 'task')} gained, ${grouped(lost)} lost of ${grouped(pair.tasks)}.`,
    ...(needed !== null && !pair.differs
      ? [
          `About ${counted(needed, 'task')} would tell a difference of ${points(difference.value)} points (power 80 %, two-sided 5 %).`,
        ]
      : []),
    ...(left > 0
      ? [
          `Left out, graded on one side only: ${counted(pair.only_a, 'task')} of ${systemName(a)}, ${grouped(pair.only_b)} of ${systemName(b)}.`,
        ]
      : []),
  ];
}

/** What a decision rests on. */
const DECISIONS: Record<Decision, string> = {
  adopt: 'ADOPT: interval and adjusted test tell it from the baseline, and it gains at least what was asked for',
  keep: 'KEEP the baseline: the interval leaves no room for the gain that was asked for',
  undecided: 'UNDECIDED: neither a gain that matters nor its absence is shown',
};

/** How the figures came about. */
export function methodLines(pairs: readonly ComparedPair[]): string[] {
  const methods = [...new Set(pairs.map(({ difference }) => methodName(difference.method)))];
  return [
    `Paired by task. Intervals: ${methods.join('; ')}, pairs drawn together. p: exact McNemar test (with repeats the exact sign test over tasks), adjusted over ${counted(pairs.length, 'pair')} by Holm. Tasks needed: Connor 1987.`,
  ];
}
