import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFileBlobs } from '../../src/adapters/blobs/file-blobs.js';
import { createDockerSandbox, type DockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createPackageIndex } from '../../src/adapters/docker/pip/package-index.js';
import { readEnvironment } from '../../src/config/env.js';
import type { DatasetTools } from '../../src/suite/dataset.js';
import { readLock, tasksDigest, type DatasetLock } from '../../tasks/repocraft/dataset/lock/dataset-lock.js';
import { toolFiles } from '../../tasks/repocraft/dataset/dataset-tool.js';
import { sandboxRun } from '../../tasks/repocraft/dataset/trusted-python.js';
import { createGoldBench } from '../../tasks/repocraft/dataset/gold-bench.js';
import { validateOnGold } from '../../tasks/repocraft/dataset/gold-validation.js';
import { mountedFiles, packedTar } from '../../src/suite-kit/packed-files.js';
import { readProjectSettings } from '../../tasks/repocraft/dataset/project-settings.js';
import { obtainRelease } from '../../tasks/repocraft/dataset/reference-release.js';
import { repocraftDataset } from '../../tasks/repocraft/dataset/repocraft-dataset.js';
import type { RepocraftTask } from '../../tasks/repocraft/dataset/repocraft-task.js';
import { packReference, referencePackage } from '../../tasks/repocraft/dataset/task-blobs.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { NO_DOWNLOADS } from '../fixtures/no-downloads.js';

// The real release, the real image, a real blob folder.

const packageRoot = join(import.meta.dirname, '..', '..');
const suiteFolder = join(packageRoot, 'tasks', 'repocraft');
let folder: string;
let sandbox: DockerSandbox;
const { variable } = readEnvironment();
let tools: DatasetTools;
const progress: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-dataset-'));
  const stateFolder = folder;
  await ensureImages(join(stateFolder, 'cache'), 'repocraft-requests');
  sandbox = createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot, slots: 2 });
  tools = {
    blobs: createFileBlobs({ folder: join(stateFolder, 'blobs') }),
    sandbox,
    downloads: NO_DOWNLOADS,
    packages: createPackageIndex({ packageRoot, cacheFolder: join(stateFolder, 'cache'), variable }),
    suiteFolder,
    cacheFolder: join(stateFolder, 'cache'),
    onProgress: (line) => void progress.push(line),
    signal: new AbortController().signal,
  };
});

afterAll(async () => {
  await sandbox?.close();
  await rm(folder, { recursive: true, force: true });
});

async function storedTasks(): Promise<RepocraftTask[]> {
  const { tasks } = await readLock('requests', suiteFolder);
  return Promise.all(
    tasks.map(async ({ sha256 }) => JSON.parse((await tools.blobs.get(sha256)).toString('utf8')) as RepocraftTask),
  );
}

test('fetch makes exactly the locked tasks from the pinned release, once', async () => {
  const lock = await readLock('requests', suiteFolder);
  const fetched = await repocraftDataset.fetch({ projects: ['requests'], verify: false }, tools);
  expect(fetched).toEqual({ tasks: lock.tasks.length, digest: lock.digest });
  expect((await storedTasks()).map((task) => task.id)).toEqual(lock.tasks.map((task) => task.id));
  const before = progress.length;
  await repocraftDataset.fetch({ projects: ['requests'], verify: false }, tools);
  expect(progress.length).toBe(before);
});

test('the library of ours is fetched and holds on itself without any network', async () => {
  const packages = { download: () => Promise.reject(new Error('not to be asked')) };
  const lock = await readLock('textkit', suiteFolder);
  const fetched = await repocraftDataset.fetch({ projects: ['textkit'], verify: true }, { ...tools, packages });
  expect(fetched).toEqual({ tasks: 40, digest: lock.digest });
  expect(lock.counts).toMatchObject({ harvested: 40, dropped: {}, functions: 40 });
});

