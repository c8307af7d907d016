/**
 * What grading costs beyond the tests themselves: one gold campaign on the tasks of some projects (oracle voter, a container
 * a slot, the whole engine) against bare pytest on the same slices.
 *
 *   npm run build && npx tsx bench/repocraft/gold.ts [--projects requests,django | --projects all] [--rounds 3] [--tasks 1000] [--slots 2]
 *
 * Bare pytest runs in one container of each project's image, which is only the place where the processes run: no limits, no
 * runner, nothing started per task but `python -m pytest`. (a) `each`: one process a task, as many at once as the campaign
 * has sandbox slots; (b) `once`: one process for all of a project. Projects follow one another; `--tasks`: of each. Rounds take turns, so that
 * a busy machine is busy for all three. Prints one JSON line a round and one with the medians; CPU and memory of the
 * campaign are those of the whole machine.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createFileBlobs } from '../../src/adapters/blobs/file-blobs.js';
import { packTar } from '../../src/adapters/docker/engine/tar-archive.js';
import type { FullReport } from '../../src/report/full-report.js';
import { readStackState } from '../../src/stack/stack-state.js';
import { BENCHMARK_PROJECTS, readProjectSettings } from '../../tasks/repocraft/dataset/project-settings.js';
import type { RepocraftTask } from '../../tasks/repocraft/dataset/repocraft-task.js';
import { referencePackage } from '../../tasks/repocraft/dataset/task-blobs.js';
import { readLock } from '../../tasks/repocraft/dataset/lock/dataset-lock.js';
import { createCliProject, type CliProject } from '../../tests/fixtures/cli/cli-project.js';
import { PACKAGE_ROOT } from '../../tests/fixtures/package-root.js';
import { untilInterrupted } from '../until-interrupted.js';

const suiteFolder = join(PACKAGE_ROOT, 'tasks', 'repocraft');
const { values } = parseArgs({
  options: {
    projects: { type: 'string', default: 'requests' },
    rounds: { type: 'string', default: '3' },
    tasks: { type: 'string', default: '1000' },
    slots: { type: 'string', default: '2' },
  },
});
const [rounds, limit, slots] = [Number(values.rounds), Number(values.tasks), Number(values.slots)];
const libraries = values.projects === 'all' ? [...BENCHMARK_PROJECTS] : values.projects.split(',');

/** One way to run the tests. Seconds. */
interface Measured {
  passed: number | string;
  wallSeconds: number;
  cpuSeconds: number;
}
/** By project. */
type Bare = Record<string, Measured>;
interface Round {
  campaign: Measured & { memoryMiB: number; runs: RunsOfProject[] };
  each: Bare;
  once: Bare;
}

/** What the runs of a project's tests took in their containers, in seconds. */
interface RunsOfProject {
  project: string;
  runs: number;
  cpuMedian: number;
  cpuP95: number;
  wallMedian: number;
  wallP95: number;
}

/** One at a time, each named so that it can be ended from here. */
const container = `durabench-bench-gold-${process.pid}`;

const project = await createCliProject();
try {
  await untilInterrupted(measure(project));
} finally {
  // The client may be gone, the container not.
  spawnSync('docker', ['rm', '--force', container], { stdio: 'ignore' });
  await project.close();
}

async function measure(project: CliProject): Promise<void> {
  const images = libraries.map((library) => `repocraft-${library}`);
  await Promise.all([project.json(['up']), project.json(['images', 'build', ...images])]);
  await project.json(['dataset', 'fetch', 'repocraft', '--project', libraries.join(',')]);
  const slices = await Promise.all(libraries.map((library) => slicesOf(project, library)));
  await writeFile(join(project.folder, 'gold.yaml'), campaignFile(slices.flatMap(({ ids }) => ids)));
  const results: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const each = await bareOnAll(slices, ['each', String(slots)]);
    const campaign = await runCampaign(project);
    const once = await bareOnAll(slices, ['once']);
    results.push({ campaign, each, once });
    process.stdout.write(`${JSON.stringify({ round, load: loadavg()[0], campaign, each, once })}\n`);
  }
  process.stdout.write(`${JSON.stringify(summary(results), null, 2)}\n`);
}

/** The tests of one project as bare pytest gets them. */
interface Slices {
  library: string;
  image: string;
  ids: string[];
  /** Every task in a folder of its own, the reference, and the script that runs them. */
  tar: Buffer;
}

async function slicesOf(project: CliProject, library: string): Promise<Slices> {
  const { images } = await project.json<{ images: { name: string; tag: string }[] }>(['images', 'check']);
  const image = images.find(({ name }) => name === `repocraft-${library}`)?.tag ?? '';
  const tasks = await storedTasks(project, library);
  return { library, image, ids: tasks.map(({ id }) => id), tar: await slicesTar(project, library, tasks) };
}

async function storedTasks({ stateDir }: CliProject, library: string): Promise<RepocraftTask[]> {
  const blobs = createFileBlobs({ folder: join(stateDir, 'blobs') });
  const { tasks } = await readLock(library, suiteFolder);
  const texts = tasks.slice(0, limit).map(({ sha256 }) => blobs.get(sha256));
  return (await Promise.all(texts)).map((bytes) => JSON.parse(bytes.toString('utf8')) as RepocraftTask);
}

function campaignFile(ids: readonly string[]): string {
  return `
name: bench-gold
suite: repocraft
dataset: { projects: [${libraries.join(', ')}], tasks: [${ids.join(', ')}] }
systems:
  - { id: gold, generator: gold, vote: { voter: oracle } }
concurrency: { sandbox: ${slots} }
`;
}

