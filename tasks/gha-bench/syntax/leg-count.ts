type Leg = Record<string, unknown>;

/** Combinations that are looked at one by one: more of them are too many whatever is excluded. */
const MOST_COUNTED = 10_000;

/**
 * How many jobs a matrix makes by GitHub's rules, as far as it stands in the file: lists that come from expressions count
 * as one value.
 */
export function legCount(matrix: Readonly<Record<string, unknown>>): number {
  const vectors = Object.entries(matrix).filter(([name]) => name !== 'include' && name !== 'exclude');
  const product = vectors.reduce((count, [, values]) => count * valuesOf(values).length, 1);
  if (product > MOST_COUNTED) return product;
  const excluded = legsIn(matrix.exclude);
  const legs = (vectors.length === 0 ? [] : combined(vectors)).filter(
    (leg) => !excluded.some((pattern) => matches(pattern, leg)),
  );
  const names = new Set(vectors.map(([name]) => name));
  const added = legsIn(matrix.include).filter((extra) => {
    const shared = Object.entries(extra).filter(([name]) => names.has(name));
    return legs.length === 0 || !legs.some((leg) => matches(Object.fromEntries(shared), leg));
  });
  return legs.length + added.length;
}

const valuesOf = (values: unknown): unknown[] => (Array.isArray(values) ? values : [values]);
const legsIn = (list: unknown): Leg[] =>
  Array.isArray(list) ? list.filter((leg): leg is Leg => typeof leg === 'object' && leg !== null) : [];

function combined(vectors: [string, unknown][]): Leg[] {
  return vectors.reduce<Leg[]>(
    (legs, [name, values]) => legs.flatMap((leg) => valuesOf(values).map((value) => ({ ...leg, [name]: value }))),
    [{}],
  );
}

/** True where every value of the pattern is that of the leg. */
const matches = (pattern: Leg, leg: Leg): boolean =>
  Object.entries(pattern).every(([name, value]) => JSON.stringify(leg[name]) === JSON.stringify(value));
