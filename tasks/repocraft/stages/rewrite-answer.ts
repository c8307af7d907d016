import { shortText } from './short-text.js';

/** What an adapter said: the whole test file, that it cannot be done, or nothing that can be read (`why`). */
export type RewriteAnswer =
  { kind: 'test'; code: string } | { kind: 'cannot'; reason: string } | { kind: 'unreadable'; why: string };

/** Characters looked at; a rewrite is refused for its length long before. */
const LOOKED_AT = 512 * 1024;
/** Bytes of a reason kept. */
const MAX_REASON_BYTES = 400;
const CANNOT = /^[\s*_#>`-]*CANNOT\b[\s*_`]*[:.–-]?[ \t]*(.*)$/m;

/**
 * Reads an adapter's answer: one fenced block of Python, or a line `CANNOT: reason`. A whole answer without a fence that
 * begins like a test file counts as one. Two different blocks, or a block beside a CANNOT, say two things and are not read.
 */
export function readRewriteAnswer(text: string): RewriteAnswer {
  if (text.length > LOOKED_AT) return unreadable('the answer is far too long');
  const normal = text.replace(/\r\n?/g, '\n');
  const blocks = [...new Set(fenced(normal))];
  const outside = normal.replace(FENCED, '');
  const refusal = CANNOT.exec(outside);
  if (blocks.length > 1) return unreadable('the answer holds several different blocks');
  const [code] = blocks;
  if (code !== undefined && refusal !== null)
    return unreadable('the answer holds a test and says that there can be none');
  if (refusal !== null) return { kind: 'cannot', reason: shortText((refusal[1] ?? '').trim(), MAX_REASON_BYTES) };
  if (code !== undefined) return { kind: 'test', code: `${code.trimEnd()}\n` };
  if (normal.includes('```')) return unreadable('the block of the answer was not closed or is empty');
  if (/^(import|from) \w/m.test(normal) && /^\s*(async )?def test/m.test(normal))
    return { kind: 'test', code: `${normal.trim()}\n` };
  return unreadable(normal.trim() === '' ? 'the answer is empty' : 'the answer holds no block of Python');
}

const FENCED = /^[ \t]*```[ \t]*(?:python3?|py)?[ \t]*\n([\s\S]*?)\n[ \t]*```[ \t]*$/gim;

const fenced = (text: string): string[] =>
  [...text.matchAll(FENCED)].map(([, code]) => code ?? '').filter((code) => code.trim() !== '');

const unreadable = (why: string): RewriteAnswer => ({ kind: 'unreadable', why });
