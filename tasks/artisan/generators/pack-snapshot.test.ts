import { expect, test } from 'vitest';
import { answerFiles } from './pack-snapshot.js';

const scriptIn = (answer: string): string | undefined => {
  const made = answerFiles(answer);
  if ('problem' in made) return `refused: ${made.problem.message}`;
  expect([...made.files.keys()]).toEqual(['repro.sh']);
  return Buffer.from(made.files.get('repro.sh') ?? []).toString('utf8');
};
const patch = (...paths: string[]): string =>
  paths.map((path) => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+echo ${path}\n`).join('');

test.each<[string, string, string]>([
  ['the last block of bash', 'First:\n```bash\na\n```\nBetter:\n```bash\nb\n```\n', 'b\n'],
  ['all of it, where there is no block', 'Rscript x.R\n', 'Rscript x.R\n'],
  [
    'all of a script that writes such a block',
    '#!/bin/bash\necho "\n```bash\na\n```"\n',
    '#!/bin/bash\necho "\n```bash\na\n```"\n',
  ],
  ['the script that a patch adds', patch('repro.sh', 'notes.txt'), 'echo repro.sh\n'],
])('the script of an answer is %s', (_, answer, script) => {
  expect(scriptIn(answer)).toBe(script);
});

test.each<[string, string, RegExp]>([
  ['adds no script', patch('notes.txt'), /^refused: the patch adds no script$/],
  ['adds several', patch('a.sh', 'b.sh'), /^refused: the patch adds several scripts$/],
  ['changes one', '--- a/x.sh\n+++ b/x.sh\n@@ -1 +1 @@\n-a\n+b\n', /^refused: the patch changes x\.sh/],
])('a patch that %s is refused', (_, answer, reason) => {
  expect(scriptIn(answer)).toMatch(reason);
});
