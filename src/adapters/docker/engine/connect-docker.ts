import Docker from 'dockerode';
import { limitCalls, type CallLimits } from './call-limits.js';

/**
 * A client of a Docker engine: the one at `socketPath`, else the one the environment names (`DOCKER_HOST`, else the local
 * socket). Does not connect yet. Calls that get no answer in time fail as those that reach nobody.
 */
export function connectDocker(options: { socketPath?: string; limits?: CallLimits } = {}): Docker {
  const { socketPath, limits } = options;
  const docker = socketPath === undefined ? new Docker() : new Docker({ socketPath });
  limitCalls(docker, limits);
  return docker;
}
