import type { Verdict } from '../../../src/contract/verdict.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { ArtisanTask } from '../dataset/artisan-task.js';
import { outputOf, type ScriptRun } from '../runs/run-script.js';
import { isRight } from './cell.js';
import { literalsIn } from './literals.js';
import { judgeMethod, type CopyReason, type MethodReport } from './method.js';
import { hiddenCells, judgeTable, type JudgedTable } from './table.js';

/** The six ends of a trial: the first two passed. */
export type Status = 'full' | 'last-mile' | 'copied' | 'mismatch' | 'runtime' | 'static';

/** Why a script is not run. */
export type StaticReason = 'static.empty' | 'static.size' | 'static.encoding';

type Reason =
  | StaticReason
  | 'static.syntax'
  | `runtime.${'exit' | 'timeout' | 'memory' | 'output' | 'no-table'}`
  | 'mismatch.cells'
  | `copied.${CopyReason}`;

/** Every reason, and the status it makes. A new one is a line here, and one in `explanations.ts`. */
const STATUS_OF: Readonly<Record<Reason, Exclude<Status, 'full' | 'last-mile'>>> = {
  'static.empty': 'static',
  'static.size': 'static',
  'static.encoding': 'static',
  'static.syntax': 'static',
  'runtime.exit': 'runtime',
  'runtime.timeout': 'runtime',
  'runtime.memory': 'runtime',
  'runtime.output': 'runtime',
  'runtime.no-table': 'runtime',
  'mismatch.cells': 'mismatch',
  'copied.result-file': 'copied',
  'copied.hard-coded': 'copied',
  'copied.insensitive': 'copied',
  'copied.unproven': 'copied',
};

export type ArtisanReason = keyof typeof STATUS_OF;

/**
 * How a script came to be: of an agent, null elsewhere. `revealed`: hidden cells of which it was told that they are right;
 * `formatted`: how often it had a table formatted; `workSeconds`: of its commands and submissions, as the sandbox measured them.
 */
export type Making = Record<'turns' | 'submissions' | 'revealed' | 'formatted' | 'workSeconds', number | null>;

/** What a verdict is made of. */
export interface TrialEvidence {
  task: Pick<ArtisanTask, 'shape' | 'printed' | 'best' | 'twins' | 'artifacts'>;
  /** As text. */
  script: string;
  refusal: StaticReason | null;
  making: Making;
  /** By name: `whole`, `withheld`, `underived`, `twin/ID`. */
  runs: Readonly<Record<string, ScriptRun>>;
  /** The result files of the artifact. */
  results: readonly string[];
}

/** What a trial came to, with what decided it. */
export interface TrialReport {
  status: Status;
  reason: ArtisanReason | null;
  table: JudgedTable | null;
  method: MethodReport | null;
  verdict: Verdict;
}

/** The verdict on a script, by rules alone. */
export function judgeTrial(evidence: TrialEvidence): TrialReport {
  const { task, refusal, runs } = evidence;
  const whole = runs.whole;
  if (refusal !== null || whole === undefined) return reportOf(evidence, refusal ?? 'static.empty', null, null);
  const output = outputOf(whole);
  const table = output === null ? null : judgeTable(task.shape, task.printed, output);
  if (table === null || table.problem !== null) return reportOf(evidence, runReason(whole), table, null);
  if (!table.right) return reportOf(evidence, 'mismatch.cells', table, null);
  const method = judgeMethod({
    ...{ shape: task.shape, printed: task.printed, best: task.best },
    ...(task.artifacts.withheld === null ? {} : { withheld: outputOf(ranOf(runs, 'withheld')) }),
    ...(task.artifacts.underived === null ? {} : { underived: outputOf(ranOf(runs, 'underived')) }),
    twins: task.twins.map(({ id, expected, intervals }) => {
      return { twin: id, expected, intervals, output: outputOf(ranOf(runs, `twin/${id}`)) };
    }),
    literals: literalsIn(evidence.script, hiddenValues(task)),
    opened: whole.opened?.filter((file) => evidence.results.includes(file)) ?? [],
  });
  return reportOf(evidence, method.because === null ? null : `copied.${method.because}`, table, method);
}

