import { execFile } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { access, mkdir, statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { downloadVariables } from '../../domain/program-variables.js';
import type { Finding } from './finding.js';
import type { Context } from '../context.js';
import { stackChecks } from './stack-checks.js';
import { suiteFolder } from '../../config/suite-folder.js';
import { allSuites } from '../../suite/registry.js';

const GIB = 1024 ** 3;
const LEAST_MEMORY = 3 * GIB;
const LEAST_NODE = '20.19.0';
const PIP_TIMEOUT_MS = 20_000;

/** Looks at everything, side by side. Changes nothing but the state folder, which it creates. */
export async function findings(context: Context): Promise<Finding[]> {
  const groups = [
    node(),
    memory(),
    disk(context),
    build(context),
    pip(context),
    docker(context),
    temporalCli(context),
    stackChecks(context),
    datasets(context),
  ];
  return (await Promise.all(groups)).flat();
}

async function node(): Promise<Finding[]> {
  const isOld = process.versions.node.localeCompare(LEAST_NODE, 'en', { numeric: true }) < 0;
  const fix = isOld ? `install Node ${LEAST_NODE} or newer (https://nodejs.org)` : null;
  return [{ name: 'Node', state: isOld ? 'missing' : 'ok', detail: process.versions.node, fix }];
}

async function memory(): Promise<Finding[]> {
  const isSmall = totalmem() < LEAST_MEMORY;
  const detail = `${(totalmem() / GIB).toFixed(1)} GiB`;
  const fix = isSmall ? 'give the machine at least 3 GiB (a sandbox run may use 2)' : null;
  return [{ name: 'memory', state: isSmall ? 'missing' : 'ok', detail, fix }];
}

async function disk(context: Context): Promise<Finding[]> {
  const { stateDir, minimumFreeBytes } = context.environment();
  try {
    await mkdir(stateDir, { recursive: true });
    await access(stateDir, constants.W_OK);
    const { bavail, bsize } = await statfs(stateDir);
    const isFull = bavail * bsize < minimumFreeBytes;
    const detail = `${((bavail * bsize) / GIB).toFixed(1)} GiB free in ${stateDir}`;
    const fix = isFull ? `free at least ${minimumFreeBytes / GIB} GiB: durabench clean, docker system prune` : null;
    return [{ name: 'disk', state: isFull ? 'missing' : 'ok', detail, fix }];
  } catch (error) {
    const fix = `make ${stateDir} writable, or set DURABENCH_HOME to another folder`;
    return [{ name: 'disk', state: 'missing', detail: (error as Error).message, fix }];
  }
}

async function build({ packageRoot }: Context): Promise<Finding[]> {
  const files = ['workflow-bundle.js', 'digests.json'].map((name) => join(packageRoot, 'dist', name));
  const isBuilt = files.every((file) => existsSync(file));
  const detail = isBuilt ? 'dist/ is there' : 'dist/ is not complete';
  return [{ name: 'build', state: isBuilt ? 'ok' : 'missing', detail, fix: isBuilt ? null : 'npm run build' }];
}

/**
 * Dataset releases and the embedding model come through pip: the host's, which knows the machine's index, proxy and
 * certificates, else that of a container.
 */
async function pip(context: Context): Promise<Finding[]> {
  const ask = promisify(execFile)('python3', ['-m', 'pip', '--version'], {
    env: downloadVariables(context.environment().variable),
    timeout: PIP_TIMEOUT_MS,
  });
  return ask.then(
    ({ stdout }) => [{ name: 'pip', state: 'ok', detail: stdout.split(' from ')[0]!.trim(), fix: null }],
    (error: NodeJS.ErrnoException) => [
      {
        name: 'pip',
        state: 'later',
        detail: `${error.code === 'ENOENT' ? 'there is no python3' : 'python3 has no pip'}; downloads go through a container`,
        fix: 'sudo apt-get install python3-pip, where containers do not reach the package index',
      },
    ],
  );
}

async function docker(context: Context): Promise<Finding[]> {
  const [{ connectDocker }, { openImages }] = await Promise.all([
    import('../../adapters/docker/engine/connect-docker.js'),
    import('./open-images.js'),
  ]);
  try {
    const { Version, ApiVersion } = await connectDocker().version();
    const states = await (await openImages(context)).list();
    const images = states.map(({ name, tag, present }): Finding => {
      if (present !== null) return { name: `image ${name}`, state: 'ok', detail: tag, fix: null };
      return {
        name: `image ${name}`,
        state: 'later',
        detail: `${tag} is not built`,
        fix: `durabench images build ${name}`,
      };
    });
    return [{ name: 'Docker', state: 'ok', detail: `${Version} (API ${ApiVersion})`, fix: null }, ...images];
  } catch (error) {
    const host = context.environment().dockerHost ?? 'the local socket';
    const detail = `does not answer on ${host}: ${(error as Error).message.split('\n')[0] ?? ''}`;
    const fix = 'start Docker (`sudo systemctl start docker`), join the group docker, or set DOCKER_HOST';
    return [{ name: 'Docker', state: 'missing', detail, fix }];
  }
}

async function temporalCli(context: Context): Promise<Finding[]> {
  const { stateDir, cacheDir, temporal, variable } = context.environment();
  if (temporal !== undefined)
    return [{ name: 'Temporal CLI', state: 'ok', detail: 'not needed: TEMPORAL_ADDRESS names a server', fix: null }];
  const { TEMPORAL_CLI_VERSION } = await import('../../stack/servers/temporal-cli.js');
  const onPath = (variable('PATH') ?? '').split(delimiter).filter((folder) => folder !== '');
  const fetched = [cacheDir, stateDir].map((folder) => join(folder, 'tools', `temporal-cli-${TEMPORAL_CLI_VERSION}`));
  const found = [...onPath, ...fetched].map((folder) => join(folder, 'temporal')).find((file) => existsSync(file));
  if (found !== undefined) return [{ name: 'Temporal CLI', state: 'ok', detail: found, fix: null }];
  return [
    { name: 'Temporal CLI', state: 'later', detail: 'not there; the first `up` fetches it', fix: 'durabench up' },
  ];
}

async function datasets(context: Context): Promise<Finding[]> {
  const [suites, { createFileBlobs }] = await Promise.all([allSuites(), import('../../adapters/blobs/file-blobs.js')]);
  const blobs = createFileBlobs({ folder: context.environment().blobsDir });
  const withProjects = suites.filter((suite) => suite.dataset.projects.length > 0);
  const each = withProjects.map(async (suite): Promise<Finding> => {
    const name = `dataset ${suite.manifest.id}`;
    const folder = suiteFolder(context.packageRoot, suite);
    const fix = `durabench dataset fetch ${suite.manifest.id}`;
    try {
      const selection = await suite.dataset.select(suite.schemas.dataset.parse({}) as never, 0, folder);
      const present = await Promise.all(selection.tasks.map((task) => blobs.has(task.sha256)));
      const count = present.filter(Boolean).length;
      const isWhole = count === present.length;
      return {
        name,
        state: isWhole ? 'ok' : 'later',
        detail: `${count} of ${present.length} tasks are here`,
        fix: isWhole ? null : fix,
      };
    } catch (error) {
      return { name, state: 'missing', detail: (error as Error).message.split('\n')[0] ?? '', fix };
    }
  });
  return Promise.all(each);
}
