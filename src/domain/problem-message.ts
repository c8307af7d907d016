import type { Problem } from '../contract/problem.js';

const ALLOWED = 'allowed: ';
const REMEDY = 'to mend: ';

/** A problem as the message of a failure: three lines, so that it keeps its parts in a history and in the records. */
export function problemMessage({ what, allowed, remedy }: Problem): string {
  return [what, ALLOWED + allowed, REMEDY + remedy].map((line) => line.replace(/(?<!\s)\s*\n\s*/g, ' ')).join('\n');
}

/** The problem in such a message, whatever stands before it on its first line; undefined for other words. */
export function problemIn(message: string): Problem | undefined {
  const [what = '', allowed = '', remedy = '', ...more] = message.split('\n');
  if (!allowed.startsWith(ALLOWED) || !remedy.startsWith(REMEDY) || more.length > 0) return undefined;
  return { what, allowed: allowed.slice(ALLOWED.length), remedy: remedy.slice(REMEDY.length) };
}
