/**
 * What negative controls cost a task: every task of requests on the reference, in pooled containers, one at a time.
 *
 *   npx tsx bench/repocraft/negative-controls.ts [--tasks 140]
 *
 * C1 is a copy of the test's process at the end of each body: the runner says how long it waited for them. C2 is what a
 * chosen trial pays on top: altering the test, and the altered test on the candidate; its trial on the reference comes once
 * a task and store. Fetches the dataset into a folder of its own. Prints medians, how many ran in two rounds without copies,
 * of how much code that lies open in no file they told, and what each altered test did on the reference.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createFileBlobs } from '../../src/adapters/blobs/file-blobs.js';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { createImages } from '../../src/adapters/docker/images/images.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createFileDownloads } from '../../src/adapters/http/file-downloads.js';
import { createPackageIndex } from '../../src/adapters/docker/pip/package-index.js';
import { readEnvironment } from '../../src/config/env.js';
import { sha256Hex } from '../../src/domain/text/content-hash.js';
import { readLock } from '../../tasks/repocraft/dataset/lock/dataset-lock.js';
import { pluginsOf } from '../../tasks/repocraft/dataset/gold-bench.js';
import { readDependencies, readProjectSettings } from '../../tasks/repocraft/dataset/project-settings.js';
import type { RepocraftTask } from '../../tasks/repocraft/dataset/repocraft-task.js';
import { referencePackage } from '../../tasks/repocraft/dataset/task-blobs.js';
import { runTests } from '../../tasks/repocraft/execution/run-tests.js';
import { repocraft } from '../../tasks/repocraft/repocraft.js';
import { MUTATE } from '../../tasks/repocraft/stages/negative-control.js';
import { runPythonTool } from '../../tasks/repocraft/candidate/python-tool.js';
import { campaignSpec } from '../../src/fakes/suite-bench.js';

const { values } = parseArgs({ options: { tasks: { type: 'string', default: '140' } } });
const packageRoot = join(import.meta.dirname, '..', '..');
const suiteFolder = join(packageRoot, 'tasks', 'repocraft');
const { cacheDir: cacheFolder, variable } = readEnvironment();
const folder = await mkdtemp(join(tmpdir(), 'durabench-bench-'));
const blobs = createFileBlobs({ folder: join(folder, 'blobs') });
const images = createImages({ docker: connectDocker(), packageRoot, cacheFolder, variable });
for (const name of ['base', 'repocraft-requests']) await images.ensure(name, console.error);
const sandbox = createDockerSandbox({ instance: currentInstance(), stateFolder: folder, packageRoot, slots: 1 });
const { signal } = new AbortController();
const owner = { campaignId: 'bench', ownerId: 'bench' };

interface Mutant {
  kind: string;
  function: string;
  task: string;
}

try {
  const packages = createPackageIndex({ packageRoot, cacheFolder, variable });
  const downloads = createFileDownloads({ folder: cacheFolder });
  const tools = { blobs, sandbox, packages, downloads, suiteFolder, cacheFolder, onProgress: console.error, signal };
  await repocraft.dataset.fetch({ projects: ['requests'], verify: false }, tools);
  const library = await referencePackage(blobs, await readProjectSettings('requests', suiteFolder));
  const dependencies = await readDependencies('requests', suiteFolder);
  const run = (task: RepocraftTask, testCode: string, select: string[]) =>
    runTests({
      ...{ sandbox, suiteFolder, image: 'repocraft-requests', packageRoots: [''], select, dependencies, owner, signal },
      candidate: { sha256: sha256Hex(library), load: () => Promise.resolve(library) },
      files: { ...task.auxiliary_code, 'test_task.py': testCode },
      testFile: 'test_task.py',
      drawing: {
        key: sha256Hex(task.id),
        drawnFor: task.test_code,
        before: testCode === task.test_code ? null : task.test_code,
      },
      plugins: pluginsOf(task.fixtures),
      poolKey: 'bench',
    });
  const { tasks } = await readLock('requests', suiteFolder);
  const rows: { wall: number; cpu: number; copies: number; altering: number; altered: number; code: number }[] = [];
  const said: Record<string, number> = {};
  let [passed, withoutCopies, unwatched] = [0, 0, 0];
  for (const { sha256 } of tasks.slice(0, Number(values.tasks))) {
    const task = JSON.parse((await blobs.get(sha256)).toString('utf8')) as RepocraftTask;
    const { passed: isPassed, report, timings } = await run(task, task.test_code, task.functions);
    passed += Number(isPassed);
    if (!isPassed || report === null) console.log(`not passed: ${task.id}`);
    withoutCopies += Number(report?.rounds === 2);
    unwatched += Number(report?.code.includes('unwatched') ?? false);
    const [before, mutant] = [performance.now(), (await mutants(task))[0]];
    const altering = (performance.now() - before) / 1000;
    const altered = mutant === undefined ? null : await run(task, mutant.task, task.functions);
    const word = mutant === undefined ? 'nothing to alter' : `${mutant.kind}: ${altered?.reason ?? 'passed'}`;
    said[word] = (said[word] ?? 0) + 1;
    rows.push({
      ...{ wall: timings.wallSeconds, cpu: report?.cpuSeconds ?? 0, copies: report?.copySeconds ?? 0, altering },
      altered: altered?.timings.wallSeconds ?? 0,
      code: report?.code.length ?? 0,
    });
  }
  const median = (of: (row: (typeof rows)[number]) => number): string => {
    const sorted = rows.map(of).sort((a, b) => a - b);
    return `${(sorted[Math.floor((sorted.length - 1) / 2)] ?? NaN).toFixed(3)} s`;
  };
  console.log(`npx tsx bench/repocraft/negative-controls.ts --tasks ${values.tasks}`);
  console.log(`${cpus().length} x ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`);
  console.log(`${passed} of ${rows.length} tasks passed on the reference; medians a task:`);
  console.log(
    `  a run with C1                       wall ${median(({ wall }) => wall)}  CPU ${median(({ cpu }) => cpu)}`,
  );
  console.log(`  of it waiting for copies            wall ${median(({ copies }) => copies)}`);
  console.log(`  in two rounds without copies        ${withoutCopies} of ${rows.length}`);
  console.log(
    `  code told of, or nobody knows       at most ${Math.max(...rows.map(({ code }) => code))}, ${unwatched}`,
  );
  console.log(`  C2: altering the test               wall ${median(({ altering }) => altering)}`);
  console.log(`  C2: running it                      wall ${median(({ altered }) => altered)}`);
  console.log('the first altered test of each task, on the reference:');
  for (const [word, count] of Object.entries(said).sort()) console.log(`  ${word.padEnd(32)} ${count}`);
} finally {
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
}

async function mutants(task: RepocraftTask): Promise<Mutant[]> {
  const context = {
    ...{ sandbox, suiteFolder, signal, heartbeat: () => undefined, owner: { kind: 'trial' as const, id: 'bench' } },
    campaign: { id: 'bench', spec: campaignSpec({ suite: 'repocraft', systems: [] }) },
  };
  const { test_code, functions, id } = task;
  const request = { task: test_code, adapted: test_code, functions, seed: id, limit: 4 };
  return (await runPythonTool<{ mutants: Mutant[] }>(context, { ...MUTATE, request })).mutants;
}
