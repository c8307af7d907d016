/** A block of an answer between two fences of backticks or tildes. */
export interface FencedBlock {
  /** What stands behind the opening fence: `python title="a.py"`. */
  info: string;
  /** Blanks before the opening fence. */
  indent: number;
  lines: string[];
  /** Places of the two fences among all lines. */
  opensAt: number;
  closesAt: number;
}

/**
 * The blocks of a text in order. A block ends with a line that holds nothing but its fence, as long and no further indented;
 * one that is not closed was cut off: it is none, and neither is anything after it. Takes time in proportion to the text,
 * whatever is in it: answers are read on the worker's event loop, where an expression that searches again from every line
 * would stop heartbeats.
 */
export function* fencedBlocks(lines: readonly string[]): Generator<FencedBlock> {
  for (let opensAt = 0; opensAt < lines.length; opensAt += 1) {
    const opening = fenceIn(lines[opensAt] ?? '');
    if (opening === null) continue;
    const closesAt = closingAfter(lines, opensAt, opening);
    if (closesAt === null) return;
    const { info, indent } = opening;
    yield { info, indent, lines: lines.slice(opensAt + 1, closesAt), opensAt, closesAt };
    opensAt = closesAt;
  }
}

interface Fence {
  mark: string;
  length: number;
  indent: number;
  info: string;
}

function fenceIn(line: string): Fence | null {
  const text = line.trim();
  const mark = text.charAt(0);
  if (mark !== '`' && mark !== '~') return null;
  let length = 1;
  while (text[length] === mark) length += 1;
  const info = text.slice(length).trim();
  // Backticks behind backticks: code within a line.
  if (length < 3 || (mark === '`' && info.includes(mark))) return null;
  return { mark, length, indent: line.length - line.trimStart().length, info };
}

function closingAfter(lines: readonly string[], opensAt: number, opening: Fence): number | null {
  for (let at = opensAt + 1; at < lines.length; at += 1) {
    const fence = fenceIn(lines[at] ?? '');
    if (fence === null || fence.info !== '' || fence.mark !== opening.mark) continue;
    if (fence.length >= opening.length && fence.indent <= opening.indent) return at;
  }
  return null;
}
