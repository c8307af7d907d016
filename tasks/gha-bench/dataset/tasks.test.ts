import { cp, mkdtemp, rm, writeFile, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scorecard } from '../lint/scorecard.js';
import { gradeFeatures } from '../semantics/grade-features.js';
import { checkSyntax } from '../syntax/check-syntax.js';
import { authoredTasks } from './gha-dataset.js';
import { readTask, type TextTree } from './read-task.js';
import type { GhaTask } from './task-schema.js';

const SUITE = join(import.meta.dirname, '..');
const all = await authoredTasks(SUITE);

const bytes = (tree: TextTree) => new Map(Object.entries(tree).map(([path, text]) => [path, Buffer.from(text)]));
const rules = async (tree: TextTree): Promise<string[]> =>
  (await checkSyntax(bytes(tree))).problems.map(({ rule }) => rule);

describe.each(all.map((task) => [task.id, task] as const))('task %s', (_, task) => {
  const solutions = Object.entries({ oracle: task.oracle, ...task.alternatives });

  test('its solutions are valid and safe', async () => {
    expect(solutions.length).toBeGreaterThanOrEqual(2);
    for (const [name, tree] of solutions) {
      expect(await rules(tree), name).toEqual([]);
      const { tokenPermissions, dangerousWorkflow } = scorecard(bytes(tree), { pins: {} });
      expect([tokenPermissions.score, dangerousWorkflow.score], name).toEqual([10, 10]);
    }
  });

  test('it has at least five mutants; those of syntax trip the rule they name, the others are valid', async () => {
    expect(task.mutants.length).toBeGreaterThanOrEqual(5);
    for (const { id, layer, trips, tree } of task.mutants) {
      const found = await rules(tree);
      if (layer === 'syntax') expect(found, id).toContain(trips);
      else expect(found, id).toEqual([]);
    }
  });

  test('its solutions mean what it asks for; mutants of features fail the check they name', () => {
    for (const [name, tree] of solutions) expect(failedChecks(task, tree), name).toEqual([]);
    for (const { id, trips, tree } of task.mutants.filter(({ layer }) => layer === 'features'))
      expect(failedChecks(task, tree), id).toContain(trips);
  });

  test('its marker is in nothing that is sent', () => {
    const sent = JSON.stringify([task.prompts, task.repo]);
    expect(sent).not.toContain(task.metadata.marker);
    expect(all.filter(({ metadata }) => metadata.marker === task.metadata.marker)).toHaveLength(1);
  });

  test('its oracle and that of another task share at most 60 % of the lines of the two', () => {
    const own = new Set(linesOf(task.oracle));
    for (const other of all.filter(({ id }) => id !== task.id)) {
      const theirs = new Set(linesOf(other.oracle));
      const shared = [...own].filter((line) => theirs.has(line)).length;
      expect(shared / new Set([...own, ...theirs]).size, other.id).toBeLessThanOrEqual(0.6);
    }
  });
});

function failedChecks({ staticChecks, spec, repo, roles }: GhaTask, files: TextTree): string[] {
  const facts = { files: repo, roles };
  const { checks } = gradeFeatures({ files, facts, checks: staticChecks, required: spec.features });
  return checks.filter(({ holds }) => !holds).map(({ id }) => id);
}

const linesOf = (tree: TextTree): string[] =>
  Object.values(tree)
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.trim() !== '');

describe('a task folder that is wrong is refused, with its file', () => {
  const ID = 't2-gated-deploy';
  let folder: string;
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'task-')), ID);
    await cp(join(SUITE, 'dataset', 'tasks', ID), folder, { recursive: true });
  });
  afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

  const edit = async (file: string, find: string, replace: string): Promise<void> => {
    const text = await readFile(join(folder, file), 'utf8');
    expect(text).toContain(find);
    await writeFile(join(folder, file), text.replace(find, replace));
  };

  test.each<[string, (folder: string) => Promise<void>, RegExp]>([
    ['no oracle', (at) => rm(join(at, 'oracle'), { recursive: true }), /oracle has no file|oracle\/ holds no file/],
    ['no spec', (at) => rm(join(at, 'spec.yaml')), /spec\.yaml is missing/],
    ['no prompt', (at) => rm(join(at, 'prompts', 'minimal.md')), /prompts\.minimal/],
    [
      'a file that is not YAML',
      (at) => writeFile(join(at, 'metadata.yaml'), 'tier: ['),
      /metadata\.yaml:1:8: not valid YAML/,
    ],
    [
      'an unknown key',
      () => edit('metadata.yaml', 'tier: 2', 'tier: 2\nlevel: 3'),
      /metadata\.yaml:2:1: unknown key "level"/,
    ],
    ['a tier that is none', () => edit('metadata.yaml', 'tier: 2', 'tier: 5'), /metadata\.yaml:1:7: tier is 5/],
    [
      'a feature that is none',
      () => edit('spec.yaml', 't2.needs.conditional', 'needs'),
      /spec\.yaml:3:12: features\[0\] is "needs": is not a feature id/,
    ],
    [
      'a check that is not there',
      () => edit('spec.yaml', '[gate, ', '[gates, '),
      /requirement order: there is no check gates/,
    ],
    [
      'a pattern that is none',
      () => edit('validation/runtime_checks.yaml', "matches: '^", "matches: '("),
      /runtime_checks\.yaml:13:57: .*: is no pattern/,
    ],
    ['a check without a requirement', () => edit('spec.yaml', '[gate, ', '['), /check gate belongs to no requirement/],
    [
      'a mutant of a check that is not there',
      () => edit('mutants.yaml', 'trips: gate', 'trips: gates'),
      /mutant no-needs: there is no check gates/,
    ],
    [
      'a mutant whose text is not in the oracle',
      () => edit('mutants.yaml', 'needs: check\\n', 'needs: nobody\\n'),
      /mutant no-needs: `find` is in .* 0 times/,
    ],
  ])('%s', async (_, damage, message) => {
    await damage(folder);
    await expect(readTask(folder, ID)).rejects.toThrow(message);
  });
});