test('no description gives the project away', async () => {
  const { settings } = await readProjectSettings('requests', suiteFolder);
  const telling = settings.givingAway;
  const found = (await storedTasks()).filter(({ description }) =>
    telling.some((word) => description.toLowerCase().includes(word)),
  );
  expect(found.map((task) => task.description)).toEqual([]);
});

test('every task file stands alone: no conftest, no test package, only the standard library, dependencies and the reference', async () => {
  for (const task of await storedTasks()) {
    expect(task.test_code, task.id).not.toMatch(/^\s*(from|import) (tests|\.)/m);
    const outside = task.fixtures.map((fixture) => fixture.provider).filter((name) => name.includes('conftest'));
    expect(outside).toEqual([]);
    expect(task.targets.length).toBeGreaterThan(0);
    expect(task.targets.every((target) => target.startsWith('requests.'))).toBe(true);
  }
});

test('gold validation passes what holds and names what does not', async () => {
  const project = await readProjectSettings('requests', suiteFolder);
  const release = await obtainRelease(project.pin, tools);
  const [sample] = (await storedTasks()).filter((task) => task.id.startsWith('requests-structures'));
  if (sample === undefined) throw new Error('no task to try');
  const write = (body: string): RepocraftTask => ({
    ...sample,
    functions: ['test_it'],
    fixtures: [],
    test_code: `import os\nimport time\nimport pytest\nimport requests\n\n\ndef test_it():\n    ${body}\n`,
  });
  const subjects = [
    { key: 'real', task: sample },
    { key: 'failing', task: write('assert requests.codes.ok == 1') },
    { key: 'skipping', task: write('pytest.skip("not here")') },
    { key: 'dead', task: { ...write('pass'), functions: ['test_other'] } },
    { key: 'flaky', task: write('assert os.environ["PYTHONHASHSEED"] == "0"') },
    { key: 'slow', task: write('end = time.process_time() + 5.2\n    while time.process_time() < end: pass') },
  ];
  const bench = await createGoldBench(project, packedTar(await packReference(project, release)), tools);
  const validate = (some: typeof subjects) => validateOnGold(bench, some, (line) => tools.onProgress(line));
  const findings = await validate(subjects);
  expect([...findings].map(([key, found]) => [key, found.rule])).toEqual([
    ['real', null],
    ['failing', 'gold-failed'],
    ['skipping', 'gold-skipped'],
    ['dead', 'dead'],
    ['flaky', 'gold-flaky'],
    ['slow', 'slow'],
  ]);
  // What is known of a task does not depend on who its neighbours were.
  const before = progress.length;
  await validate([subjects[4]!, subjects[0]!, subjects[1]!]);
  expect(progress.slice(before).filter((line) => line.includes('isolated'))).toEqual([]);
});

test('a lock with another hash is refused, naming the task', async () => {
  const copy = join(await mkdtemp(join(folder, 'suite-')), 'repocraft');
  await cp(suiteFolder, copy, { recursive: true });
  const path = join(copy, 'dataset', 'requests.lock.json');
  const lock = await readLock('requests', copy);
  // By a careful hand: the digest fits, so that only the bytes can tell.
  const tasks = lock.tasks.map((task, index) => (index === 3 ? { ...task, sha256: 'f'.repeat(64) } : task));
  await writeFile(path, JSON.stringify({ ...lock, tasks, digest: tasksDigest(tasks) }));
  const fetching = repocraftDataset.fetch({ projects: ['requests'], verify: true }, { ...tools, suiteFolder: copy });
  await expect(fetching).rejects.toThrow(new RegExp(`1 of ${lock.tasks.length} tasks.*${lock.tasks[3]?.id}`));
});

/** Fetches the library of ours by a copy of its lock in which something is changed. */
async function fetchEdited(edit: (lock: DatasetLock) => DatasetLock): Promise<unknown> {
  const copy = join(await mkdtemp(join(tmpdir(), 'suite-')), 'repocraft');
  try {
    await cp(suiteFolder, copy, { recursive: true });
    await writeFile(
      join(copy, 'dataset', 'textkit.lock.json'),
      JSON.stringify(edit(await readLock('textkit', suiteFolder))),
    );
    return await repocraftDataset.fetch({ projects: ['textkit'], verify: false }, { ...tools, suiteFolder: copy });
  } finally {
    await rm(dirname(copy), { recursive: true });
  }
}

