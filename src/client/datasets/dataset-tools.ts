import { join } from 'node:path';
import { checkLimits } from '../../domain/limits/sandbox-limits.js';
import type { Blobs } from '../../ports/blobs.js';
import type { Sandbox } from '../../ports/sandbox.js';
import type { DatasetTools } from '../../suite/dataset.js';
import type { Suite } from '../../suite/suite.js';
import type { Context } from '../context.js';
import { suiteFolder } from '../../config/suite-folder.js';
import { readWorkerSettings } from '../../config/worker-settings.js';
import { slotsFor } from '../../domain/limits/worker-limits.js';
import { createPlaceClock } from '../../report/text/time-left.js';

/** Runs dataset work with a sandbox and the suite's folders, and closes the sandbox after it. */
export async function withDatasetTools<Result>(
  context: Context,
  parts: { suite: Suite; blobs: Blobs },
  work: (tools: DatasetTools) => Promise<Result>,
): Promise<Result> {
  const [{ createDockerSandbox }, { createPackageIndex }, { createFileDownloads }, { currentInstance }] =
    await Promise.all([
      import('../../adapters/docker/sandbox/docker-sandbox.js'),
      import('../../adapters/docker/pip/package-index.js'),
      import('../../adapters/http/file-downloads.js'),
      import('../../adapters/docker/engine/instance.js'),
    ]);
  const { packageRoot } = context;
  const { stateDir, cacheDir, variable, minimumFreeBytes } = context.environment();
  const instance = currentInstance();
  // As builds of datasets do on a worker.
  const slots = slotsFor('sandbox', readWorkerSettings([], context.environment()).slots.sandbox, []);
  const place = { stateFolder: stateDir, packageRoot, minimumFreeBytes };
  const sandbox = createDockerSandbox({ instance, ...place, slots });
  const interrupt = context.onInterrupt();
  const placeText = createPlaceClock();
  try {
    return await work({
      blobs: parts.blobs,
      sandbox: within(parts.suite, sandbox),
      slots,
      packages: createPackageIndex({ packageRoot, cacheFolder: join(stateDir, 'cache'), variable }),
      downloads: createFileDownloads({ folder: join(cacheDir, 'downloads') }),
      suiteFolder: suiteFolder(packageRoot, parts.suite),
      cacheFolder: join(cacheDir, 'datasets', parts.suite.manifest.id),
      onProgress: (line, part) =>
        context.notify({ type: 'notice', message: `  ${line}${part === undefined ? '' : placeText(part)}` }),
      signal: interrupt.signal,
    });
  } finally {
    interrupt.release();
    if (parts.suite.manifest.needsDocker) await sandbox.close().catch(() => undefined);
  }
}

/** The sandbox, with no limit looser than the suite's manifest names. */
function within({ manifest }: Suite, sandbox: Sandbox): Sandbox {
  const run: Sandbox['run'] = async (request) => {
    checkLimits(request.limits, manifest.sandboxLimits);
    return sandbox.run(request);
  };
  return { ...sandbox, run };
}

/** Fetches the locked tasks of projects into the blob store, which needs no server. */
export async function fetchDataset(
  context: Context,
  request: { suite: Suite; projects: string[]; verify: boolean; version?: string | undefined },
): Promise<{ tasks: number; digest: string }> {
  const { suite, projects, verify, version } = request;
  const { createFileBlobs } = await import('../../adapters/blobs/file-blobs.js');
  const blobs = createFileBlobs({ folder: context.environment().blobsDir });
  return withDatasetTools(context, { suite, blobs }, (tools) =>
    suite.dataset.fetch({ projects, verify, version }, tools),
  );
}
