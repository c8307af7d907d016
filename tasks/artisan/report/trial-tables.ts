import type { Blobs } from '../../../src/ports/blobs.js';
import type { StepRow } from '../../../src/ports/records.js';
import type { ReportTable } from '../../../src/suite/report.js';
import { isRight } from '../judge/cell.js';
import type { MethodReport } from '../judge/method.js';
import type { JudgedTable } from '../judge/table.js';
import type { Opinion } from '../results.js';
import { readJudgement } from '../stages/explain.js';

/** What the judges found in a trial: every hidden cell, every run that judged its method, and what a model said of it. */
export async function trialTables(steps: readonly StepRow[], blobs: Blobs): Promise<ReportTable[]> {
  const judgement = await readJudgement(steps, blobs);
  if (judgement === null) return [];
  const { table, method, opinion } = judgement;
  return [
    ...(table === null || table.problem !== null ? [] : [cellTable(table)]),
    ...(method === null ? [] : [runTable(method)]),
    ...(opinion === undefined ? [] : [opinionTable(opinion)]),
  ];
}

const texts = (...titles: string[]): ReportTable['columns'] => titles.map((title) => ({ title, kind: 'text' }));

function cellTable({ cells, rows, right: isWhole }: JudgedTable): ReportTable {
  const asked = [...new Set(cells.map(({ row }) => row))];
  const right = cells.filter(({ outcome }) => isRight(outcome)).length;
  const rightRows = asked.filter((row) => rows[row] === true).length;
  return {
    title: 'Cells',
    columns: texts('row', 'column', 'outcome', 'printed'),
    rows: cells.map(({ row, column, outcome, given }) => [row, column, outcome, given]),
    notes: [
      `Right: ${right} of ${cells.length} cells, ${rightRows} of ${asked.length} rows; the table is ${isWhole ? 'right' : 'wrong'}.`,
    ],
  };
}

function runTable({ method, because, withheldRight, underivedRight, twins }: MethodReport): ReportTable {
  const printed = (isSame: boolean | null, run: string): ReportTable['rows'] =>
    isSame === null ? [] : [[run, isSame ? 'the published table' : 'not the published table', null]];
  return {
    title: 'Method',
    columns: texts('run', 'gives', 'cells that stay as published'),
    rows: [
      ...printed(withheldRight, 'withheld'),
      ...printed(underivedRight, 'underived'),
      ...twins.map(({ twin, right, repeated }) => [
        `twin/${twin}`,
        right ? 'the reference’s table' : 'not the reference’s table',
        repeated.map(({ row, column }) => `${row}, ${column}`).join('; ') || null,
      ]),
    ],
    notes: [`Method: ${method}${because === null ? '' : ` (${because})`}.`],
  };
}

const opinionTable = ({ model, method, reason }: Opinion): ReportTable => ({
  title: 'Opinion',
  columns: texts('model', 'says', 'reason'),
  rows: [[model, method, reason]],
  notes: ['By the text of the script alone; it decides nothing.'],
});
