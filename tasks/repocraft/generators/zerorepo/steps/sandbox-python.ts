import path from 'node:path';
import { DomainFailure } from '../../../../../src/domain/failure/domain-failure.js';
import type { SandboxLimits } from '../../../../../src/contract/sandbox-limits.js';
import type { StageContext } from '../../../../../src/suite/stage.js';
import { pythonFolder } from '../../../python-folder.js';
import { projectImage } from '../../../dataset/project-settings.js';

/** What a program of `../python/` printed, or why it printed nothing that can be used. */
export type PythonEnd = { value: unknown } | { failure: string };

/**
 * Runs a program of `../python/` in the project's image, on a request. What generated code does to it is an end
 * like any other; failure of the machine is thrown.
 */
export async function runPython(
  context: StageContext,
  program: string,
  request: object,
  limits: Partial<SandboxLimits>,
): Promise<PythonEnd> {
  const own = await pythonFolder(path.join(context.suiteFolder, 'generators', 'zerorepo', 'python'), 'zr');
  const result = await context.sandbox.run({
    image: projectImage(context.scope ?? ''),
    command: ['python3', '-P', '-s', '-B', `/work/zr/${program}`, '/work/request.json'],
    files: { ...Object.fromEntries(own), 'request.json': JSON.stringify(request) },
    mounts: [],
    limits,
    // Generated code of one generation trusts itself: runs may share a container one after another.
    poolKey: `zerorepo/${context.owner.id}`,
    owner: { campaignId: context.campaign.id, ownerId: context.owner.id },
    signal: context.signal,
    onProgress: () => context.heartbeat(),
  });
  if (result.outOfMemory) return { failure: 'the memory limit was reached' };
  if (result.timeLimit === 'cpu') return { failure: 'the time limit was reached' };
  if (result.timeLimit === 'wall') {
    if ((result.cpuSeconds ?? 0) < 1)
      throw new DomainFailure('sandbox.lost', `${program} got no CPU within its wall limit`);
    return { failure: 'the time limit was reached' };
  }
  try {
    return { value: JSON.parse(result.stdout.bytes.toString('utf8')) as unknown };
  } catch {
    return { failure: `the run ended with ${result.exitCode}: ${result.stderr.bytes.toString('utf8').slice(-500)}` };
  }
}
