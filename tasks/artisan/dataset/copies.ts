import { formatTable, type TableShape, type Values } from '../judge/table.js';

/**
 * Scripts that print a table without computing it, made of its values when a task is: the repository holds none of them. Such a
 * script must not pass, whatever the study: the table in plain text, encoded, and computed but for one cell.
 */
export function copiesByRule(
  { shape, printed }: { shape: TableShape; printed: Values },
  { reference, cell }: { reference: string; cell: { row: string; column: string } },
): Record<string, string> {
  const table = formatTable(shape, (row, { key }) => printed[row]?.[key] ?? '');
  const value = printed[cell.row]?.[cell.column] ?? '';
  const given = [`-v row=${quoted(cell.row)}`, `-v column=${quoted(cell.column)}`, `-v value=${quoted(value)}`];
  return {
    printed: `cat <<'TABLE'\n${table}\nTABLE\n`,
    'printed-encoded': `base64 -d <<'TABLE'\n${Buffer.from(`${table}\n`).toString('base64')}\nTABLE\n`,
    'printed-cell': `(\n${reference.trimEnd()}\n) | awk -F'|' -v OFS='|' ${given.join(' ')} '${AWK}'\n`,
  };
}

/** Puts a value into one cell of a Markdown table. */
const AWK = [
  'function bare(text) { gsub(/^ +| +$/, "", text); return tolower(text) }',
  '/^[|]/ && !at { for (i = 3; i < NF; i++) if (bare($i) == tolower(column)) at = i }',
  'at && bare($2) == tolower(row) { $at = " " value " " }',
  '{ print }',
].join('\n');

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
