import { parsedJson } from '../../../../src/domain/text/parsed-json.js';
/** Characters looked at: a description is a few sentences, and whoever says more is not listened to for seconds. */
const LOOKED_AT = 64 * 1024;

/**
 * Reads an author's answer: a JSON object with the text `description`, whatever stands around it. Null when there is none,
 * or when there are several that differ.
 */
export function readDescription(text: string): string | null {
  const said = text.slice(0, LOOKED_AT);
  // The text may hold braces of its own: everything between the outermost ones comes first.
  const whole = descriptionIn(said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1));
  if (whole !== null) return whole;
  const found = new Set([...said.matchAll(/\{[^{}]*\}/g)].flatMap(([object]) => descriptionIn(object) ?? []));
  const [only = null] = found;
  return found.size === 1 ? only : null;
}

function descriptionIn(object: string): string | null {
  const value = parsedJson(object) as { description?: unknown } | null | undefined;
  const description = typeof value?.description === 'string' ? value.description : '';
  return description.replace(/\s+/g, ' ').trim() || null;
}
