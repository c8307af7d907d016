import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { suiteFolder } from '../../config/suite-folder.js';
import type { JsonObject } from '../../contract/json.js';
import type { Problem } from '../../contract/problem.js';
import { UserError } from '../../domain/failure/user-error.js';
import type { Suite } from '../../suite/suite.js';
import type { Context } from '../context.js';
import { readPredictions, type PredictedBy } from './read-predictions.js';

/** A model of a file of predictions, with the folder its answers were written to. */
interface AnsweredSystem {
  id: string;
  path: string;
}

/**
 * Writes the answers of every model in a file of predictions to a folder of its own below `folder`, as the suite takes
 * candidates. Nothing is written where anything is wrong.
 * @param idOf makes an id of a model's name
 * @throws UserError with everything that is wrong, by line
 */
export async function answeredSystems(
  context: Context,
  suite: Suite,
  { path, named, projects, folder, idOf }: AnswersRequest,
): Promise<AnsweredSystem[]> {
  if (suite.answerFiles === undefined) throw noAnswers(suite, named);
  const tasksOf = async (dataset: JsonObject): Promise<string[]> => {
    const { tasks } = await suite.dataset.select(dataset, 0, suiteFolder(context.packageRoot, suite));
    return tasks.map(({ id }) => id);
  };
  const all = new Set(await tasksOf({}));
  const read = await readPredictions(path, { named, suite: suite.manifest.id, tasks: all });
  const chosen = projects === undefined ? all : new Set(await tasksOf({ projects: [...projects] }));
  const { files, problems } = filesOf(read, suite.answerFiles.bind(suite), named);
  if (problems.length > 0) throw new UserError('usage', problems);
  const isGiven = ([task, { text }]: [string, { text: string }]): boolean => chosen.has(task) && text.trim() !== '';
  const given = read.map(({ model, answers }) => ({ model, tasks: [...answers].filter(isGiven).length }));
  const none = given.filter(({ tasks }) => tasks === 0);
  if (none.length > 0)
    throw new UserError(
      'usage',
      none.map(({ model }) => noneGiven(model, named, projects?.join(', ') ?? suite.manifest.id)),
    );
  for (const { model, tasks } of given)
    if (tasks < chosen.size) context.notify({ type: 'warning', message: unanswered(model, tasks, chosen.size) });
  const systems = idsOf(read, idOf).map((id) => ({ id, path: join(folder, id) }));
  for (const [index, { path: own }] of systems.entries()) await writeFiles(own, files[index] ?? new Map());
  return systems;
}

/** A folder of these files and no others. */
async function writeFiles(folder: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const [file, bytes] of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), bytes);
  }
}

/** Which file, for which tasks, and where its answers are written to. */
interface AnswersRequest {
  path: string;
  /** As the user wrote it. */
  named: string;
  /** Undefined: all of the suite. */
  projects: readonly string[] | undefined;
  folder: string;
  idOf: (model: string) => string;
}

/** Files of the candidate of each model, below the folders of their tasks. */
function filesOf(
  read: readonly PredictedBy[],
  answerFiles: NonNullable<Suite['answerFiles']>,
  named: string,
): { files: Map<string, Uint8Array>[]; problems: Problem[] } {
  const problems: Problem[] = [];
  const files = read.map(({ answers }) => {
    const own = new Map<string, Uint8Array>();
    for (const [task, { text, line }] of answers) {
      if (text.trim() === '') continue;
      const made = answerFiles(text);
      if ('problem' in made)
        problems.push({ ...made.problem, message: `grade: ${named}:${line}: ${made.problem.message}` });
      else for (const [path, bytes] of made.files) own.set(`${task}/${path}`, bytes);
    }
    return own;
  });
  return { files, problems };
}

/** Ids of the systems; names that come to one id are numbered. */
function idsOf(read: readonly PredictedBy[], idOf: AnswersRequest['idOf']): string[] {
  const taken = new Set<string>();
  return read.map(({ model }) => {
    const plain = idOf(model);
    let [id, n] = [plain, 1];
    while (taken.has(id)) id = `${plain}-${(n += 1)}`;
    taken.add(id);
    return id;
  });
}

const unanswered = (model: string, given: number, tasks: number): string =>
  `warning: ${model} answers ${given} of ${tasks} tasks; the others count as failed`;

const noAnswers = ({ manifest }: Suite, named: string): UserError =>
  new UserError('usage', {
    message: `grade: ${named} holds an answer for each task, and ${manifest.id} grades one candidate for many`,
    expected: 'a folder, git checkout or archive (.zip, .whl, .tar, .tar.gz)',
    fix: 'name the folder or archive; predictions are for suites whose tasks are answered one by one',
  });

const noneGiven = (model: string, named: string, measured: string): Problem => ({
  message: `grade: ${named} has no answer of ${model} to a task of ${measured}`,
  expected: 'one answer at least of every model',
  fix: 'remove its lines, or name the project they belong to',
});
