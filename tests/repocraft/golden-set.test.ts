import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readGolden } from '../../src/client/results/golden-file.js';
import { readLock } from '../../tasks/repocraft/dataset/lock/dataset-lock.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';

test('the golden set of RepoCraft holds ten tasks a project as they are locked, of every difficulty', async () => {
  const name = 'examples/golden/repocraft.yaml';
  const { tasks, quarantined } = await readGolden(join(PACKAGE_ROOT, name), name);
  const groups = ['django', 'pandas', 'requests', 'scikit-learn', 'statsmodels', 'sympy'];
  const suiteFolder = join(PACKAGE_ROOT, 'tasks', 'repocraft');
  const locks = await Promise.all(groups.map((group) => readLock(group, suiteFolder)));
  const locked = new Map(locks.flatMap((lock) => lock.tasks.map((task) => [task.id, task])));
  expect(tasks.filter(({ id, sha256 }) => locked.get(id)?.sha256 !== sha256)).toEqual([]);
  const count = (group: string): number => tasks.filter((task) => task.group === group).length;
  expect(groups.map((group) => [group, count(group)])).toEqual(groups.map((group) => [group, 10]));
  expect([tasks.length, quarantined]).toEqual([60, []]);
  expect(new Set(tasks.map(({ id }) => locked.get(id)?.difficulty))).toEqual(new Set(['easy', 'medium', 'hard']));
});
