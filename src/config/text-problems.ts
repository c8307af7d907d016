import { storableText } from '../domain/text/storable.js';
import { problemAt, type PlacedProblem } from '../domain/shape/shape-problems.js';
import { pathText } from '../domain/text/path-text.js';
import type { YamlSource } from '../domain/shape/yaml-source.js';

/**
 * Texts and keys of a file that no record can hold: NUL, and halves of surrogate pairs, which YAML can escape. And the
 * one key that JavaScript takes for something else: it would be lost without a word.
 */
export function textProblems(value: unknown, source: YamlSource, path: readonly PropertyKey[] = []): PlacedProblem[] {
  if (typeof value === 'string') return isWhole(value) ? [] : [unstorable(path, source)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const at = [...path, Array.isArray(value) ? Number(key) : key];
    if (key === '__proto__' || !isWhole(key)) return [badKey(key, path, source)];
    return textProblems(inner, source, at);
  });
}

const isWhole = (text: string): boolean => storableText(text) === text;

function unstorable(path: readonly PropertyKey[], source: YamlSource): PlacedProblem {
  return problemAt(source, path, {
    message: `${pathText(path)} holds a NUL or half a character`,
    expected: 'whole Unicode characters other than NUL',
    fix: 'look for \\0, \\x00 or \\uD800 to \\uDFFF in the text, and leave it out',
  });
}

function badKey(key: string, path: readonly PropertyKey[], source: YamlSource): PlacedProblem {
  const expected = 'keys of whole characters, and not __proto__';
  const message = `the key ${JSON.stringify(key)} cannot be used`;
  return problemAt(source, { path, key }, { message, expected, fix: 'rename it' });
}
