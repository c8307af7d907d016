/** Longest piece of a provider's words that is kept: failures live in histories. */
const LONGEST = 600;

/** A provider's words without keys: the one that was sent, and whatever else looks like one. */
export function redacted(words: string, key: string | null): string {
  const without = key ? words.replaceAll(key, '[key]') : words;
  const plain = without
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]+/gi, '$1 [key]')
    .replace(/\b(sk|pk|rk|key|api|gsk|xai)-[\w*.-]{6,}/gi, '[key]')
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .trim();
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST)} […]` : plain;
}
