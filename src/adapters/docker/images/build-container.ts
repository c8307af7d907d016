import type Docker from 'dockerode';
import { UserError } from '../../../domain/failure/user-error.js';
import { currentInstance } from '../engine/instance.js';
import { ownerLabels } from '../engine/labels.js';
import { packTar } from '../engine/tar-archive.js';

/** A script that makes an image out of another. */
export interface BuildRun {
  docker: Docker;
  /** Name of the recipe, for messages. */
  imageName: string;
  from: string;
  script: string;
  workingDir: string;
  /** With the network that the engine gives by default; else without any. */
  hasNetwork?: boolean;
  /** Of the script alone: whoever runs the image, or reads its history, is told none of them. */
  env?: Record<string, string>;
  /** Called before the script starts: puts files into the container. */
  fill?: (container: Docker.Container) => Promise<void>;
  /** Called when the script ended with 0. */
  commit: (container: Docker.Container) => Promise<void>;
  /** What the user can do where the script fails. */
  fix: string;
}

/** Read and removed by the script: a variable of the container would be one of the image. */
const VARIABLES = 'durabench-build.env';

/** Runs a script as root in a container and hands the container over to be committed. Throws `UserError` with the end of its log. */
export async function runBuild(build: BuildRun): Promise<void> {
  const { docker, from, script, env = {} } = build;
  const container = await docker.createContainer({
    Image: from,
    User: '0:0',
    WorkingDir: build.workingDir,
    Entrypoint: [],
    Cmd: ['sh', '-ec', `. /${VARIABLES}; rm /${VARIABLES}\n${script}`],
    Labels: ownerLabels(currentInstance(), null),
    HostConfig: build.hasNetwork === true ? { Init: true } : { Init: true, NetworkMode: 'none' },
  });
  try {
    await container.putArchive(await packTar({ [VARIABLES]: exported(env) }), { path: '/' });
    await build.fill?.(container);
    await container.start();
    const { StatusCode: status } = (await container.wait()) as { StatusCode: number };
    if (status !== 0) {
      const log = (await container.logs({ stdout: true, stderr: true })).toString('utf8');
      const message = `image ${build.imageName}: its build ended with ${status}: ${log.slice(-800)}`;
      throw new UserError('environment', { message, fix: build.fix });
    }
    await build.commit(container);
  } finally {
    await container.remove({ force: true });
  }
}

const exported = (env: Readonly<Record<string, string>>): string =>
  Object.entries(env)
    .map(([key, value]) => `export ${key}='${value.replaceAll("'", `'\\''`)}'\n`)
    .join('');
