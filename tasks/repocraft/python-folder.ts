import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The Python files of a folder of ours, by name, as `<prefix>/<name>`; without what Python leaves behind. */
export async function pythonFolder(folder: string, prefix?: string): Promise<Map<string, Buffer>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.py')).sort();
  const files = names.map(
    async (name) => [prefix === undefined ? name : `${prefix}/${name}`, await readFile(join(folder, name))] as const,
  );
  return new Map(await Promise.all(files));
}
