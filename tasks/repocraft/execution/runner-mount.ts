import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContentMount } from '../../../src/ports/sandbox.js';
import { mountedFiles } from '../archives/packed-files.js';
import { compileCommand } from './compile-command.js';

/** Where the runner is in the container. */
export const RUNNER_PATH = '/runner';

/** The test runner (`python/runner/`) as a read-only mount, compiled. `suiteFolder` is the suite's folder in the package. */
export async function runnerMount(suiteFolder: string): Promise<ContentMount> {
  const folder = join(suiteFolder, 'python', 'runner');
  const files = new Map<string, Uint8Array>();
  for (const name of await readdir(folder)) {
    if (name.endsWith('.py')) files.set(name, await readFile(join(folder, name)));
  }
  return { ...(await mountedFiles(files, RUNNER_PATH)), prepare: await compileCommand(suiteFolder, RUNNER_PATH) };
}
