import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../../domain/failure/user-error.js';
import { isPredictions, readPredictions, type PredictedBy } from './read-predictions.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-predictions-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function read(content: string | Uint8Array): Promise<PredictedBy[]> {
  const path = join(folder, 'p.jsonl');
  await writeFile(path, content);
  return readPredictions(path, { named: 'p.jsonl', suite: 'some-suite', tasks: new Set(['one-task', 'two-task']) });
}

async function problemsOf(content: string | Uint8Array): Promise<UserError['problems']> {
  const failure = await read(content).then(
    () => new Error('it was read'),
    (error: unknown) => error as Error,
  );
  if (!(failure instanceof UserError)) throw failure;
  expect(failure.kind).toBe('usage');
  for (const { expected, fix } of failure.problems) expect([expected, fix].every(Boolean)).toBe(true);
  return failure.problems;
}

const line = (task: string, model: string, more: object = { prediction: `${model} on ${task}` }): string =>
  JSON.stringify({ instance_id: task, model_name_or_path: model, ...more });

test('answers come by model, with their lines; empty lines, other keys, a BOM and CRLF do no harm', async () => {
  const lines = [
    line('one-task', 'm/1'),
    '',
    line('one-task', 'm/2', { model_patch: 'a patch', cost: 1 }),
    line('two-task', 'm/1', { prediction: null, full_output: 'much' }),
    '  ',
  ];
  expect(await read(`\ufeff${lines.join('\r\n')}`)).toEqual([
    {
      model: 'm/1',
      answers: new Map([
        ['one-task', { text: 'm/1 on one-task', line: 1 }],
        ['two-task', { text: '', line: 4 }],
      ]),
    },
    { model: 'm/2', answers: new Map([['one-task', { text: 'a patch', line: 3 }]]) },
  ]);
});

describe('is refused by line:', () => {
  test.each<[string, string, RegExp]>([
    ['text', 'no json', /^grade: p\.jsonl:2: is not JSON$/],
    ['a line cut off', line('two-task', 'm').slice(0, -9), /^grade: p\.jsonl:2: is not JSON$/],
    ['a list', '[]', /:2: is not a JSON object$/],
    ['a line without a task', line('', 'm'), /:2: has no instance_id$/],
    ['a line without a model', JSON.stringify({ instance_id: 'two-task' }), /:2: has no model_name_or_path$/],
    ['a line without an answer', line('two-task', 'm', {}), /:2: has no answer$/],
    ['an answer that is no text', line('two-task', 'm', { prediction: ['a'] }), /:2: has no answer$/],
    ['two answers', line('two-task', 'm', { prediction: 'a', model_patch: 'a' }), /:2: has both prediction and/],
    ['a task of no dataset', line('tvo-task', 'm'), /:2: there is no task "tvo-task"$/],
    ['a task answered twice', line('one-task', 'm'), /:2: one-task is answered by m .*\(first in line 1\)$/],
  ])('%s', async (_, second, message) => {
    const problems = await problemsOf(`${line('one-task', 'm')}\n${second}\n`);
    expect(problems.map((problem) => problem.message)).toEqual([expect.stringMatching(message)]);
  });

  test('all of it at once, and of very much only the first', async () => {
    const problems = await problemsOf(Array.from({ length: 50 }, () => line('one-tusk', 'm')).join('\n'));
    expect(problems).toHaveLength(21);
    expect(problems[0]).toMatchObject({ fix: 'did you mean "one-task"?' });
    expect(problems.at(-1)?.message).toBe('grade: p.jsonl has 30 problems more');
  });
});

test.each<[string, string | Uint8Array, RegExp]>([
  ['nothing', '\n\n', /^grade: p\.jsonl holds no prediction$/],
  ['bytes that are no UTF-8', Uint8Array.of(0xff, 0xfe, 0x00), /^grade: p\.jsonl is not UTF-8$/],
])('a file of %s is refused', async (_, content, message) => {
  expect((await problemsOf(content)).map((problem) => problem.message)).toEqual([expect.stringMatching(message)]);
});

test('a folder of that name is refused', async () => {
  await expect(readPredictions(folder, { named: 'p.jsonl', suite: 's', tasks: new Set() })).rejects.toThrow(
    'grade: p.jsonl is no file',
  );
});

test('predictions are told from candidates by their ending', () => {
  expect(['a.jsonl', 'A.JSONL', 'b.ndjson', 'a.json', 'a', 'x.jsonl.zip'].map(isPredictions)).toEqual([
    ...[true, true, true, false, false, false],
  ]);
});
