import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeScratch } from '../sandbox/scratch.js';

/**
 * A folder of downloads, filled once. `fill` gets an empty folder, and returns the one in it that is to be kept, which then appears
 * whole or not at all. @returns `folder`
 */
export async function keptFolder(
  folder: string,
  cacheFolder: string,
  fill: (partial: string) => Promise<string>,
): Promise<string> {
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const partial = await makeScratch(cacheFolder);
  try {
    await rename(await fill(partial), folder).catch(async (error: NodeJS.ErrnoException) => {
      // Another process was faster; its folder holds the same bytes.
      if (!existsSync(folder)) throw error;
    });
    return folder;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
