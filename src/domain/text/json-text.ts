/**
 * JSON that is safe to print: `JSON.stringify` escapes the control characters below U+0020, but not DEL, the 8-bit
 * controls (U+009B begins a terminal sequence) and the marks that turn the reading direction.
 */
export function jsonText(value: unknown, indent?: number): string {
  return printable(JSON.stringify(value, null, indent));
}

/** JSON with those characters escaped: of many values at once this costs a third. */
export function printable(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
