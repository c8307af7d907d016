import { spawnSync } from 'node:child_process';
import { beforeEach, describe } from 'vitest';

const CHECK =
  'import sys; print("python3 is older than 3.11: " + sys.version.split()[0]) if sys.version_info < (3, 11) else None';

/**
 * Tests of the dataset's Python, which run it with the host's python3. A machine without one that parses new enough
 * sources skips them and says why in their name; a build server never skips them, there they fail.
 */
export function describeWithPython(name: string, options: { buildServer: boolean }, tests: () => void): void {
  const problem = pythonProblem();
  if (problem === null || options.buildServer) {
    describe(name, tests);
    return;
  }
  describe(`${name} (skipped: ${problem})`, () => {
    // Not describe.skip: this way the reason is also the note that the closing line prints.
    beforeEach(({ skip }) => skip(problem));
    tests();
  });
}

function pythonProblem(): string | null {
  const { error, status, stdout, stderr } = spawnSync('python3', ['-c', CHECK], { encoding: 'utf8' });
  if (error !== undefined) return `python3 cannot be started on this machine: ${error.message}`;
  const said = (status === 0 ? stdout : stderr).trim();
  return said === '' ? null : said;
}
