/** The cells of a line of a Markdown table; null where it is none. */
function cellsOf(line: string): string[] | null {
  const text = line.trim();
  if (!text.startsWith('|')) return null;
  return text
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}

const isRule = (cells: readonly string[]): boolean => cells.every((cell) => /^:?-+:?$/.test(cell));

/** Line by line: the cells of the body of a table, else null. */
function bodyOf(lines: readonly string[]): (string[] | null)[] {
  const rows = lines.map(cellsOf);
  const rule = rows.findIndex((cells) => cells !== null && isRule(cells));
  return rows.map((cells, index) => (rule === -1 || index <= rule ? null : cells));
}

/**
 * A table with `?` for what is hidden: as it was released, where that is a mask of this very table; else by rule: every digit of
 * the body outside the first column, or every sign there where it has no digit. Null where there is no table.
 */
export function maskOf(expected: string, released: string | null): { text: string; by: 'release' | 'rule' } | null {
  const lines = expected.split('\n');
  const body = bodyOf(lines);
  const cells = body.flatMap((row) => row?.slice(1) ?? []);
  if (cells.length === 0) return null;
  if (released !== null && masks(body, bodyOf(released.split('\n')))) return { text: released, by: 'release' };
  const hidden = cells.some((cell) => /\d/.test(cell)) ? /\d/g : /\S/g;
  const masked = lines.map((line, index) => {
    const row = body[index];
    if (row === null || row === undefined) return line;
    const [first = '', ...others] = row;
    return `| ${[first, ...others.map((cell) => cell.replace(hidden, '?'))].join(' | ')} |`;
  });
  return { text: masked.join('\n'), by: 'rule' };
}

/** Whether each cell of a mask is the table's but for digits that are hidden, and some are. */
function masks(body: readonly (string[] | null)[], mask: readonly (string[] | null)[]): boolean {
  const cells = body.flatMap((row) => row ?? []);
  const hidden = mask.flatMap((row) => row ?? []);
  if (cells.length !== hidden.length) return false;
  const fits = cells.every((cell, index) => {
    const other = hidden[index] ?? '';
    return (
      cell.length === other.length &&
      [...cell].every((sign, at) => sign === other[at] || (other[at] === '?' && /\d/.test(sign)))
    );
  });
  return fits && cells.some((cell, index) => cell !== hidden[index]);
}
