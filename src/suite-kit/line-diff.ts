/** Lines of the longer text above which no diff is computed (the table would not fit). */
const MAX_LINES = 4_000;

/** A diff of two texts by lines, every line of both in it: ` ` kept, `-` only before, `+` only after. */
export function lineDiff(before: string, after: string): string {
  const [a, b] = [before.split('\n'), after.split('\n')];
  if (Math.max(a.length, b.length) > MAX_LINES)
    return [...a.map((line) => `-${line}`), ...b.map((line) => `+${line}`)].join('\n');
  const common = commonLengths(a, b);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(` ${a[i] ?? ''}`);
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || at(common, i + 1, j) >= at(common, i, j + 1))) {
      lines.push(`-${a[i] ?? ''}`);
      i += 1;
    } else {
      lines.push(`+${b[j] ?? ''}`);
      j += 1;
    }
  }
  return lines.join('\n');
}

/** Length of the longest common subsequence of every pair of tails. */
function commonLengths(a: string[], b: string[]): Uint16Array[] {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const row = table[i] as Uint16Array;
    for (let j = b.length - 1; j >= 0; j -= 1) {
      row[j] = a[i] === b[j] ? at(table, i + 1, j + 1) + 1 : Math.max(at(table, i + 1, j), row[j + 1] ?? 0);
    }
  }
  return table;
}

const at = (table: Uint16Array[], i: number, j: number): number => table[i]?.[j] ?? 0;
