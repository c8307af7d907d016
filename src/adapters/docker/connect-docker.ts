import Docker from 'dockerode';

/** A client of the Docker engine the environment names (`DOCKER_HOST`, else the local socket). Does not connect yet. */
export function connectDocker(): Docker {
  return new Docker();
}
