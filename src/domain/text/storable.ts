/** What Postgres refuses in text and jsonb, and canonical JSON in a hash: NUL, and halves of surrogate pairs. */
const UNSTORABLE = /[\0\p{Surrogate}]/gu;
/** The escapes of a JSON text; NUL and halves only ever stand in one as an escape of six characters. */
const ESCAPES = /\\(?:u0000|ud[89a-f][0-9a-f]{2}|[^])/g;
const REPLACEMENT = '\u{fffd}';

/** Text of a model, a candidate or a provider, as the records and hashes can hold it. */
export function storableText(text: string): string {
  return text.replace(UNSTORABLE, REPLACEMENT);
}

/** JSON text that a jsonb column takes, whatever the strings and keys of the value hold. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.replace(ESCAPES, (escape) => (escape.length > 2 ? REPLACEMENT : escape));
}

/** The value as {@link storableJson} keeps it. */
export function storable<Value>(value: Value): Value {
  const text = storableJson(value);
  return text === JSON.stringify(value) ? value : (JSON.parse(text) as Value);
}
