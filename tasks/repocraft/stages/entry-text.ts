import type { CandidateEntry } from './candidate-index.js';
import { wordsOf } from './words.js';

/** Raised when {@link entryText} changes; part of the key of stored vectors. */
export const ENTRY_TEXT_VERSION = 1;

/** What is embedded for an entry: its name and path in plain words, what its docstring says, its signature. */
export function entryText(entry: CandidateEntry): string {
  const owner = entry.owner === null ? '' : ` of ${wordsOf(entry.owner).join(' ')}`;
  const area = wordsOf(entry.module.split('.').slice(1).join(' ')).join(' ');
  const place = area === '' ? '' : ` in ${area}`;
  return `${entry.kind} ${wordsOf(entry.name).join(' ')}${owner}${place}. ${entry.doc} ${entry.signature}`.trim();
}
