import { fencedBlocks } from '../../../src/suite-kit/fenced-blocks.js';
import { shortText } from '../../../src/suite-kit/short-text.js';

/** What an adapter said: the whole test file, that it cannot be done, or nothing that can be read (`why`). */
export type RewriteAnswer =
  { kind: 'test'; code: string } | { kind: 'cannot'; reason: string } | { kind: 'unreadable'; why: string };

/** Characters looked at; a rewrite is refused for its length long before. */
const LOOKED_AT = 512 * 1024;
/** Bytes of a reason kept. */
const MAX_REASON_BYTES = 400;
const CANNOT = /^[ \t*_#>`-]*CANNOT\b[ \t*_`]*[:.–-]?(.*)$/s;
const LANGUAGES = ['', 'python', 'python3', 'py'];

/**
 * Reads an adapter's answer: one fenced block of Python, or a line `CANNOT: reason`. A whole answer without a fence that
 * begins like a test file counts as one. Two different blocks, or a block beside a CANNOT, say two things and are not read.
 */
export function readRewriteAnswer(text: string): RewriteAnswer {
  if (text.length > LOOKED_AT) return unreadable('the answer is far too long');
  const normal = text.replace(/\r\n?/g, '\n');
  const { codes: blocks, outside } = taken(normal.split('\n'));
  const reason = reasonIn(outside);
  if (blocks.length > 1) return unreadable('the answer holds several different blocks');
  const [code] = blocks;
  if (code !== undefined && reason !== null)
    return unreadable('the answer holds a test and says that there can be none');
  if (reason !== null) return { kind: 'cannot', reason: shortText(reason, MAX_REASON_BYTES) };
  if (code !== undefined) return { kind: 'test', code: `${code.trimEnd()}\n` };
  if (normal.includes('```')) return unreadable('the block of the answer was not closed or is empty');
  if (/^(import|from) \w/m.test(normal) && /^[ \t]*(async )?def test/m.test(normal))
    return { kind: 'test', code: `${normal.trim()}\n` };
  return unreadable(normal.trim() === '' ? 'the answer is empty' : 'the answer holds no block of Python');
}

/** The different blocks of Python, and the lines that are in no block. */
function taken(lines: readonly string[]): { codes: string[]; outside: string[] } {
  const codes = new Set<string>();
  const outside = [...lines];
  for (const block of fencedBlocks(lines)) {
    outside.fill('', block.opensAt, block.closesAt + 1);
    const code = block.lines.join('\n');
    if (LANGUAGES.includes(block.info.toLowerCase()) && code.trim() !== '') codes.add(code);
  }
  return { codes: [...codes], outside };
}

/** Why an answer says CANNOT, in that line or below it; null where it does not say so. */
function reasonIn(lines: readonly string[]): string | null {
  const at = lines.findIndex((line) => CANNOT.test(line));
  if (at === -1) return null;
  const [, said = ''] = CANNOT.exec(lines[at] ?? '') ?? [];
  return (said.trim() || lines.slice(at + 1).find((line) => line.trim() !== ''))?.trim() ?? '';
}

const unreadable = (why: string): RewriteAnswer => ({ kind: 'unreadable', why });
