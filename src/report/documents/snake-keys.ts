/** A name of our code as documents write it. */
type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${SnakeCase<Rest>}`
    : `_${Lowercase<First>}${SnakeCase<Rest>}`
  : Name;

export type SnakeKeys<Row> = { [Key in keyof Row as SnakeCase<Key>]: Row[Key] };

/** The keys of one object as documents write them (`startedAt` → `started_at`); what is in it stays. */
export function snakeKeys<Row extends object>(row: Row): SnakeKeys<Row> {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [snakeCase(key), value as unknown]),
  ) as SnakeKeys<Row>;
}

/** Keys whose value has names of the user's below it, which stay. */
const OF_USERS = new Set(['models', 'prices', 'purposes']);

/** The same at any depth, for what an event says. */
export function deepSnakeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deepSnakeKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, below]: [string, unknown]) => [
    snakeCase(key),
    OF_USERS.has(key) ? namedByUsers(below) : deepSnakeKeys(below),
  ]);
  return Object.fromEntries(entries) as unknown;
}

function namedByUsers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return deepSnakeKeys(value);
  return Object.fromEntries(Object.entries(value).map(([name, below]) => [name, deepSnakeKeys(below)]));
}

const snakeCase = (name: string): string => name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
