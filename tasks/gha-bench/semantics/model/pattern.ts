import { createRequire } from 'node:module';
import type * as re2 from 're2js';

export interface Pattern {
  source: string;
  matches(text: string): boolean;
  /** Where it is first met, or -1. */
  at(text: string): number;
}

const LONGEST = 500;
const compiled = new Map<string, Pattern>();
const MOST_KEPT = 2_000;

/**
 * RE2 syntax: no look-around, no references back, and time linear in the text whatever the pattern. Begins with `(?i)` where
 * case does not count; `^` and `$` stand for lines. Throws what is wrong with it.
 */
export function compilePattern(source: string): Pattern {
  const known = compiled.get(source);
  if (known) return known;
  if (source.length > LONGEST) throw new Error(`the pattern is longer than ${LONGEST} characters`);
  const { RE2JS } = engineLibrary();
  const engine = RE2JS.compile(source, RE2JS.MULTILINE);
  const at = (text: string): number => {
    const matcher = engine.matcher(text);
    return matcher.find() ? matcher.start() : -1;
  };
  const pattern = { source, matches: (text: string) => engine.matcher(text).find(), at };
  if (compiled.size >= MOST_KEPT) compiled.clear();
  compiled.set(source, pattern);
  return pattern;
}

/** Loaded when first asked for: it takes longer than all else that a command loads. */
function engineLibrary(): typeof re2 {
  return createRequire(import.meta.url)('re2js') as typeof re2;
}

/** What is wrong with it; undefined where it compiles. */
export function patternProblem(source: string): string | undefined {
  try {
    compilePattern(source);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
