import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { currentInstance } from '../engine/instance.js';

const PREFIX = 'durabench-scratch';

/** Makes a folder for temporary files that names its owner, so that it goes when its owner was killed. The caller removes it. */
export async function makeScratch(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  // In the name: a file inside would be missing when the process dies in between.
  const owner = Buffer.from(currentInstance()).toString('base64url');
  return mkdtemp(join(parent, `${PREFIX}.${owner}.`));
}

/** Removes the scratch folders in a folder whose owner is gone. Returns how many went, or in a dry run would go. */
export async function removeScratch(
  parent: string,
  isGone: (instance: string) => boolean,
  isDryRun = false,
): Promise<number> {
  const orphans = (await scratchIn(parent)).filter(({ instance }) => isGone(instance));
  if (isDryRun) return orphans.length;
  await Promise.all(orphans.map(({ path }) => rm(path, { recursive: true, force: true })));
  return orphans.length;
}

/** The scratch folders in a folder, with their owners. */
export async function scratchIn(parent: string): Promise<{ path: string; instance: string }[]> {
  const names = await readdir(parent).catch(() => []);
  return names.flatMap((name) => {
    const [prefix, owner = '', random] = name.split('.');
    if (prefix !== PREFIX || random === undefined) return [];
    return [{ path: join(parent, name), instance: Buffer.from(owner, 'base64url').toString('utf8') }];
  });
}
