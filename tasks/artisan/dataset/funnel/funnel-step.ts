import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Problem } from '../../../../src/contract/problem.js';
import { UserError } from '../../../../src/domain/failure/user-error.js';
import type { DatasetTools } from '../../../../src/suite/dataset.js';
import { readStudy } from '../read-study.js';
import { STUDIES } from '../selection.js';
import { studyFiles } from '../study-files.js';
import { judgeStudy, type FunnelRow, type StudyFunnel } from './funnel.js';
import { localStudy } from './local-study.js';
import { OVERRIDES, readOverrides, type Override } from './overrides.js';

/** What the step of a build leaves: the verdicts, and a line for each that is not "in". Small enough for a history. */
export type FunnelStep = { file: { path: string; sha256: string }; leftOut: string };

/** Where the verdicts on a study are kept, below the suite's folder. */
export const verdictsPath = (study: string): string => `dataset/funnel/verdicts/${study}.json`;

/**
 * Judges a study by the funnel.
 * @throws UserError where it, or a table of it, is out: what is out becomes no task
 */
export async function runFunnel(id: string, tools: DatasetTools): Promise<FunnelStep> {
  const { suiteFolder, blobs } = tools;
  const overrides = await committedOverrides(suiteFolder);
  const source = await readStudy(join(suiteFolder, 'dataset', 'tasks', id), id);
  const { record, tree } = await localStudy(source, await studyFiles(source, tools), suiteFolder);
  const funnel = judgeStudy(record, tree, overrides);
  refuse(funnel);
  const path = verdictsPath(id);
  const text = `${JSON.stringify(funnel, null, 2)}\n`;
  const { sha256 } = await blobs.put(text, { name: path, mediaType: 'application/json' });
  const open = funnel.rows.filter(({ verdict }) => verdict !== 'in').map((row) => `${lineOf(id, row)}\n`);
  const leftOut = await blobs.put(open.join(''), { name: `${id}-left-out.txt`, mediaType: 'text/plain' });
  return { file: { path, sha256 }, leftOut: leftOut.sha256 };
}

/** The overrides of the repository. @throws UserError with everything that is wrong with them */
export async function committedOverrides(suiteFolder: string): Promise<Override[]> {
  const tasks = join(suiteFolder, 'dataset', 'tasks');
  const studies = await Promise.all(STUDIES.map((study) => readStudy(join(tasks, study), study)));
  const tables = Object.fromEntries(studies.map(({ id, tables: all }) => [id, all.map((table) => table.id)]));
  return readOverrides(await readFile(join(suiteFolder, OVERRIDES), 'utf8'), tables);
}

function refuse({ study, rows }: StudyFunnel): void {
  const out = rows.filter(({ verdict }) => verdict === 'out');
  if (out.length === 0) return;
  const problems = out.map((row): Problem => ({
    message: `tasks/artisan/dataset/tasks/${lineOf(study, row)}`,
    expected: 'a study that no criterion of the funnel leaves out',
    fix: `leave it out, or say why the rule is wrong in tasks/artisan/${OVERRIDES}`,
  }));
  throw new UserError('environment', problems);
}

function lineOf(study: string, { criterion, table, verdict, why, evidence: [first] }: FunnelRow): string {
  const place =
    first === undefined ? '' : ` (${first.file}${first.line === null ? '' : `:${first.line}`}: ${first.match})`;
  return `${table ?? study}: ${criterion}: ${verdict}: ${why}${place}`;
}
