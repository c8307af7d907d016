import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Less than the two minutes after which nothing of it would be kept. */
const COMPILE_SECONDS = 90;

/** What prepares a mount at `path` so that its Python modules come compiled. `suiteFolder`: the suite's folder in the package. */
export async function compileCommand(suiteFolder: string, path: string): Promise<string[]> {
  const compiler = await readFile(join(suiteFolder, 'python', 'candidate', 'compile_tree.py'), 'utf8');
  return ['python3', '-P', '-s', '-E', '-c', compiler, path, '/work', String(COMPILE_SECONDS)];
}
