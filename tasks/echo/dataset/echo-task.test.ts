import { expect, test } from 'vitest';
import { echoIndex, echoTask, echoTasks } from './echo-task.js';

test('every task is found again by its id, and ids are unique', () => {
  const tasks = echoTasks(300);
  expect(new Set(tasks.map(({ id }) => id)).size).toBe(300);
  tasks.forEach(({ id }, index) => expect(echoIndex(id)).toBe(index));
});

test('an id that no rule makes has no index', () => {
  for (const id of ['words-0006', 'numbers-7', 'authored-none', 'words-0003', ''])
    expect(echoIndex(id)).toBeUndefined();
});

test('a longer dataset begins with the shorter one: pinned tasks stay the same', () => {
  expect(echoTasks(80).slice(0, 55)).toEqual(echoTasks(55));
  expect(echoTask(6)).toEqual({
    id: 'numbers-0006',
    group: 'numbers',
    prompt: 'Repeat this line exactly, after "Answer: ":\n6 36 216',
    expected: '6 36 216',
  });
});
