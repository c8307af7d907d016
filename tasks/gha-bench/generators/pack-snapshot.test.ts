import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { answerTree } from '../answers/answer-tree.js';
import { answerFiles, packSnapshot } from './pack-snapshot.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-answers-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(path: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), 'on: push\n');
}

test('a folder for each task is packed', async () => {
  await put('t1-push-pr/.github/workflows/ci.yml');
  await put('t2-keyed-cache/.github/workflows/check.yaml');
  expect(await packSnapshot(folder)).toMatchObject({ files: 2 });
});

test('an answer in words is packed', async () => {
  await put('t1-push-pr/answer.md');
  expect(await packSnapshot(folder)).toMatchObject({ files: 1 });
});

describe('of an answer as text', () => {
  const textOf = (answer: string): string | undefined => {
    const made = answerFiles(answer);
    if ('problem' in made) throw new Error(made.problem.message);
    expect([...made.files.keys()]).toEqual(['answer.md']);
    return Buffer.from(made.files.get('answer.md') ?? []).toString('utf8');
  };

  test('all is kept, for the reader of answers', () => {
    expect(textOf('Here:\n\n```yaml\non: push\n```\n')).toBe('Here:\n\n```yaml\non: push\n```\n');
  });

  test('a patch becomes the files it adds', () => {
    const path = '.github/workflows/ci.yml';
    const patch = `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+on: push\n`;
    const { files } = answerTree(textOf(patch) ?? '', [path]);
    expect([...files].map(([name, bytes]) => [name, Buffer.from(bytes).toString('utf8')])).toEqual([
      [path, 'on: push\n'],
    ]);
  });

  test('a patch of files that are not at hand is refused', () => {
    expect(answerFiles('--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-a\n+b\n')).toEqual({
      problem: {
        message: 'the patch changes README.md, which is not at hand',
        expected: expect.any(String) as string,
        fix: expect.any(String) as string,
      },
    });
  });
});

test.each<[string, () => Promise<void>, RegExp]>([
  ['without a workflow', () => put('t1-push-pr/README.md'), /holds no workflow of a task/],
  ['of one task, not in its folder', () => put('.github/workflows/ci.yml'), /holds no workflow of a task/],
  [
    'with a link that leaves it',
    async () => {
      await put('t1-push-pr/.github/workflows/ci.yml');
      await symlink('/etc/passwd', join(folder, 't1-push-pr/.github/workflows/other.yml'));
    },
    /symbolic link \S+other\.yml leaves the tree/,
  ],
])('one %s is refused in three lines', async (_, make, message) => {
  await make();
  expect(await packSnapshot(folder)).toMatchObject({
    problems: [
      {
        message: expect.stringMatching(message) as string,
        expected: expect.any(String) as string,
        fix: expect.any(String) as string,
      },
    ],
  });
});
