import { join } from 'node:path';
import { CELL_TYPES, type CellType } from '../judge/cell.js';
import { markdownTable } from './markdown-table.js';
import { readStudy } from './read-study.js';
import { STUDIES } from './selection.js';
import type { StudySource } from './study-schema.js';

interface Cell {
  study: string;
  table: string;
  type: CellType;
  isHidden: boolean;
  /** Chance has a hand in it. */
  isOfChance: boolean;
}

/** What the datasheet says of the cells of the committed studies and of their licences. */
export async function committedCells(suiteFolder: string): Promise<string> {
  const folder = join(suiteFolder, 'dataset', 'tasks');
  return cellsSection(await Promise.all(STUDIES.map((study) => readStudy(join(folder, study), study))));
}

/** Cells by type and by study, with each study's licence as its file names it; in Markdown. */
export function cellsSection(studies: readonly StudySource[]): string {
  const cells = studies.flatMap(cellsOf);
  const hidden = cells.filter(({ isHidden }) => isHidden);
  const disagreements = studies.flatMap(({ tables }) => tables.flatMap(({ table }) => table.disagreements));
  return [
    `${hidden.length} hidden cells, ${cells.length - hidden.length} given ones. Of the hidden ones ${hidden.filter(({ isOfChance }) => isOfChance).length} are of chance, and in ${disagreements.length} the artifact says otherwise than the paper. Counted in the files of the studies by \`bench/artisan/datasheet.ts\`.`,
    `### By type\n\n${byType(cells)}`,
    ...untried(hidden),
    `### By study\n\n${byStudy(studies, cells)}`,
  ].join('\n\n');
}

const cellsOf = ({ id: study, tables }: StudySource): Cell[] =>
  tables.flatMap(({ id: table, table: { columns, rows } }) =>
    Object.values(rows).flatMap(({ cells, given }) =>
      cells.flatMap((key): Cell[] => {
        const column = columns[key];
        const isHidden = !given.includes(key);
        return column === undefined
          ? []
          : [{ study, table, type: column.type, isHidden, isOfChance: column.monte_carlo }];
      }),
    ),
  );

function byType(cells: readonly Cell[]): string {
  const row = (name: string, own: readonly Cell[]): string[] => [name, tablesOf(own), ...counts(own)];
  return markdownTable(
    ['type', 'tables', 'hidden cells', 'of them of chance', 'given'],
    [
      ...CELL_TYPES.map((type) =>
        row(
          `\`${type}\``,
          cells.filter((cell) => cell.type === type),
        ),
      ),
      row('all', cells),
    ],
  );
}

/** Types that no hidden cell has. */
function untried(hidden: readonly Cell[]): string[] {
  const types = CELL_TYPES.filter((type) => !hidden.some((cell) => cell.type === type)).map((type) => `\`${type}\``);
  if (types.length === 0) return [];
  return [
    `No hidden cell is of the types ${types.join(', ')}: ${types.length} of the ${CELL_TYPES.length} types are tried on tables that were made up for tests and calibration alone, on no published one.`,
  ];
}

const byStudy = (studies: readonly StudySource[], cells: readonly Cell[]): string =>
  markdownTable(
    ['study', 'tables', 'hidden cells', 'of them of chance', 'given', 'licence'],
    studies.map(({ id, study }) => {
      const own = cells.filter((cell) => cell.study === id);
      return [`\`${id}\``, tablesOf(own), ...counts(own), study.licence];
    }),
  );

const tablesOf = (cells: readonly Cell[]): string => String(new Set(cells.map(({ table }) => table)).size);

/** Hidden, hidden and of chance, given. */
function counts(cells: readonly Cell[]): string[] {
  const hidden = cells.filter(({ isHidden }) => isHidden);
  return [hidden.length, hidden.filter(({ isOfChance }) => isOfChance).length, cells.length - hidden.length].map(
    String,
  );
}
