import { describe, expect, test } from 'vitest';
import { addedFiles, isPatch } from './added-files.js';

const added = (path: string, lines: string[], end = ''): string =>
  [
    `diff --git a/${path} b/${path}`,
    'new file mode 100644',
    'index 0000000..3b18e51',
    '--- /dev/null',
    `+++ b/${path}`,
    `@@ -0,0 +1${lines.length === 1 ? '' : `,${lines.length}`} @@`,
    ...lines.map((line) => `+${line}`),
    end,
  ].join('\n');

describe('a patch that adds files', () => {
  test('of one and of several lines, with and without a line feed at the end', () => {
    // Lines that look like the head of a file are text inside a hunk.
    const patch = `${added('.github/workflows/ci.yml', ['on: push', '-- /dev/null', '++ b/x'])}${added('a.sh', ['true'], '\\ No newline at end of file\n')}`;
    expect(isPatch(patch)).toBe(true);
    expect(addedFiles(patch)).toEqual({
      files: new Map([
        ['.github/workflows/ci.yml', 'on: push\n-- /dev/null\n++ b/x\n'],
        ['a.sh', 'true'],
      ]),
    });
  });

  test('as diff -u writes it, with times', () => {
    const patch = '--- /dev/null\t1970-01-01 00:00:00\n+++ b/repro.sh\t2026-01-01 00:00:00\n@@ -0,0 +1,2 @@\n+a\n+b\n';
    expect(isPatch(patch)).toBe(true);
    expect(addedFiles(patch)).toEqual({ files: new Map([['repro.sh', 'a\nb\n']]) });
  });
});

describe('a patch that cannot be read alone', () => {
  test.each<[string, string, RegExp]>([
    ['changes a file', '--- a/x.yml\n+++ b/x.yml\n@@ -1 +1 @@\n-a\n+b\n', /^changes x\.yml/],
    ['renames one', 'diff --git a/x b/y\nrename from x\nrename to y\n', /^holds more than new files.*rename from x/],
    ['deletes one', 'diff --git a/x b/x\ndeleted file mode 100644\n', /^holds more than new files/],
    ['is binary', 'diff --git a/x b/x\nBinary files /dev/null and b/x differ\n', /^holds more than new files/],
    ['is cut off', `${added('x.yml', ['a', 'b']).slice(0, -4)}`, /^is cut off or damaged at b\/x\.yml/],
    ['has no hunk', '--- /dev/null\n+++ b/x.yml\n', /^is cut off or damaged/],
    ['is empty', 'diff --git a/x b/x\n', /^adds no file$/],
  ])('because it %s', (_, patch, reason) => {
    expect(addedFiles(patch)).toEqual({ reason: expect.stringMatching(reason) as string });
  });
});

test('words are no patch, also where they show one', () => {
  for (const text of ['', 'on: push\n---\njobs: {}', '```diff\n--- a\n+++ b\n```', '--- title ---\ntext'])
    expect(isPatch(text)).toBe(false);
});
