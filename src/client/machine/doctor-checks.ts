import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { downloadVariables } from '../../domain/program-variables.js';
import { withInstaller, type Finding } from './finding.js';
import type { Context } from '../context.js';
import { machineChecks } from './machine-checks.js';
import { stackChecks } from './stack-checks.js';
import { suiteFolder } from '../../config/suite-folder.js';
import { readSuites } from '../../suite/registry.js';

const PIP_TIMEOUT_MS = 20_000;

/** Looks at everything, side by side. Changes nothing but the state folder, which it creates. */
export async function findings(context: Context): Promise<Finding[]> {
  const groups = [
    machineChecks(context),
    pip(context),
    builtImages(context),
    temporalCli(context),
    stackChecks(context),
    suitesAndDatasets(context),
  ];
  return (await Promise.all(groups)).flat().map(withInstaller);
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

/** None where Docker does not answer, which {@link machineChecks} says. */
async function builtImages(context: Context): Promise<Finding[]> {
  const { openImages } = await import('./open-images.js');
  const states = await openImages(context)
    .then((images) => images.list())
    .catch(() => []);
  return states.map(({ name, tag, present }): Finding => {
    if (present !== null) return { name: `image ${name}`, state: 'ok', detail: tag, fix: null };
    const fix = `durabench images build ${name}`;
    return { name: `image ${name}`, state: 'later', detail: `${tag} is not built`, fix };
  });
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

/** Packages that bring suites, and the datasets of all suites. */
async function suitesAndDatasets(context: Context): Promise<Finding[]> {
  const [{ suites, problems }, { createFileBlobs }] = await Promise.all([
    readSuites(context.environment()),
    import('../../adapters/blobs/file-blobs.js'),
  ]);
  const packages = suites.flatMap(({ manifest, from }): Finding[] => {
    if (from === null) return [];
    return [{ name: `suite ${manifest.id}`, state: 'ok', detail: `${from.name} ${from.version}`, fix: null }];
  });
  const unusable = problems.map(({ message, fix }): Finding => {
    return { name: 'suite package', state: 'missing', detail: message, fix: fix ?? null };
  });
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
        detail: `${count} of ${present.length} tasks fetched`,
        fix: isWhole ? null : fix,
      };
    } catch (error) {
      return { name, state: 'missing', detail: (error as Error).message.split('\n')[0] ?? '', fix };
    }
  });
  return [...packages, ...unusable, ...(await Promise.all(each))];
}
