/**
 * Text from a candidate or model, fit for a history and for Postgres: control characters and broken surrogates replaced
 * (jsonb refuses both), and cut so that its JSON stays within `maxBytes`; a cut is marked by `…`.
 */
export function shortText(text: string, maxBytes: number): string {
  const clean = text.replace(/\p{Cc}/gu, ' ').replace(/\p{Cs}/gu, '\u{fffd}');
  if (jsonBytes(clean) <= maxBytes) return clean;
  let short = '';
  let bytes = jsonBytes('…');
  for (const character of clean) {
    bytes += jsonBytes(character) - 2;
    if (bytes > maxBytes) break;
    short += character;
  }
  return `${short}…`;
}

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));
