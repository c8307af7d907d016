import { join } from 'node:path';
import { createFileBlobs } from '../../src/adapters/blobs/file-blobs.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createFileDownloads } from '../../src/adapters/http/file-downloads.js';
import { createPackageIndex } from '../../src/adapters/docker/pip/package-index.js';
import { readEnvironment } from '../../src/config/env.js';
import { PACKAGE_ROOT } from '../../tests/fixtures/package-root.js';

/**
 * What making and searching RepoCraft's candidates needs outside a campaign: the blobs of a state folder in which the tasks
 * were fetched, and a sandbox with the slots of a command's, to be closed.
 */
export function createRepocraftTools({ state, owner }: { state: string; owner: string }) {
  const { cacheDir, variable } = readEnvironment();
  const where = { packageRoot: PACKAGE_ROOT, stateFolder: state };
  return {
    blobs: createFileBlobs({ folder: join(state, 'blobs') }),
    sandbox: createDockerSandbox({ instance: currentInstance(), ...where, slots: 2 }),
    downloads: createFileDownloads({ folder: cacheDir }),
    packages: createPackageIndex({ packageRoot: PACKAGE_ROOT, cacheFolder: cacheDir, variable }),
    suiteFolder: join(PACKAGE_ROOT, 'tasks', 'repocraft'),
    cacheFolder: join(cacheDir, 'datasets', 'repocraft'),
    signal: new AbortController().signal,
    campaign: { id: 'bench' },
    owner: { id: owner },
    heartbeat: () => undefined,
    onProgress: () => undefined,
  };
}
