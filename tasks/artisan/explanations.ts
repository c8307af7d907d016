import { explanationsOf } from '../../src/domain/failure/explanations-of.js';
import type { ArtisanReason } from './judge/verdict.js';

const CELLS = '`durabench show TRIAL` names the cell, what was printed there and what was expected.';
const RUN = '`durabench show TRIAL` shows what the script said before it ended.';
const METHOD = '`durabench show TRIAL` names the run and the cell that decided.';

/** Why a trial of Artisan-Bench failed: the reasons of `judge/verdict.ts`. */
export const artisanExplanations = explanationsOf<ArtisanReason>('reason', {
  'static.empty': ['There is no script.', 'An answer without a block of bash, or no repro.sh in the folder.', RUN],
  'static.size': ['The script is too large.', 'More than 256 KiB: a table or data in it.', RUN],
  'static.encoding': ['The script is no text.', 'Bytes that are not UTF-8, or a NUL among them.', RUN],
  'static.syntax': ['Bash cannot parse the script.', 'A quote, bracket or `fi` that is missing.', RUN],
  'runtime.exit': [
    'The script ended with an error.',
    'A command that failed, a file or package that is not there.',
    RUN,
  ],
  'runtime.timeout': [
    'The script took too long.',
    'More than the task allows; it was run twice where others were busy.',
    RUN,
  ],
  'runtime.memory': ['The script ran out of memory.', 'More than the task allows.', RUN],
  'runtime.output': ['The script printed too much.', 'More than 1 MiB.', RUN],
  'runtime.no-table': ['The script printed no table.', 'No block ```table, or one without a Markdown table.', RUN],
  'mismatch.cells': [
    'The table differs from the published one.',
    'Cells that are wrong, missing or unreadable.',
    CELLS,
  ],
  'copied.result-file': [
    'The table was copied from a result file.',
    'Without the result files the script does not give it.',
    METHOD,
  ],
  'copied.hard-coded': [
    'The values stand in the script.',
    'On altered data it does not give the other table, and its text holds the published one.',
    METHOD,
  ],
  'copied.insensitive': [
    'The table does not follow from the data.',
    'On altered data a cell stays as published where the reference gives another.',
    METHOD,
  ],
  'copied.unproven': [
    'Nothing shows that the table was computed.',
    'On altered data the script fails, or prints neither table.',
    METHOD,
  ],
});
