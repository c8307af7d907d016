import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ZodType } from 'zod';
import type { Problem } from '../../../src/contract/problem.js';
import { UserError } from '../../../src/domain/failure/user-error.js';
import { shapedYaml } from '../../../src/domain/shape/shape-problems.js';
import { studySchema, tableSchema, type StudySource, type StudySpec, type TableSpec } from './study-schema.js';

/** Where studies stand, as messages name it. */
const TASKS = 'tasks/artisan/dataset/tasks';

/**
 * Reads a study of the folder `dataset/tasks`: `study.yaml`, and a folder for each table.
 * @throws UserError with everything that is wrong with it, each with its file and place
 */
export async function readStudy(folder: string, id: string): Promise<StudySource> {
  const problems: Problem[] = [];
  const study = await yamlFile(join(folder, 'study.yaml'), studySchema, { place: `${id}/study.yaml`, problems });
  if (study !== undefined) problems.push(...studyProblems(study, `${id}/study.yaml`));
  const extract = await readFile(join(folder, 'extract.sh'), 'utf8').catch(() => null);
  const isExtracted = study !== undefined && 'library' in study.package;
  if (isExtracted && extract === null)
    problems.push(wrong(`${id}/extract.sh`, 'is missing', 'write the script that leaves paper and artifact in out'));
  const hasResults = study?.artifact.some(({ role }) => role === 'result') ?? false;
  const folders = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const names = folders.map(({ name }) => name).sort();
  if (names.length === 0) problems.push(wrong(id, 'has no table', 'add a folder with table.yaml and reference.sh'));
  const tables = await Promise.all(
    names.map((name) => readTableFolder(join(folder, name), { place: `${id}/${name}`, hasResults, problems })),
  );
  const read = tables.filter((table) => table !== undefined);
  if (study === undefined || problems.length > 0) throw new UserError('environment', problems);
  return { id, study, extract: isExtracted ? extract : null, tables: read };
}

async function readTableFolder(
  folder: string,
  { place, hasResults, problems }: { place: string; hasResults: boolean; problems: Problem[] },
): Promise<StudySource['tables'][number] | undefined> {
  const at = `${place}/table.yaml`;
  const table = await yamlFile(join(folder, 'table.yaml'), tableSchema, { place: at, problems });
  if (table !== undefined) problems.push(...tableProblems(table, at));
  const reference = await readFile(join(folder, 'reference.sh'), 'utf8').catch(() => undefined);
  if (reference === undefined)
    problems.push(wrong(`${place}/reference.sh`, 'is missing', 'write the script that computes the table'));
  const names = (await readdir(join(folder, 'copies')).catch(() => [])).filter((name) => name.endsWith('.sh')).sort();
  if (names.length === 0 && hasResults)
    problems.push(wrong(`${place}/copies`, 'holds no script', 'write one that prints the table without computing it'));
  const copies = await Promise.all(
    names.map(async (name) => [name.slice(0, -3), await readFile(join(folder, 'copies', name), 'utf8')] as const),
  );
  if (table === undefined || reference === undefined) return undefined;
  return { id: place.replace('/', '-'), table, reference, copies: Object.fromEntries(copies) };
}

async function yamlFile<Output>(
  path: string,
  schema: ZodType<Output>,
  { place, problems }: { place: string; problems: Problem[] },
): Promise<Output | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) {
    problems.push(wrong(place, 'is missing', 'write it; tasks/artisan/README.md says what belongs in it'));
    return undefined;
  }
  const shaped = shapedYaml(text, `${TASKS}/${place}`, schema);
  problems.push(...shaped.problems);
  return shaped.value;
}

/** What a schema cannot say of a study: that its files belong together. */
function studyProblems({ artifact, twins }: StudySpec, place: string): Problem[] {
  const paths = artifact.map((file) => file.path);
  const twice = [...new Set(paths.filter((each, index) => paths.indexOf(each) !== index))];
  const altered = Object.entries(twins).flatMap(([twin, alterations]) =>
    alterations.map(({ file }) => ({ twin, file, role: artifact.find((each) => each.path === file)?.role })),
  );
  return [
    ...twice.map((file) => wrong(place, `artifact: ${file} stands twice`)),
    ...altered
      .filter(({ role }) => role !== 'raw' && role !== 'derived')
      .map(({ twin, file, role }) =>
        wrong(
          place,
          `twins.${twin}: ${file} is ${role === undefined ? 'no file of the artifact' : `of the role ${role}`}`,
          'alter a file of the role raw or derived',
        ),
      ),
  ];
}

/** What a schema cannot say of a table. */
function tableProblems({ columns, rows, disagreements }: TableSpec, place: string): Problem[] {
  const typed = Object.entries(columns).filter(
    ([, { type, significant }]) => significant !== undefined && !['decimal', 'p-value', 'interval'].includes(type),
  );
  const hidden = Object.values(rows).flatMap(({ cells, given }) => cells.filter((cell) => !given.includes(cell)));
  return [
    ...typed.map(([key, { type }]) =>
      wrong(
        place,
        `columns.${key}: ${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type} has no tolerance (significant)`,
        'leave it out',
      ),
    ),
    ...Object.entries(rows).flatMap(([row, { anchor, cells, given }]) => [
      ...[...cells, ...given]
        .filter((cell) => !(cell in columns))
        .map((cell) => wrong(place, `rows.${row}: there is no column ${cell}`)),
      ...cells
        .filter((cell, index) => cells.indexOf(cell) !== index)
        .map((cell) => wrong(place, `rows.${row}: the cell ${cell} stands twice`)),
      ...given.filter((cell) => !cells.includes(cell)).map((cell) => wrong(place, `rows.${row}: has no cell ${cell}`)),
      ...(isExpression(anchor) ? [] : [wrong(place, `rows.${row}: the anchor is no regular expression`)]),
    ]),
    ...disagreements
      .filter(({ row, column }) => !(rows[row]?.cells ?? []).includes(column))
      .map(({ row, column }) => wrong(place, `disagreements: there is no cell ${row}, ${column}`)),
    ...Object.entries(columns)
      .filter(([, { type, monte_carlo }]) => monte_carlo && !['decimal', 'percent', 'p-value'].includes(type))
      .map(([key, { type }]) => wrong(place, `columns.${key}: monte_carlo does not fit the type ${type}`)),
    ...(hidden.length === 0 ? [wrong(place, 'rows: no cell is hidden', 'leave one out of given')] : []),
  ];
}

function isExpression(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

/** A problem of an authored file, in three lines. */
export const wrong = (place: string, what: string, fix = 'correct it'): Problem => ({
  message: `${TASKS}/${place}: ${what}`,
  expected: 'a study as tasks/artisan/README.md describes it',
  fix,
});

/** The folder of a task below that of the studies. */
export const placeOf = ({ id, study }: { id: string; study: string }): string =>
  `${study}/${id.slice(study.length + 1)}`;
