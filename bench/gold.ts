/**
 * What grading costs beyond the tests themselves: a gold campaign on the tasks of a project (oracle voter, a container a
 * slot, the whole engine) against bare pytest on the same slices.
 *
 *   npm run build && npx tsx bench/gold.ts [--project requests] [--rounds 3] [--tasks 1000] [--slots 2]
 *
 * Bare pytest runs in one container of the same image, which is only the place where the processes run: no limits, no
 * runner, nothing started per task but `python -m pytest`. (a) `each`: one process a task, as many at once as the campaign
 * has sandbox slots; (b) `once`: one process for all. Rounds take turns, so that a busy machine is busy for all three.
 * Prints one JSON line a round and one with the medians; CPU of the campaign is that of the whole machine.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createFileBlobs } from '../src/adapters/blobs/file-blobs.js';
import { packTar } from '../src/adapters/docker/tar-archive.js';
import type { FullReport } from '../src/report/full-report.js';
import { readProjectSettings } from '../tasks/repocraft/dataset/project-settings.js';
import type { RepocraftTask } from '../tasks/repocraft/dataset/repocraft-task.js';
import { referencePackage } from '../tasks/repocraft/dataset/task-blobs.js';
import { readLock } from '../tasks/repocraft/dataset/dataset-lock.js';
import { createCliProject, type CliProject } from '../tests/fixtures/cli-project.js';
import { PACKAGE_ROOT } from '../tests/fixtures/engine.js';
import { untilInterrupted } from './until-interrupted.js';

const suiteFolder = join(PACKAGE_ROOT, 'tasks', 'repocraft');
const { values } = parseArgs({
  options: {
    project: { type: 'string', default: 'requests' },
    rounds: { type: 'string', default: '3' },
    tasks: { type: 'string', default: '1000' },
    slots: { type: 'string', default: '2' },
  },
});
const [rounds, limit, slots] = [Number(values.rounds), Number(values.tasks), Number(values.slots)];
const library = values.project;

/** One way to run the tests. Seconds. */
interface Measured {
  passed: number | string;
  wallSeconds: number;
  cpuSeconds: number;
}
type Round = Record<'campaign' | 'each' | 'once', Measured>;

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
  await Promise.all([project.json(['up']), project.json(['images', 'build', `repocraft-${library}`])]);
  await project.json(['dataset', 'fetch', 'repocraft', '--project', library]);
  const { images } = await project.json<{ images: { name: string; tag: string }[] }>(['images', 'check']);
  const image = images.find(({ name }) => name === `repocraft-${library}`)?.tag ?? '';
  const tasks = await storedTasks(project);
  await writeFile(join(project.folder, 'gold.yaml'), campaignFile(tasks));
  const slices = await slicesTar(project, tasks);
  const results: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const each = await bare({ image, slices, arguments: ['each', String(slots)] });
    const campaign = await runCampaign(project);
    const once = await bare({ image, slices, arguments: ['once'] });
    results.push({ campaign, each, once });
    process.stdout.write(`${JSON.stringify({ round, load: loadavg()[0], campaign, each, once })}\n`);
  }
  process.stdout.write(`${JSON.stringify({ tasks: tasks.length, ...summary(results) }, null, 2)}\n`);
}

async function storedTasks({ stateDir }: CliProject): Promise<RepocraftTask[]> {
  const blobs = createFileBlobs({ folder: join(stateDir, 'blobs') });
  const { tasks } = await readLock(library, suiteFolder);
  const texts = tasks.slice(0, limit).map(({ sha256 }) => blobs.get(sha256));
  return (await Promise.all(texts)).map((bytes) => JSON.parse(bytes.toString('utf8')) as RepocraftTask);
}

function campaignFile(tasks: readonly RepocraftTask[]): string {
  return `
name: bench-gold
suite: repocraft
dataset: { projects: [${library}], tasks: [${tasks.map(({ id }) => id).join(', ')}] }
systems:
  - { id: gold, generator: gold, vote: { voter: oracle } }
concurrency: { sandbox: ${slots} }
`;
}

/** Every task in a folder of its own, the reference, and the script that runs them, as one tar. */
async function slicesTar({ stateDir }: CliProject, tasks: readonly RepocraftTask[]): Promise<Buffer> {
  const settings = await readProjectSettings(library, suiteFolder);
  const reference = await referencePackage(createFileBlobs({ folder: join(stateDir, 'blobs') }), settings);
  const script = await readFile(join(PACKAGE_ROOT, 'bench', 'python', 'bare_pytest.py'));
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

async function bare(run: { image: string; slices: Buffer; arguments: string[] }): Promise<Measured> {
  const script =
    'cd /bench && tar xf - && mkdir library && tar xf library.tar -C library && exec python3 bare_pytest.py "$@"';
  const place = [
    ...['--rm', '-i', '--name', container, '--network', 'none'],
    ...['--tmpfs', '/bench:exec', '--tmpfs', '/tmp:exec'],
  ];
  const child = spawn('docker', ['run', ...place, run.image, 'sh', '-c', script, 'bench', ...run.arguments], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(run.slices);
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  return JSON.parse(output) as Measured;
}

/** Wall from the first record to the closed books, as the report has it. */
async function runCampaign(project: CliProject): Promise<Measured> {
  const cpuBefore = machineCpuSeconds();
  const { stdout, stderr } = await project.durabench('run', 'gold.yaml', '--json');
  const cpuSeconds = machineCpuSeconds() - cpuBefore;
  if (!stdout.startsWith('{')) throw new Error(stderr);
  const { campaign_id: id } = JSON.parse(stdout.split('\n')[0] ?? '') as { campaign_id: string };
  const text = await readFile(join(project.stateDir, 'reports', id, 'report.json'), 'utf8');
  const report = JSON.parse(text) as FullReport;
  const wallSeconds = (Date.parse(report.ended_at ?? '') - Date.parse(report.created_at)) / 1000;
  return { passed: report.trials.passed, wallSeconds, cpuSeconds };
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
  return {
    machine: { cores: cpus().length, memoryGiB: Math.round(totalmem() / 1024 ** 3) },
    command: process.argv.slice(1).join(' ').replaceAll(`${PACKAGE_ROOT}/`, ''),
    ...{ project: library, rounds: results.length, slots },
    medianWallSeconds: {
      campaign: median((round) => round.campaign.wallSeconds),
      each: median((round) => round.each.wallSeconds),
      once: median((round) => round.once.wallSeconds),
    },
    ratio: {
      toEach: median((round) => round.campaign.wallSeconds / round.each.wallSeconds),
      toOnce: median((round) => round.campaign.wallSeconds / round.once.wallSeconds),
    },
  };
}
