/** Longest piece of a provider's words that is kept: failures live in histories, and people see some 500 characters of one, its remedy at the end. */
const LONGEST = 320;

/** What is looked at: an error reply may be megabytes, and the patterns below would take their time. */
const LOOKED_AT = 64 * 1024;

/** What is shorter is a word like "none", which endpoints without keys are given; blanking it would garble texts. */
const SHORTEST_KEY = 8;

/** A text in which an endpoint may have repeated the key it was sent, without it. */
export function withoutKey(text: string, key: string | null): string {
  return key !== null && key.length >= SHORTEST_KEY ? text.replaceAll(key, '[key]') : text;
}

/** A provider's words without keys: the one that was sent, and whatever else looks like one. */
export function redacted(words: string, key: string | null): string {
  const plain = withoutKey(words.slice(0, LOOKED_AT), key)
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]+/gi, '$1 [key]')
    .replace(/\b(sk|pk|rk|key|api|gsk|xai)-[\w*.-]{6,}/gi, '[key]')
    .replace(/[\p{Cc}\p{Surrogate}]+/gu, ' ')
    .trim();
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST)} […]` : plain;
}
