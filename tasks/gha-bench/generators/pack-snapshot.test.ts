import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packSnapshot } from './pack-snapshot.js';

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
