/** One character of a pattern, with how often it may stand. */
interface Part {
  accepts: (character: string) => boolean;
  /** `folders` is no character: what is between it and the third part on may be missing. */
  times: 'once' | 'any' | 'maybe' | 'folders';
}

/**
 * The patterns of branch, tag and path filters: `*` stays within one `/`, `**` does not, `?` and `+` repeat the character
 * before them, `[…]` is a set. Time is the product of both lengths.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const parts = partsOf(pattern);
  let states = closure(parts, new Set([0]));
  for (const character of text) {
    states = closure(parts, step(parts, states, character));
    if (states.size === 0) return false;
  }
  return states.has(parts.length);
}

/** A list as GitHub reads it: the last pattern that matches decides, and `!` takes back. */
export function includedBy(patterns: string[], text: string): boolean {
  return patterns.reduce((included, pattern) => {
    const negative = pattern.startsWith('!');
    return matchesGlob(negative ? pattern.slice(1) : pattern, text) ? !negative : included;
  }, false);
}

function step(parts: Part[], states: Set<number>, character: string): Set<number> {
  const next = new Set<number>();
  for (const at of states) {
    const part = parts[at];
    if (!part?.accepts(character)) continue;
    next.add(part.times === 'any' ? at : at + 1);
  }
  return next;
}

/** Parts that may stand for nothing are passed; one that has stood may end. */
function closure(parts: Part[], states: Set<number>): Set<number> {
  for (const at of states) {
    const times = parts[at]?.times;
    if (times === 'any' || times === 'maybe' || times === 'folders') states.add(at + 1);
    if (times === 'folders') states.add(at + 3);
  }
  return states;
}

function partsOf(pattern: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  while (at < pattern.length) at += readPart(pattern, at, parts);
  return parts;
}

/** Adds what begins at `at`; returns its length. */
function readPart(pattern: string, at: number, parts: Part[]): number {
  const character = pattern[at] ?? '';
  if (character === '*') return readStars(pattern, at, parts);
  if (character === '?' || character === '+') return repeat(parts, character);
  if (character === '[') return readSet(pattern, at, parts);
  if (character === '\\' && at + 1 < pattern.length) {
    parts.push(literal(pattern[at + 1] ?? ''));
    return 2;
  }
  parts.push(literal(character));
  return 1;
}

/** Whole folders of `**` and their slash may be missing: the pattern of all READMEs matches the one at the root. */
function readStars(pattern: string, at: number, parts: Part[]): number {
  if (pattern[at + 1] !== '*') {
    parts.push({ accepts: (character) => character !== '/', times: 'any' });
    return 1;
  }
  const any: Part = { accepts: () => true, times: 'any' };
  const folders = (at === 0 || pattern[at - 1] === '/') && pattern[at + 2] === '/';
  if (folders) parts.push({ accepts: () => false, times: 'folders' }, any, literal('/'));
  else parts.push(any);
  return folders ? 3 : 2;
}

function repeat(parts: Part[], sign: string): number {
  const last = parts.pop();
  if (!last) parts.push(literal(sign));
  else if (last.times !== 'once') parts.push(last);
  else if (sign === '?') parts.push({ ...last, times: 'maybe' });
  else parts.push(last, { ...last, times: 'any' });
  return 1;
}

function readSet(pattern: string, at: number, parts: Part[]): number {
  const end = pattern.indexOf(']', at + 1);
  if (end < 0) {
    parts.push(literal('['));
    return 1;
  }
  const members = pattern.slice(at + 1, end);
  parts.push({ accepts: (character) => inSet(members, character), times: 'once' });
  return end - at + 1;
}

function inSet(members: string, character: string): boolean {
  for (let at = 0; at < members.length; at += 1) {
    const first = members[at] ?? '';
    const range = members[at + 1] === '-' && at + 2 < members.length;
    const last = range ? (members[at + 2] ?? '') : first;
    if (character >= first && character <= last) return true;
    if (range) at += 2;
  }
  return false;
}

function literal(written: string): Part {
  return { accepts: (character) => character === written, times: 'once' };
}