function runReason({ ended, exitCode }: ScriptRun): ArtisanReason {
  if (ended === 'syntax') return 'static.syntax';
  if (ended !== 'exit') return `runtime.${ended}`;
  return exitCode === 0 ? 'runtime.no-table' : 'runtime.exit';
}

/** After a table that is right these were all run; where a later judge calls another table right, they were not. */
function ranOf(runs: TrialEvidence['runs'], name: string): ScriptRun {
  const run = runs[name];
  if (run !== undefined) return run;
  throw new DomainFailure('evidence.missing', {
    message: `the table is right now, and the run "${name}" was never done`,
    expected: 'runs on withheld files and altered data wherever the table is right',
    fix: 'durabench retry CAMPAIGN --trial TRIAL --reason "judged anew": it runs what is missing',
  });
}

const hiddenValues = ({ shape, printed }: Pick<ArtisanTask, 'shape' | 'printed'>): string[] =>
  hiddenCells(shape).map(({ row, column }) => printed[row]?.[column.key] ?? '');

function reportOf(
  { task, making, runs }: TrialEvidence,
  reason: ArtisanReason | null,
  table: JudgedTable | null,
  method: MethodReport | null,
): TrialReport {
  const status = reason !== null ? STATUS_OF[reason] : method?.method === 'last-mile' ? 'last-mile' : 'full';
  const passed = isPassing(status);
  const [cells, found] = [hiddenCells(task.shape).length, table?.cells ?? []];
  const right = found.filter(({ outcome }) => isRight(outcome)).length;
  const count = (outcome: string): number => found.filter((cell) => cell.outcome === outcome).length;
  const rows = [...new Set(hiddenCells(task.shape).map(({ row }) => row))];
  const rightRows = rows.filter((row) => table?.rows[row] === true).length;
  return {
    ...{ status, reason, table, method },
    verdict: {
      passed,
      reasons: reason === null ? [] : [reason],
      metrics: {
        matched: right / cells,
        ...{ rows: rows.length, rowsMatched: rightRows / rows.length, table: Number(right === cells) },
        ...{ cells, rounding: count('rounding'), interval: count('interval') },
        ...Object.fromEntries(STATUSES.map((each) => [metricOf(each), Number(each === status)])),
        unproven: Number(method?.method === 'unproven'),
        ...making,
        seconds: secondsOf(runs, () => true),
        secondsWhole: secondsOf(runs, (name) => name === 'whole'),
        secondsWithheld: secondsOf(runs, (name) => name === 'withheld' || name === 'underived'),
        secondsTwins: secondsOf(runs, (name) => name.startsWith('twin/')),
      },
    },
  };
}

/** Of the runs that were done; 0 where none of the kind was. */
function secondsOf(runs: TrialEvidence['runs'], isOfKind: (name: string) => boolean): number {
  const own = Object.entries(runs).filter(([name]) => isOfKind(name));
  return Math.round(own.reduce((sum, [, { seconds }]) => sum + seconds, 0) * 1000) / 1000;
}

/** Whether a status is one of those that pass: the table is right, and was computed. */
export const isPassing = (status: string): boolean => status === 'full' || status === 'last-mile';

/** In the order of the report. */
export const STATUSES: readonly Status[] = ['full', 'last-mile', 'copied', 'mismatch', 'runtime', 'static'];

/** The metric that is 1 where a trial ended so. */
export const metricOf = (status: Status): string => (status === 'last-mile' ? 'lastMile' : status);

/** The status that a verdict's metrics say; null where they are of no verdict. */
export const statusOf = (metrics: Readonly<Record<string, number | null>>): Status | null =>
  STATUSES.find((status) => metrics[metricOf(status)] === 1) ?? null;