test.each([
  ['name', 'textkits'],
  ['version', '2'],
  ['sha256', 'f'.repeat(64)],
])('a lock whose reference has another %s than the pinned release is refused', async (field, value) => {
  const fetching = fetchEdited((lock) => ({ ...lock, reference: { ...lock.reference, [field]: value } }));
  await expect(fetching).rejects.toThrow(
    new RegExp(
      `textkit\\.lock\\.json: reference: "${field}" is "${value}", in dataset/pins.json "\\w+"\n.*\n.*git checkout`,
    ),
  );
});

test.each([
  [
    'lines',
    [[1, 2]],
    /textkit\.lock\.json: task (textkit-\S+): "lines" is \[\[1,2\]\], in the task itself \[\[\d+,\d+\]\]\n.*\n.*git checkout/,
  ],
  ['difficulty', 'hard', /"difficulty" is "hard"/],
  ['category', 'textkit.other', /"category" is "textkit.other"/],
])(
  'a lock whose %s was edited is refused, though it has its digest and all its tasks are here',
  async (field, value, said) => {
    await repocraftDataset.fetch({ projects: ['textkit'], verify: false }, tools);
    const fetching = fetchEdited((lock) => ({
      ...lock,
      tasks: lock.tasks.map((task, index) => (index === 0 ? { ...task, [field]: value } : task)),
    }));
    await expect(fetching).rejects.toThrow(said);
  },
);

test('a stored task that was edited by hand is found when its dataset is fetched again', async () => {
  await repocraftDataset.fetch({ projects: ['textkit'], verify: false }, tools);
  const [task] = (await readLock('textkit', suiteFolder)).tasks;
  const path = join(folder, 'blobs', 'sha256', task!.sha256.slice(0, 2), task!.sha256);
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace('"easy"', '"hard"'));
  const fetching = repocraftDataset.fetch({ projects: ['textkit'], verify: false }, tools);
  await expect(fetching).rejects.toThrow(/is damaged/);
  await writeFile(path, text);
});

test('the reference package is there for the gold generator, and nothing beside it', async () => {
  const tar = await referencePackage(tools.blobs, await readProjectSettings('requests', suiteFolder));
  const text = tar.toString('latin1');
  expect(text).toContain('requests/__init__.py');
  expect(text).not.toContain('test_requests.py');
});

test.each(['real', 'shims'])('fixtures and module names behave alike: %s', async (which) => {
  const project = await readProjectSettings('requests', suiteFolder);
  const release = await obtainRelease(project.pin, tools);
  const mounts = [
    await mountedFiles(release, '/release'),
    await mountedFiles(await toolFiles(project, suiteFolder), '/tool'),
  ];
  const shims = join(suiteFolder, 'shims', 'requests', 'fixtures.py');
  const fixtures = which === 'real' ? release.get('tests/conftest.py') : await readFile(shims);
  const result = await sandbox.run({
    ...sandboxRun(project, tools, mounts),
    files: {
      'conftest.py': fixtures ?? '',
      'test_check.py': await readFile(join(import.meta.dirname, '../fixtures/repocraft/requests-shims-check.py')),
    },
    env: {
      PYTHONPATH: which === 'real' ? '/release/src' : '/tool/shims:/release/src',
      PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1',
      ...(which === 'real' ? {} : { COMPARED: '1' }),
    },
    command: [
      ...['python3', '-m', 'pytest', '-c', '/dev/null', '--rootdir', '/work', '-q', '-rs'],
      ...['-p', 'no:cacheprovider', '-p', 'pytest_httpbin.plugin', 'test_check.py'],
    ],
  });
  const log = result.stdout.bytes.toString('utf8') + result.stderr.bytes.toString('utf8');
  expect(log).toContain(which === 'real' ? '7 passed, 1 skipped' : '8 passed');
  expect(result.exitCode).toBe(0);
});
