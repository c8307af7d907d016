import type { RepocraftTask } from '../dataset/repocraft-task.js';
import { likeness } from './alike.js';
import { entryPath, type CandidateEntry, type CandidateIndex } from '../candidate/candidate-index.js';
import { SymbolTable } from './symbol-table.js';
import { usedPaths } from './used-paths.js';

/** Lines and characters an adapter is shown of a library; a large one has thousands of entries. */
const MAX_LINES = 120;
const MAX_CHARACTERS = 14_000;

/** What the test uses of the reference: path, signature and first sentence of everything it names. */
export function usedText(task: RepocraftTask, reference: CandidateIndex): string {
  const table = new SymbolTable(reference);
  const lines = usedPaths(task).map((path) => {
    const found = table.resolve(path);
    const entry = reference.entries.find(
      (each) => each.owner === null && each.module === found?.module && each.name === found.name,
    );
    return entry === undefined ? `- ${path}` : `- ${path}: ${said(entry)}`;
  });
  return listed(lines);
}

/** What the candidate offers, closest first: what stands beside the found entry, then what is called like the test's names. */
export function offeredText(task: RepocraftTask, candidate: CandidateIndex, found: CandidateEntry): string {
  const wanted = [...new Set([...usedPaths(task), ...task.targets].map((path) => path.split('.').at(-1) ?? path))];
  const owner = found.owner ?? (found.kind === 'class' ? found.qualname : null);
  const scored = candidate.entries
    .filter((entry) => entry !== found && (!entry.name.startsWith('_') || entry.name === '__init__'))
    .map((entry, row) => {
      const isBeside = entry.module === found.module;
      const isMember = isBeside && owner !== null && (entry.owner === owner || entry.qualname === owner);
      const alike = Math.max(0, ...wanted.map((name) => likeness(name, entry.name)));
      return { entry, row, score: alike + (isMember ? 2 : 0) + (isBeside ? 0.5 : 0) };
    });
  scored.sort((a, b) => b.score - a.score || a.row - b.row);
  return listed(scored.slice(0, MAX_LINES).map(({ entry }) => `- ${entryPath(entry)}: ${said(entry)}`));
}

const said = ({ signature, doc, property }: CandidateEntry): string =>
  `${property === true ? 'property ' : ''}${signature}${doc === '' ? '' : ` – ${doc.split('. ')[0] ?? ''}`}`;

function listed(lines: readonly string[]): string {
  const shown: string[] = [];
  let characters = 0;
  for (const line of lines) {
    characters += line.length + 1;
    if (characters > MAX_CHARACTERS) break;
    shown.push(line);
  }
  return shown.length === 0 ? '(nothing)' : shown.join('\n');
}