async function slicesTar({ stateDir }: CliProject, library: string, tasks: readonly RepocraftTask[]): Promise<Buffer> {
  const settings = await readProjectSettings(library, suiteFolder);
  const reference = await referencePackage(createFileBlobs({ folder: join(stateDir, 'blobs') }), settings);
  const script = await readFile(join(PACKAGE_ROOT, 'bench', 'repocraft', 'python', 'bare_pytest.py'));
  const files: Record<string, Uint8Array | string> = { 'bare_pytest.py': script, 'library.tar': reference };
  const list = tasks.map((task, index) => {
    const number = String(index + 1).padStart(3, '0');
    const file = `t${number}/test_${number}.py`;
    files[file] = task.test_code;
    for (const [path, text] of Object.entries(task.auxiliary_code)) files[`t${number}/${path}`] = text;
    return { file, select: task.functions };
  });
  files['tasks.json'] = JSON.stringify(list);
  return packTar(files);
}

async function bareOnAll(slices: readonly Slices[], command: readonly string[]): Promise<Bare> {
  const measured: Bare = {};
  for (const one of slices) measured[one.library] = await bare(one, command);
  return measured;
}

async function bare({ image, tar }: Slices, command: readonly string[]): Promise<Measured> {
  const script =
    'cd /bench && tar xf - && mkdir library && tar xf library.tar -C library && exec python3 bare_pytest.py "$@"';
  const place = [
    ...['--rm', '-i', '--name', container, '--network', 'none'],
    ...['--tmpfs', '/bench:exec', '--tmpfs', '/tmp:exec'],
  ];
  const child = spawn('docker', ['run', ...place, image, 'sh', '-c', script, 'bench', ...command], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(tar);
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  return JSON.parse(output) as Measured;
}

/** Wall from the first record to the closed campaign, as the report has it. */
async function runCampaign(project: CliProject): Promise<Round['campaign']> {
  const cpuBefore = machineCpuSeconds();
  const memory = watchMemory();
  const { stdout, stderr } = await project.durabench('run', 'gold.yaml', '--json').finally(() => memory.end());
  const [cpuSeconds, memoryMiB] = [machineCpuSeconds() - cpuBefore, memory.mostMiB()];
  if (!stdout.startsWith('{')) throw new Error(stderr);
  const { campaign_id: id } = JSON.parse(stdout.split('\n')[0] ?? '') as { campaign_id: string };
  const text = await readFile(join(project.stateDir, 'reports', id, 'report.json'), 'utf8');
  const report = JSON.parse(text) as FullReport;
  const wallSeconds = (Date.parse(report.ended_at ?? '') - Date.parse(report.created_at)) / 1000;
  return { passed: report.trials.passed, wallSeconds, cpuSeconds, memoryMiB, runs: await runsOf(project, id) };
}

async function runsOf({ stateDir }: CliProject, campaign: string): Promise<RunsOfProject[]> {
  const client = new pg.Client({ connectionString: readStackState(stateDir)?.addresses.databaseUrl });
  await client.connect();
  try {
    const percentile = (share: number, of: string, name: string): string =>
      `round(percentile_cont(${share}) within group (order by (steps.result ->> '${of}')::float)::numeric, 2)::float as "${name}"`;
    const { rows } = await client.query<RunsOfProject>(
      `select task_group as project, count(*)::int as runs,
         ${percentile(0.5, 'cpuSeconds', 'cpuMedian')}, ${percentile(0.95, 'cpuSeconds', 'cpuP95')},
         ${percentile(0.5, 'wallSeconds', 'wallMedian')}, ${percentile(0.95, 'wallSeconds', 'wallP95')}
       from steps join trials on trials.id = steps.owner_id join campaign_tasks using (campaign_id, task_id)
       where trials.campaign_id = $1 and stage = 'execute' and step = 'run' group by 1 order by 1`,
      [campaign],
    );
    return rows;
  } finally {
    await client.end();
  }
}

/** What the machine holds above what it held before, looked at every second. */
function watchMemory(): { mostMiB(): number; end(): void } {
  const before = availableMiB();
  let least = before;
  const timer = setInterval(() => (least = Math.min(least, availableMiB())), 1_000);
  return { mostMiB: () => Math.round(before - least), end: () => clearInterval(timer) };
}

function availableMiB(): number {
  return Number(/^MemAvailable:\s+(\d+)/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]) / 1024;
}

/** Busy time of all cores since boot: user, nice, system, irq, softirq. */
function machineCpuSeconds(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = (
    readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? ''
  )
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq) / 100;
}

function summary(results: readonly Round[]): object {
  const median = (of: (round: Round) => number): number => {
    const sorted = results.map(of).sort((a, b) => a - b);
    return Math.round((sorted[Math.floor(sorted.length / 2)] ?? 0) * 100) / 100;
  };
  const wallOf = (bare: Bare): number => Object.values(bare).reduce((sum, { wallSeconds }) => sum + wallSeconds, 0);
  return {
    machine: { cores: cpus().length, memoryGiB: Math.round(totalmem() / 1024 ** 3) },
    command: process.argv.slice(1).join(' ').replaceAll(`${PACKAGE_ROOT}/`, ''),
    ...{ projects: libraries, rounds: results.length, slots },
    medianWallSeconds: {
      campaign: median((round) => round.campaign.wallSeconds),
      each: median((round) => wallOf(round.each)),
      once: median((round) => wallOf(round.once)),
    },
    ratio: {
      toEach: median((round) => round.campaign.wallSeconds / wallOf(round.each)),
      toOnce: median((round) => round.campaign.wallSeconds / wallOf(round.once)),
    },
  };
}
