import type { CandidateEntry } from '../candidate/candidate-index.js';
import { tokenize } from '../../../src/suite-kit/tokenize.js';

/** Raised when {@link entryViews} changes; part of the key of stored vectors. */
export const ENTRY_VIEWS_VERSION = 3;

/**
 * The views an entry is found by, the closest one counting: everything that is written of it, and its docstring alone. A
 * candidate's names are its own affair; where they differ they would hide what the docstring says. Where there is none, its code
 * speaks: what it calls and reads, and who calls it.
 */
export const entryViews = (entry: CandidateEntry): string[] => [entryText(entry), entry.doc || codeText(entry)];

const codeText = (entry: CandidateEntry): string =>
  `${entryText(entry)} ${(entry.code ?? []).map((name) => tokenize(name).join(' ')).join(', ')}`.trim();

/** What is written of an entry: its name and path in plain words, what its docstring says, its signature. */
function entryText(entry: CandidateEntry): string {
  const owner = entry.owner === null ? '' : ` of ${tokenize(entry.owner).join(' ')}`;
  const area = tokenize(entry.module.split('.').slice(1).join(' ')).join(' ');
  const place = area === '' ? '' : ` in ${area}`;
  // Descriptions speak of an object.
  const kind = entry.kind === 'value' ? 'object' : entry.kind;
  return `${kind} ${tokenize(entry.name).join(' ')}${owner}${place}. ${entry.doc} ${entry.signature}`.trim();
}
