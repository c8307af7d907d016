import { parsedJson } from '../domain/text/parsed-json.js';
import { fencedBlocks } from './fenced-blocks.js';

/** Text beyond which no answer is looked into. */
const MOST = 2_000_000;

/** The JSON object of an answer: the whole text, a fenced block, or what stands between the outermost braces. */
export function readJson(text: string): unknown {
  if (text.length > MOST) return undefined;
  const braces = text.slice(Math.max(0, text.indexOf('{')), text.lastIndexOf('}') + 1);
  for (const part of [text, firstObject(text), braces]) {
    const value = part === undefined ? undefined : parsedJson(part.trim());
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  }
  return undefined;
}

/** The first fenced block that begins as an object does. */
function firstObject(text: string): string | undefined {
  for (const { lines } of fencedBlocks(text.split('\n'))) {
    const block = lines.join('\n');
    if (block.trimStart().startsWith('{')) return block;
  }
  return undefined;
}
