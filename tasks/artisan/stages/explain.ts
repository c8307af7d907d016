import type { Problem } from '../../../src/contract/problem.js';
import type { Blobs } from '../../../src/ports/blobs.js';
import type { StepRow } from '../../../src/ports/records.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';
import { shortText } from '../../../src/suite-kit/short-text.js';
import { MOST_SCRIPT_BYTES } from '../generators/made-script.js';
import { isRight } from '../judge/cell.js';
import type { TrialReport } from '../judge/verdict.js';
import type { Opinion } from '../results.js';
import type { ScriptRun } from '../runs/run-script.js';

/** What `score` leaves beside the verdict. */
type Judgement = Omit<TrialReport, 'verdict'> & {
  note: string | null;
  whole: Omit<ScriptRun, 'stdout' | 'seconds' | 'opened'> | null;
  /** Where a model was asked. */
  opinion?: Opinion;
};

/** Null where it is not there, or kept no more. */
export async function readJudgement(steps: readonly StepRow[], blobs: Blobs): Promise<Judgement | null> {
  const scored = steps.findLast(({ stage }) => stage === 'score');
  const kept = scored?.evidence.find(({ name }) => name === 'judgement.json');
  return kept === undefined || !(await blobs.has(kept.sha256)) ? null : readJsonBlob<Judgement>(blobs, kept.sha256);
}

/** What decided against a script: its error, a cell, or the run that shows the copy. Null where the evidence is gone. */
export async function explain(steps: readonly StepRow[], blobs: Blobs): Promise<Problem | null> {
  const judgement = await readJudgement(steps, blobs);
  if (judgement === null || judgement.reason === null) return null;
  const { reason, table, method, note, whole } = judgement;
  if (reason === 'mismatch.cells') return cellProblem(table);
  if (method !== null) return methodProblem(method);
  if (table?.problem) return { message: table.problem, expected: 'a block ```table with a Markdown table in it' };
  const last = whole?.stderr.trim().split('\n').at(-1) ?? '';
  const what =
    whole === null
      ? (REFUSED[reason] ?? note ?? 'no script was made')
      : `${endOf(whole)}${last === '' ? '' : `: ${last}`}`;
  return { message: shortText(what.replace(/\s+/g, ' '), LONGEST), expected: 'a script of bash that runs to its end' };
}

/** Scripts that were made, and are not run. */
const REFUSED: Readonly<Record<string, string>> = {
  'static.size': `the script has more than ${MOST_SCRIPT_BYTES / 1024} KiB`,
  'static.encoding': 'the script is no text in UTF-8',
};

/** Of what a candidate had a say in. */
const LONGEST = 400;

const endOf = ({ ended, exitCode }: { ended: string; exitCode: number | null }): string =>
  ended === 'exit' ? `exit status ${exitCode}` : `ended by ${ended}`;

function cellProblem(table: TrialReport['table']): Problem | null {
  const wrong = table?.cells.filter(({ outcome }) => !isRight(outcome)) ?? [];
  const [first] = wrong;
  if (first === undefined) return null;
  const { row, column, outcome, given } = first;
  const more = wrong.length > 1 ? ` (and ${wrong.length - 1} more)` : '';
  const printed = given === null ? '' : `, "${given.replace(/\s+/g, ' ')}"`;
  return {
    message: `cell ${row}, ${column}: ${outcome}${printed}${more}`,
    expected: 'the value of the published table',
  };
}

function methodProblem({ twins, withheldRight, literals, opened }: NonNullable<TrialReport['method']>): Problem {
  const repeated = twins.flatMap(({ twin, repeated: cells }) => cells.map((cell) => ({ twin, ...cell })));
  const [first] = repeated;
  const failed = twins.find(({ right }) => !right);
  const parts = [
    ...(withheldRight === false ? ['without the result files the table is not there'] : []),
    ...(first === undefined ? [] : [`on twin ${first.twin} cell ${first.row}, ${first.column} stays as published`]),
    ...(first === undefined && failed !== undefined ? [`on twin ${failed.twin} the table is not the reference's`] : []),
    ...(literals.length === 0 ? [] : [`${literals.length} published values stand in the script`]),
    ...(opened.length === 0 ? [] : [`it opened ${opened.join(', ')}`]),
  ];
  return { message: parts.join('; '), expected: 'a table that follows from the data' };
}
