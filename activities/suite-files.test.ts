import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Suite } from '../src/suite/suite.js';
import { createSuiteFiles } from './suite-files.js';

let folder: string;

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function started(): () => void {
  const suites = [{ manifest: { id: 'own' } }] as Suite[];
  const check = createSuiteFiles({ suites, suiteFolder: () => folder });
  return () => check('own');
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'durabench-suite-files-'));
  write('python/grade.py', 'print(1)');
  write('prompts/vote.md', 'Answer YES or NO.');
});

afterEach(() => rmSync(folder, { recursive: true }));

it('lets a step begin and end where nothing has changed, or only times have, or what no step reads', () => {
  const check = started();
  utimesSync(join(folder, 'python/grade.py'), 1, 1);
  renameSync(join(folder, 'prompts/vote.md'), join(folder, 'vote.md'));
  renameSync(join(folder, 'vote.md'), join(folder, 'prompts/vote.md'));
  for (const file of ['stages.ts', 'README.md', 'dataset/a.lock.json', 'python/__pycache__/grade.pyc'])
    write(file, 'x');
  expect(check).not.toThrow();
});

it.each([
  ['is another one', () => write('python/grade.py', 'print(2)')],
  ['is gone', () => rmSync(join(folder, 'python/grade.py'))],
  ['is new', () => write('python/grade_more.py', 'print(3)')],
])('names a file that %s, until it is as it was', (_, change) => {
  const check = started();
  change();
  const told = expect.stringMatching(/grade(_more)?\.py is not what it was when this worker started$/) as string;
  const problem = expect.objectContaining({ message: told }) as object;
  expect(check).toThrow(expect.objectContaining({ type: 'suite.changed', problem }));
  rmSync(join(folder, 'python/grade_more.py'), { force: true });
  write('python/grade.py', 'print(1)');
  expect(check).not.toThrow();
});

it('holds nothing against other suites', () => {
  const check = createSuiteFiles({ suites: [{ manifest: { id: 'own' } }] as Suite[], suiteFolder: () => folder });
  write('python/grade.py', 'print(2)');
  expect(() => check('other')).not.toThrow();
});
