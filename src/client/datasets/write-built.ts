import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { BuiltFile } from '../../contract/dataset-build.js';
import { DomainFailure } from '../../domain/failure/domain-failure.js';
import type { Blobs } from '../../ports/blobs.js';

/** Puts what a build made into a folder, each file whole or not at all. @returns their paths */
export async function writeBuilt(
  files: readonly BuiltFile[],
  { blobs, folder }: { blobs: Pick<Blobs, 'get'>; folder: string },
): Promise<string[]> {
  const paths: string[] = [];
  for (const { path, sha256 } of files) {
    const target = resolve(folder, path);
    if (relative(folder, target).startsWith('..'))
      throw new DomainFailure('harness.bug', `a build made ${path}, which is outside its folder`);
    await writeWhole(target, await blobs.get(sha256));
    paths.push(target);
  }
  return paths;
}

/** A command that is killed leaves the old file or the new one; the same bytes are not written again. */
async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  const before = await readFile(path).catch(() => undefined);
  if (before?.equals(bytes) === true) return;
  await mkdir(dirname(path), { recursive: true });
  const part = join(dirname(path), `.${process.pid}.part`);
  try {
    await writeFile(part, bytes);
    await rename(part, path);
  } finally {
    await rm(part, { force: true });
  }
}
