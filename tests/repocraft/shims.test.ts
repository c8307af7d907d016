import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDockerSandbox, type DockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';

// What the stand-ins for assertion helpers say, in the small image every build has. `bench/repocraft/shims.ts` runs the same checks
// on the libraries' own helpers, which a build does not fetch.

const packageRoot = join(import.meta.dirname, '..', '..');
let stateFolder: string;
let sandbox: DockerSandbox;

beforeAll(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'durabench-shims-'));
  await ensureImages(join(stateFolder, 'cache'), 'repocraft-requests');
  sandbox = createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot, slots: 2 });
});

afterAll(async () => {
  await sandbox?.close();
  await rm(stateFolder, { recursive: true, force: true });
});

// The others need numpy, scipy or the tables they compare.
test.each(['sympy', 'django'])(
  'the stand-ins for the helpers of %s hold and fail where the originals do',
  async (project) => {
    const shims = join(packageRoot, 'tasks/repocraft/shims', project, 'assertion_shims.py');
    const result = await sandbox.run({
      image: 'repocraft-requests',
      files: {
        'assertion_shims.py': await readFile(shims),
        'test_check.py': await readFile(join(import.meta.dirname, '../fixtures/repocraft/shims', `${project}.py`)),
      },
      env: { CHECKS: 'assertion_shims', PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1' },
      command: [
        ...['python3', '-m', 'pytest', '-c', '/dev/null', '--rootdir', '/work', '-q', '-p', 'no:cacheprovider'],
        'test_check.py',
      ],
      mounts: [],
      poolKey: null,
      owner: { campaignId: 'test', ownerId: `shims/${project}` },
      signal: new AbortController().signal,
    });
    const log = result.stdout.bytes.toString('utf8') + result.stderr.bytes.toString('utf8');
    expect(log).toMatch(/\d+ passed/);
    expect(result.exitCode, log).toBe(0);
  },
);
