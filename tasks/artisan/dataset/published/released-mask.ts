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
 * A table with `?` for hidden digits: as it was released, where that is a mask of this very table; else by rule: every digit of
 * the body outside the first column. Null where there is no table, or where nothing of it would be hidden.
 */
export function maskOf(expected: string, released: string | null): { text: string; by: 'release' | 'rule' } | null {
  const lines = expected.split('\n');
  const body = bodyOf(lines);
  if (released !== null && masks(body, bodyOf(released.split('\n')))) return { text: released, by: 'release' };
  const masked = lines.map((line, index) => {
    const cells = body[index];
    if (cells === null || cells === undefined) return line;
    const [first = '', ...others] = cells;
    return `| ${[first, ...others.map((cell) => cell.replace(/\d/g, '?'))].join(' | ')} |`;
  });
  const hides = body.some((cells) => cells?.slice(1).some((cell) => /\d/.test(cell)));
  return hides ? { text: masked.join('\n'), by: 'rule' } : null;
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
