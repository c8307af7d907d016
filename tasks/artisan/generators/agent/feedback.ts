import { shortText } from '../../../../src/suite-kit/short-text.js';
import { isRight } from '../../judge/cell.js';
import { formatTable, hiddenCells, type JudgedTable, type TableShape } from '../../judge/table.js';
import type { ScriptRun } from '../../runs/run-script.js';
import type { ArtisanOptions } from '../../settings.js';

/** Of the hidden cells of a table, this share is never confirmed, and at least so many; but never all of them. */
const UNCONFIRMED_SHARE = 0.2;
const FEWEST_UNCONFIRMED = 2;

/** What came of a submission, as far as it may be told. */
export interface Told {
  end: 'refused' | 'failed' | 'wrong' | 'copied' | 'accepted';
  /** Of a refusal or a copy: why. */
  reason: string | null;
  /** Of its hidden cells alone anything is told. */
  shape: TableShape;
  run: ScriptRun | null;
  table: JudgedTable | null;
}

/**
 * The table with fewer hidden cells: those left are told of, and the others, drawn by the key, never are. Who has only been told which
 * cells are right so has not been told the table.
 * @param key hexadecimal digits
 */
export function confirmable(shape: TableShape, key: string): TableShape {
  const cells = hiddenCells(shape).map(({ row, column }) => [row, column.key] as const);
  // Of one cell at least it is told: else no table would be wrong, and the first submission would be accepted.
  const count = Math.min(cells.length - 1, Math.max(FEWEST_UNCONFIRMED, Math.ceil(UNCONFIRMED_SHARE * cells.length)));
  const drawn = new Set<string>();
  let left = BigInt(`0x${key}`);
  for (const rest = [...cells]; drawn.size < count;) {
    const [cell] = rest.splice(Number(left % BigInt(rest.length)), 1);
    left /= BigInt(rest.length + 1);
    drawn.add(JSON.stringify(cell));
  }
  const rows = shape.rows.map(({ key: row, cells: own }) => ({
    key: row,
    cells: Object.fromEntries(
      Object.entries(own).map(([column, kind]) => [
        column,
        drawn.has(JSON.stringify([row, column])) ? ('given' as const) : kind,
      ]),
    ),
  }));
  return { ...shape, rows };
}

/** The hidden cells that a submission confirmed. */
export function revealedCells({ end, table }: Told, feedback: ArtisanOptions['feedback']): [string, string][] {
  if (table === null || feedback === 'none') return [];
  if (feedback === 'status' && end !== 'accepted' && end !== 'copied') return [];
  return table.cells.filter(({ outcome }) => isRight(outcome)).map(({ row, column }) => [row, column]);
}

/** What an agent is told of a submission. Never a value but those that it printed itself. */
export function feedbackText(
  told: Told,
  { number, most, feedback }: { number: number; most: number; feedback: ArtisanOptions['feedback'] },
): string {
  const counted = `Submission ${number} of ${most}.`;
  if (told.end === 'accepted') return `${counted} Accepted.`;
  const last = number >= most ? 'That was the last one; it counts as it is.' : '';
  return [`${counted} ${endText(told)}`, feedback === 'cells' ? tableText(told) : '', last]
    .filter((part) => part !== '')
    .join('\n\n');
}

function endText({ end, reason, run, table }: Told): string {
  if (end === 'refused') return `It is not run: ${REFUSED[reason ?? ''] ?? 'it is no script'}.`;
  if (end === 'wrong') return 'The script runs; its table is not the published one.';
  if (end === 'copied') return COPIED[reason ?? ''] ?? 'The table is right, and does not follow from the data.';
  if (table?.problem) return `The script runs, and prints no table: ${table.problem}.`;
  if (run?.ended === 'syntax') return 'Bash cannot parse the script.';
  const how = run?.ended === 'exit' ? `with exit status ${run.exitCode}` : `at its limit (${run?.ended})`;
  const said = shortText(run?.stderr.trim().split('\n').at(-1) ?? '', 400);
  return `The script ends ${how}${said === '' ? '' : `: ${said}`}.`;
}

const REFUSED: Readonly<Record<string, string>> = {
  'static.empty': 'it is empty',
  'static.size': 'it has more than 256 KiB',
  'static.encoding': 'it is no text in UTF-8',
};

const COPIED: Readonly<Record<string, string>> = {
  'copied.result-file': 'The table is right, and comes from a file that holds results: compute it from the data.',
  'copied.hard-coded': 'The table is right, and its values stand in the script: compute them from the data.',
  'copied.insensitive': 'The table is right, and stays the same where the data is other: compute it from the data.',
  'copied.unproven': 'The table is right, and the script fails where the data is other: it has to bear with that.',
};

/** The table with what was printed where that is right, and words where not; of cells that are never confirmed the mask. */
function tableText({ end, shape, table }: Told): string {
  if (table === null || table.problem !== null || end === 'refused') return '';
  const { cells } = table;
  const shown = formatTable(shape, (row, column) => {
    const cell = cells.find((each) => each.row === row && each.column === column.key);
    if (cell === undefined) return '?';
    return isRight(cell.outcome) ? (cell.given ?? '') : WORDS[cell.outcome];
  });
  return `Cells that are right, as you printed them; of those with ? nothing is told:\n\n${shown}`;
}

const WORDS = {
  match: '',
  rounding: '',
  interval: '',
  mismatch: '(wrong)',
  missing: '(missing)',
  unreadable: '(unreadable)',
};
