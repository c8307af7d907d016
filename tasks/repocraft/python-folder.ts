import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The Python files of a folder of ours and of those in it, by path, as `<prefix>/<path>`; without what Python leaves behind. */
export async function pythonFolder(folder: string, prefix?: string): Promise<Map<string, Buffer>> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.py')).sort();
  const files = paths.map(
    async (path) => [prefix === undefined ? path : `${prefix}/${path}`, await readFile(join(folder, path))] as const,
  );
  return new Map(await Promise.all(files));
}
