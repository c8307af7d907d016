/**
 * The checks in tests/fixtures/repocraft/shims on the libraries' own test helpers and on our stand-ins, and what the fixtures of both
 * hand to a test: both must give the same.
 *   npx tsx bench/repocraft/shims.ts [PROJECT…]
 * Needs Docker; builds the projects' images and fetches their pinned releases where they are missing.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { createImages } from '../../src/adapters/docker/images/images.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createPackageIndex } from '../../src/adapters/docker/pip/package-index.js';
import { readEnvironment } from '../../src/config/env.js';
import { toolFiles } from '../../tasks/repocraft/dataset/dataset-tool.js';
import { mountedFiles } from '../../src/suite-kit/packed-files.js';
import { readProjectSettings } from '../../tasks/repocraft/dataset/project-settings.js';
import { obtainRelease } from '../../tasks/repocraft/dataset/reference-release.js';
import { referenceFiles } from '../../tasks/repocraft/dataset/task-blobs.js';

const packageRoot = join(import.meta.dirname, '..', '..');
const suiteFolder = join(packageRoot, 'tasks', 'repocraft');
const { variable, stateDir, cacheDir } = readEnvironment();
const cacheFolder = join(stateDir, 'cache');
const say = (line: string): void => console.log(line);
const signal = new AbortController().signal;

const images = createImages({ docker: connectDocker(), packageRoot, cacheFolder, variable });
const sandbox = createDockerSandbox({ instance: currentInstance(), stateFolder: stateDir, packageRoot, slots: 1 });
const packages = createPackageIndex({ packageRoot, cacheFolder, variable });

const tools = {
  packages,
  suiteFolder,
  cacheFolder: join(cacheDir, 'datasets', 'repocraft'),
  onProgress: say,
  signal,
};

async function compareHelpers(projectName: string): Promise<boolean> {
  const project = await readProjectSettings(projectName, suiteFolder);
  const [original] = Object.keys(project.settings.shimLibraries);
  if (original === undefined) return true;
  await images.ensure(project.image, say);
  const mounts = await Promise.all([
    mountedFiles(referenceFiles(project, await obtainRelease(project.pin, tools)), '/library'),
    mountedFiles(await toolFiles(project, suiteFolder), '/tool'),
  ]);
  const check = await readFile(join(packageRoot, 'tests/fixtures/repocraft/shims', `${projectName}.py`));
  const ends: (number | null)[] = [];
  for (const module of [original, 'assertion_shims']) {
    const { exitCode, stdout } = await sandbox.run({
      image: project.image,
      files: { 'test_check.py': check },
      env: { CHECKS: module, PYTHONPATH: '/library:/tool/shims', PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1' },
      command: [
        'python3',
        '-m',
        'pytest',
        '-c',
        '/dev/null',
        '--rootdir',
        '/work',
        '-q',
        '-p',
        'no:cacheprovider',
        'test_check.py',
      ],
      mounts,
      poolKey: null,
      owner: { campaignId: 'bench', ownerId: `shims/${projectName}` },
      signal,
    });
    ends.push(exitCode);
    say(`${projectName}, ${module}: ${stdout.bytes.toString('utf8').trim().split('\n').at(-1) ?? ''}`);
  }
  return ends.every((exitCode) => exitCode === 0);
}

/** What pandas' conftest registers strategies with; no fixture of ours needs it, and no image has it. */
const NOTHING = 'import sys, unittest.mock\nsys.modules[__name__] = unittest.mock.MagicMock(__version__="6")\n';

/** Every value a fixture hands to a test, and what stands under the names of a module we stand in for. */
async function compareFixtures(projectName: string): Promise<boolean> {
  const project = await readProjectSettings(projectName, suiteFolder);
  const { package: packageName, packageRoot: root, shimModules = {} } = project.settings;
  const release = await obtainRelease(project.pin, tools);
  const conftest = release.get(join(root, packageName, 'conftest.py'));
  if (conftest === undefined) return true; // that of requests is compared by tests/repocraft/dataset.test.ts
  await images.ensure(project.image, say);
  const mounts = await Promise.all([
    mountedFiles(release, '/library'),
    mountedFiles(await toolFiles(project, suiteFolder), '/tool'),
  ]);
  const ours = await readFile(join(suiteFolder, 'shims', project.settings.shimFolder, 'fixtures.py'));
  const check = await readFile(join(packageRoot, 'tests/fixtures/repocraft/shims/recorded.py'));
  const [[module, file] = ['', '']] = Object.entries(shimModules as Record<string, string>);
  const handed: string[] = [];
  for (const [which, source] of Object.entries({ original: conftest, ours })) {
    const { stdout, stderr } = await sandbox.run({
      image: project.image,
      files: { 'conftest.py': source, 'test_recorded.py': check, 'ours.py': ours, 'hypothesis.py': NOTHING },
      env: {
        PYTHONPATH: `/library/${root}:/tool/shims`,
        PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1',
        STAND_IN: file.replace(/\.py$/, ''),
        NAMES_OF: which === 'ours' ? file.replace(/\.py$/, '') : module,
      },
      command: [
        ...['python3', '-m', 'pytest', '-c', '/dev/null', '--rootdir', '/work', '-q', '-s'],
        ...['-p', 'no:cacheprovider', 'test_recorded.py'],
      ],
      mounts,
      poolKey: null,
      owner: { campaignId: 'bench', ownerId: `shims/${projectName}` },
      signal,
    });
    const lines = stdout.bytes.toString('utf8').split('\n');
    const values = lines.flatMap((line) => /HANDED (.*)/.exec(line)?.[1] ?? []).sort();
    handed.push(values.join('\n'));
    say(`${projectName}, fixtures, ${which}: ${values.length} values; ${lines.at(-2) ?? ''}`);
    if (values.length === 0) say(stderr.bytes.toString('utf8').trim().split('\n').slice(-6).join('\n'));
  }
  return handed[0] !== '' && handed[0] === handed[1];
}

const chosen = process.argv.slice(2);
try {
  for (const project of chosen.length > 0 ? chosen : ['sympy', 'django', 'pandas', 'scikit-learn', 'statsmodels']) {
    if (!(await compareHelpers(project))) process.exitCode = 1;
    if (!(await compareFixtures(project))) process.exitCode = 1;
  }
} finally {
  await sandbox.close();
}
