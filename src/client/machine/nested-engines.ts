import { createHash } from 'node:crypto';
import type { NestedEngineUse } from '../../contract/suite.js';
import { problemsOf } from '../../domain/failure/problems-of.js';
import { DomainFailure } from '../../domain/failure/domain-failure.js';
import { UserError } from '../../domain/failure/user-error.js';
import type { Blobs } from '../../ports/blobs.js';
import type { Context } from '../context.js';
import type { Finding } from './finding.js';

const PROBE_TIMEOUT_MS = 900_000;

/** What a container with an engine of its own finds around itself, for each image that suites have such engines in. */
export async function engineFindings(context: Context, uses: readonly NestedEngineUse[]): Promise<Finding[]> {
  const byImage = new Map(uses.map((use) => [use.image, use]));
  const each: Finding[][] = [];
  for (const use of byImage.values()) each.push(await findingsOf(context, use));
  return each.flat();
}

async function findingsOf(context: Context, use: NestedEngineUse): Promise<Finding[]> {
  const { probeEngine } = await import('../../adapters/docker/nested/probe-engine.js');
  const name = 'nested engine: it runs';
  const sandbox = await openSandbox(context, 2);
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const seen = await probeEngine({ sandbox, packageRoot: context.packageRoot, image: use.image, signal });
    return seen.map(({ check, ok, detail }) => {
      const fix = ok ? null : `this engine does not keep it: use another, or none (${use.without})`;
      return { name: `nested engine: ${check}`, state: ok ? 'ok' : 'missing', detail, fix };
    });
  } catch (error) {
    const [problem] = problemsOf(error);
    const isUnbuilt = error instanceof DomainFailure && error.type === 'sandbox.image-missing';
    const fix = problem?.fix ?? `use another Docker engine, or none (${use.without})`;
    return [{ name, state: isUnbuilt ? 'later' : 'missing', detail: problem?.message ?? String(error), fix }];
  } finally {
    await sandbox.close().catch(() => undefined);
  }
}

/**
 * Whether a container of this Docker engine can hold one of its own. Where it could before it is not tried again.
 * @throws UserError of kind environment with what is missing, and how a campaign goes without
 */
export async function checkNestedEngine(context: Context, use: NestedEngineUse, blobs: Blobs): Promise<void> {
  const [{ tryEngine }, { connectDocker }] = await Promise.all([
    import('../../adapters/docker/nested/probe-engine.js'),
    import('../../adapters/docker/engine/connect-docker.js'),
  ]);
  const sandbox = await openSandbox(context, 1);
  try {
    const { ID: id, ServerVersion: version, KernelVersion: kernel } = (await connectDocker().info()) as EngineInfo;
    const parts = [id, version, kernel, await sandbox.imageDigest(use.image)].join('\n');
    const key = `nested-engine/${createHash('sha256').update(parts).digest('hex')}`;
    if ((await blobs.recall(key)) !== null) return;
    context.notify({ type: 'notice', message: 'trying an engine in a container (once for this Docker engine)' });
    await tryEngine({ sandbox, image: use.image, signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    await blobs.remember(key, await blobs.put('it runs\n', { name: 'nested-engine.txt', mediaType: 'text/plain' }));
  } catch (error) {
    if (error instanceof DomainFailure && error.type !== 'sandbox.lost' && error.type !== 'harness.bug') throw error;
    throw new UserError('environment', {
      message: `this Docker engine cannot hold another in a container: ${problemsOf(error)[0]?.message ?? String(error)}`,
      fix: `see \`durabench doctor --sandbox\`, use another Docker engine, or go without: ${use.without}`,
    });
  } finally {
    await sandbox.close().catch(() => undefined);
  }
}

interface EngineInfo {
  ID: string;
  ServerVersion: string;
  KernelVersion: string;
}

async function openSandbox(context: Context, slots: number) {
  const [{ createDockerSandbox }, { currentInstance }] = await Promise.all([
    import('../../adapters/docker/sandbox/docker-sandbox.js'),
    import('../../adapters/docker/engine/instance.js'),
  ]);
  const { stateDir: stateFolder, minimumFreeBytes } = context.environment();
  const { packageRoot } = context;
  return createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot, slots, minimumFreeBytes });
}
