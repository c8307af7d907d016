import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { nearest } from '../../domain/text/nearest.js';
import type { Problem } from '../../contract/problem.js';
import { UserError } from '../../domain/failure/user-error.js';
import { parsedJson } from '../../domain/text/parsed-json.js';

/** Larger files are no answers as text. */
const MOST_BYTES = 256 * 1024 ** 2;
/** Problems that are told of one file. */
const MOST_TOLD = 20;

/** Answers of one model, as they stand in the file. */
export interface PredictedBy {
  /** Its `model_name_or_path`. */
  model: string;
  /** By task; '' where it gave none. */
  answers: Map<string, { text: string; line: number }>;
}

/** Whether a path names predictions and not a candidate. */
export const isPredictions = (path: string): boolean => /\.(jsonl|ndjson)$/i.test(path);

/**
 * Reads answers made elsewhere, as SWE-bench has them: a line of JSON for each task and model, with `instance_id`,
 * `model_name_or_path`, and `model_patch` or `prediction`.
 * @param named the path as the user wrote it
 * @param tasks ids of all tasks of the suite
 * @throws UserError with everything that is wrong, by line
 */
export async function readPredictions(
  path: string,
  { named, suite, tasks }: { named: string; suite: string; tasks: ReadonlySet<string> },
): Promise<PredictedBy[]> {
  const text = await readText(path, named);
  const found = new Map<string, PredictedBy>();
  const problems: Problem[] = [];
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    const place = `grade: ${named}:${index + 1}`;
    const read = readLine(line, place);
    if ('problem' in read) {
      problems.push(read.problem);
      continue;
    }
    const { task, model, answer } = read;
    const by: PredictedBy = found.get(model) ?? { model, answers: new Map() };
    const before = by.answers.get(task);
    if (!tasks.has(task)) problems.push(unknownTask(place, { task, suite, tasks }));
    else if (before !== undefined) problems.push(secondAnswer(place, { task, model, line: before.line }));
    else found.set(model, { model, answers: by.answers.set(task, { text: answer, line: index + 1 }) });
  }
  if (problems.length === 0 && found.size === 0) problems.push(nothing(named));
  if (problems.length > 0) throw new UserError('usage', shownOf(problems, named));
  return [...found.values()];
}

async function readText(path: string, named: string): Promise<string> {
  const about = await stat(path);
  if (!about.isFile() || about.size > MOST_BYTES)
    throw new UserError('usage', {
      message: `grade: ${named} is ${about.isFile() ? 'larger than 256 MiB' : 'no file'}`,
      expected: 'a file of predictions, a line of JSON each',
      fix: about.isFile() ? 'split it, a file for each model' : 'name the file',
    });
  const bytes = await readFile(path);
  if (!isUtf8(bytes))
    throw new UserError('usage', {
      message: `grade: ${named} is not UTF-8`,
      expected: 'a file of predictions, a line of JSON each',
      fix: 'save it as UTF-8',
    });
  return bytes.toString('utf8');
}

function readLine(line: string, place: string): { task: string; model: string; answer: string } | { problem: Problem } {
  const refuse = (what: string, fix: string): { problem: Problem } => ({
    problem: {
      message: `${place}: ${what}`,
      expected:
        '{"instance_id": …, "model_name_or_path": …, "prediction": …} on one line, texts each; model_patch for prediction',
      fix,
    },
  });
  const value = parsedJson(line);
  if (value === undefined) return refuse('is not JSON', 'correct the line, or remove it');
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse('is not a JSON object', 'correct the line, or remove it');
  const {
    instance_id: task,
    model_name_or_path: model,
    prediction,
    model_patch: patch,
  } = value as Record<string, unknown>;
  if (typeof task !== 'string' || task === '') return refuse('has no instance_id', 'name the task it answers');
  if (typeof model !== 'string' || model.trim() === '')
    return refuse('has no model_name_or_path', 'name the model that answered');
  const given = [prediction, patch].filter((each) => each !== undefined);
  if (given.length === 2) return refuse('has both prediction and model_patch', 'leave one of them out');
  const [answer] = given;
  // SWE-bench writes null, or an empty patch, where a model gave no answer.
  if (answer === null) return { task, model, answer: '' };
  if (typeof answer !== 'string') return refuse('has no answer', 'give it as text, empty where the model gave none');
  return { task, model, answer };
}

function unknownTask(
  place: string,
  { task, suite, tasks }: { task: string; suite: string; tasks: ReadonlySet<string> },
): Problem {
  const meant = nearest(task, [...tasks]);
  return {
    message: `${place}: there is no task ${JSON.stringify(task)}`,
    expected: `the id of one of the ${tasks.size} tasks of ${suite} as instance_id`,
    fix: meant === undefined ? 'correct it, or remove the line' : `did you mean "${meant}"?`,
  };
}

const secondAnswer = (
  place: string,
  { task, model, line }: { task: string; model: string; line: number },
): Problem => ({
  message: `${place}: ${task} is answered by ${model} for a second time (first in line ${line})`,
  expected: 'one answer of a model to a task',
  fix: 'keep one of the lines; to grade several answers, give each its own model_name_or_path',
});

const nothing = (named: string): Problem => ({
  message: `grade: ${named} holds no prediction`,
  expected: 'a line of JSON for each task that was answered',
  fix: 'check the file',
});

function shownOf(problems: readonly Problem[], named: string): Problem[] {
  if (problems.length <= MOST_TOLD) return [...problems];
  const more = problems.length - MOST_TOLD;
  return [
    ...problems.slice(0, MOST_TOLD),
    {
      message: `grade: ${named} has ${more} ${more === 1 ? 'problem' : 'problems'} more`,
      expected: 'a file without any',
      fix: 'correct the ones above first',
    },
  ];
}
