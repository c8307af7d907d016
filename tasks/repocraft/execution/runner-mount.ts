import { join } from 'node:path';
import type { ContentMount } from '../../../src/ports/sandbox.js';
import { mountedFiles } from '../../../src/suite-kit/packed-files.js';
import { pythonFolder } from '../python-folder.js';
import { compileCommand } from './compile-command.js';

/** Where the runner is in the container. */
export const RUNNER_PATH = '/runner';

/** The test runner (`python/runner/`) as a read-only mount, compiled. `suiteFolder` is the suite's folder in the package. */
export async function runnerMount(suiteFolder: string): Promise<ContentMount> {
  const files = await pythonFolder(join(suiteFolder, 'python', 'runner'));
  return { ...(await mountedFiles(files, RUNNER_PATH)), prepare: await compileCommand(suiteFolder, RUNNER_PATH) };
}
