import { createRequire } from 'node:module';
import type Docker from 'dockerode';
import { limitCalls, type CallLimits } from './call-limits.js';

/** dockerode as `npm run build` bundles it (packaging/docker-client.js says why). */
const BUNDLE = `../../../..${import.meta.url.endsWith('.ts') ? '/dist' : ''}/vendor/dockerode.cjs`;

/**
 * A client of a Docker engine: the one at `socketPath`, else the one the environment names (`DOCKER_HOST`, else the local
 * socket). Does not connect yet. Calls that get no answer in time fail as those that reach nobody.
 */
export function connectDocker(options: { socketPath?: string; limits?: CallLimits } = {}): Docker {
  const { socketPath, limits } = options;
  const Client = createRequire(import.meta.url)(BUNDLE) as typeof Docker;
  const docker = socketPath === undefined ? new Client() : new Client({ socketPath });
  limitCalls(docker, limits);
  return docker;
}
