import { isOneUnitOff, isRight, judgeCell } from './cell.js';
import {
  expectedOf,
  formatTable,
  hiddenCells,
  judgeTable,
  withIntervals,
  type Column,
  type Intervals,
  type JudgedTable,
  type TableShape,
  type Values,
} from './table.js';

/** How a table came to be: computed from the raw data, from shipped intermediate data, or copied; or nothing shows which. */
export type Method = 'full' | 'last-mile' | 'copied' | 'unproven';

/** Why a table counts as copied. */
export type CopyReason = 'result-file' | 'hard-coded' | 'insensitive' | 'unproven';

/** What a script does where its data is altered. */
interface TwinOutput {
  /** Id of the twin. */
  twin: string;
  /** What the reference script gives there. */
  expected: Values;
  /** Where its Monte Carlo cells may fall there. */
  intervals?: Intervals | undefined;
  /** What the script under judgement printed; null where it failed. */
  output: string | null;
}

/** What the runs of a script whose cells are all right came to. */
export interface MethodEvidence {
  shape: TableShape;
  /** The table as it is printed. */
  printed: Values;
  /** Where only derived data is shipped: `last-mile`, whatever a script prints without any. */
  best: Extract<Method, 'full' | 'last-mile'>;
  /** Output without result files; null where it failed. Absent: the artifact has none. */
  withheld?: string | null;
  /** Without derived files too. Absent: the artifact has none. */
  underived?: string | null;
  twins: readonly TwinOutput[];
  /** Hidden values that stand in its text. */
  literals: readonly string[];
  /** Result files that it opened on the whole artifact. */
  opened: readonly string[];
}

/** What decides, and what it was decided by. */
export interface MethodReport {
  method: Method;
  because: CopyReason | null;
  withheldRight: boolean | null;
  underivedRight: boolean | null;
  twins: { twin: string; right: boolean; repeated: Cell[] }[];
  literals: string[];
  opened: string[];
}

/**
 * How a right table came to be, by what the script does where it cannot copy. One cell that stays as printed where the reference's
 * changes makes it copied, except by one unit where the cell follows another twin. A script that gives neither table on a twin has
 * shown nothing: it passes as little. What stands in its text and what it opened decides nothing, and names a copy.
 */
export function judgeMethod(evidence: MethodEvidence): MethodReport {
  const { shape, printed, best, withheld, underived, twins, literals, opened } = evidence;
  const rightOf = (output: string | null | undefined): boolean | null =>
    output === undefined ? null : output !== null && judgeTable(shape, printed, output).right;
  const [withheldRight, underivedRight] = [rightOf(withheld), rightOf(underived)];
  const seen = twins.map((twin) => lookAt(shape, printed, twin));
  const looked = seen.map(({ twin, right, stayed }) => ({
    ...{ twin, right },
    repeated: stayed.filter((cell) => !cell.isNear || !seen.some(({ moved }) => moved.some(isAt(cell)))).map(placeOf),
  }));
  const names = { literals: [...literals], opened: [...opened] };
  const report = { withheldRight, underivedRight, twins: looked, ...names };
  const copied = (fallback: CopyReason): CopyReason =>
    withheldRight === false
      ? 'result-file'
      : literals.length > 0
        ? 'hard-coded'
        : opened.length > 0
          ? 'result-file'
          : fallback;
  if (looked.some(({ repeated }) => repeated.length > 0))
    return { ...report, method: 'copied', because: copied('insensitive') };
  if (looked.length === 0 || looked.some(({ right }) => !right)) {
    const because = copied('unproven');
    return { ...report, method: because === 'unproven' ? 'unproven' : 'copied', because };
  }
  if (withheldRight === false) return { ...report, method: 'copied', because: 'result-file' };
  return { ...report, method: underivedRight === false ? 'last-mile' : best, because: null };
}

interface Cell {
  row: string;
  column: string;
}

/** What a script does on one twin with the cells that the reference's changes there. */
interface TwinLook {
  twin: string;
  right: boolean;
  /** Cells that stay as published. `isNear`: the twin moves them by one unit, so that an edge of rounding may lie between. */
  stayed: (Cell & { isNear: boolean })[];
  /** Cells that are the twin's and no longer the published ones. */
  moved: Cell[];
}

function lookAt(shape: TableShape, printed: Values, { twin, expected, intervals, output }: TwinOutput): TwinLook {
  if (output === null) return { twin, right: false, stayed: [], moved: [] };
  const bounded = withIntervals(shape, intervals);
  const [asAltered, asPrinted] = [judgeTable(bounded, expected, output), judgeTable(shape, printed, output)];
  const givenAt = (cell: Cell): string => asAltered.cells.find(isAt(cell))?.given ?? '';
  // Nobody has looked for edges of rounding on altered data: who computes a number may print the next one.
  const isNext = ({ row, column }: { row: string; column: Column }): boolean =>
    isOneUnitOff(
      expectedOf(column, printed, row),
      expected[row]?.[column.key] ?? '',
      givenAt({ row, column: column.key }),
    );
  const next = hiddenCells(bounded)
    .filter(isNext)
    .map(({ row, column }) => ({ row, column: column.key }));
  const isFollowed = (cell: Cell): boolean => isRightAt(asAltered, cell) || next.some(isAt(cell));
  const changed = changedCells(shape, printed, expected);
  return {
    twin,
    right: hiddenCells(bounded).every(({ row, column }) => isFollowed({ row, column: column.key })),
    stayed: changed
      .filter((cell) => isRightAt(asPrinted, cell) && !isRightAt(asAltered, cell))
      .map((cell) => ({ ...cell, isNear: next.some(isAt(cell)) })),
    moved: changed.filter((cell) => !isRightAt(asPrinted, cell) && isFollowed(cell)),
  };
}

const placeOf = ({ row, column }: Cell): Cell => ({ row, column });

const isAt =
  (one: Cell) =>
  ({ row, column }: Cell): boolean =>
    row === one.row && column === one.column;

const isRightAt = ({ cells }: JudgedTable, at: Cell): boolean =>
  cells.some((cell) => isAt(at)(cell) && isRight(cell.outcome));

/** The hidden cells that no rounding makes the same in both tables: where they differ a copy shows. */
export const changedCells = (shape: TableShape, printed: Values, altered: Values): Cell[] =>
  hiddenCells(shape)
    .filter(({ row, column }) => !isRight(judgeCell(expectedOf(column, printed, row), altered[row]?.[column.key])))
    .map(({ row, column }) => ({ row, column: column.key }));

/**
 * The cells of a twin in which a copy of the published table shows, as the judge will find them. Of a cell that chance has a hand in
 * it does not where the bounds on the twin take the published value.
 */
export const copiedCells = (
  shape: TableShape,
  printed: Values,
  altered: Pick<TwinOutput, 'expected' | 'intervals'>,
): Cell[] =>
  lookAt(shape, printed, {
    ...{ twin: '', expected: altered.expected, intervals: altered.intervals },
    output: formatTable(shape, (row, { key }) => printed[row]?.[key] ?? ''),
  }).stayed.map(placeOf);
