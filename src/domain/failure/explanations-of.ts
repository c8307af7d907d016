import type { Explanation, Explanations } from '../../contract/problem.js';

/** A table of one kind, from its cells: meaning, cause, next. Where `Code` is a union, a code without an entry does not compile. */
export function explanationsOf<Code extends string>(
  kind: Explanation['kind'],
  cells: Readonly<Record<Code, readonly [meaning: string, cause: string, next: string]>>,
): Explanations<Code> {
  const entries = Object.entries<readonly [string, string, string]>(cells);
  return Object.fromEntries(
    entries.map(([code, [meaning, cause, next]]) => [code, { kind, meaning, cause, next }]),
  ) as Explanations<Code>;
}
