import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { artisanDataset } from '../dataset/artisan-dataset.js';
import { readStudy } from '../dataset/read-study.js';
import { BY_HAND_FOLDER, handWritten, listByHand } from './by-hand.js';

// What the scripts do is run and judged by tests/artisan/tasks.test.ts.

const SUITE_FOLDER = join('tasks', 'artisan');

test('each script written by hand is one of a table, and listed with what it is', async () => {
  const listed = Object.keys(await listByHand(SUITE_FOLDER));
  const files = await readdir(join(SUITE_FOLDER, BY_HAND_FOLDER));
  expect(listed.map((id) => `${id}.sh`)).toEqual(files.filter((name) => name !== 'scripts.json').sort());
  const { tasks } = await artisanDataset.select({ tasks: listed }, 0, SUITE_FOLDER);
  expect(tasks.map(({ id }) => id).sort()).toEqual(listed);
  expect(new Set(tasks.map(({ group }) => group)).size).toBeGreaterThanOrEqual(8);
});

test('what is called the last mile is so, and none is its reference', async () => {
  const { tasks } = await artisanDataset.select(
    { tasks: Object.keys(await listByHand(SUITE_FOLDER)) },
    0,
    SUITE_FOLDER,
  );
  for (const { id, group } of tasks) {
    const { tables } = await readStudy(join(SUITE_FOLDER, 'dataset', 'tasks', group), group);
    const source = tables.find((each) => each.id === id);
    const written = await handWritten(id, SUITE_FOLDER);
    // No study ships raw data and derived data at once: nobody can choose.
    expect({ id, label: written?.label }).toEqual({ id, label: source?.table.best });
    const linesOf = (script = ''): string[] => script.split('\n').filter((line) => line.includes('='));
    const [own, reference] = [linesOf(written?.script), new Set(linesOf(source?.reference))];
    expect(own.filter((line) => reference.has(line)).length / own.length, id).toBeLessThan(0.25);
  }
});

test('a table that nobody wrote a script for has none', async () => {
  expect(await handWritten('silver-nothing', SUITE_FOLDER)).toBeNull();
});
