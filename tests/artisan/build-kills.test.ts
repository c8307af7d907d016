import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFileBlobs } from '../../src/adapters/blobs/file-blobs.js';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { contentVolume } from '../../src/adapters/docker/volumes/content-volumes.js';
import { readEnvironment } from '../../src/config/env.js';
import { sha256Hex } from '../../src/domain/text/content-hash.js';
import { readStackState } from '../../src/stack/stack-state.js';
import { readJsonBlob } from '../../src/suite-kit/json-blobs.js';
import { unpackFiles } from '../../src/suite-kit/packed-files.js';
import type { ArtisanTask } from '../../tasks/artisan/dataset/artisan-task.js';
import { containersOf } from '../fixtures/agents/killed-agents.js';
import { scriptRuns, type ScriptRun } from '../fixtures/artisan/script-runs.js';
import { CampaignRecord } from '../fixtures/chaos/campaign-record.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { killService } from '../fixtures/cli/kill-service.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { waitUntil } from '../fixtures/wait-until.js';

// The worker is killed while a study is built, and in a run that lasts longer than a lease; nobody does anything then. In a copy
// of the package, since a build writes into its checkout.

const PARTS = ['bin', 'deploy', 'dist', 'package.json', 'tasks'];
const DATASET = join('tasks', 'artisan', 'dataset');
const MADE = [join(DATASET, 'locks', 'silver.lock.json'), join(DATASET, 'funnel', 'verdicts', 'silver.json')];
const NOTES = 'runs-of-scripts.txt';
/** The longest lease is that of a worker, 30 s: a run lasts longer, before the kill and after it. */
const [LEASE_MS, RUN_SECONDS] = [30_000, 45];

const docker = connectDocker();
let checkout: string;
let project: CliProject;

beforeAll(async () => {
  await ensureImages(readEnvironment().cacheDir, 'base', 'artisan-python');
  checkout = await mkdtemp(join(tmpdir(), 'durabench-checkout-'));
  for (const part of PARTS) await cp(join(PACKAGE_ROOT, part), join(checkout, part), { recursive: true });
  await symlink(join(PACKAGE_ROOT, 'node_modules'), join(checkout, 'node_modules'));
  await noteRuns();
  project = await createCliProject({}, checkout);
  await project.json(['up']);
});

afterAll(async () => {
  await project?.close();
  if (checkout) await rm(checkout, { recursive: true, force: true });
});

const made = (root: string): Promise<string[]> => Promise.all(MADE.map((path) => readFile(join(root, path), 'utf8')));

/** Has every run of a script noted when it begins: hash of the script and of the artifact, a line each. */
async function noteRuns(): Promise<void> {
  const folder = join(checkout, 'dist', 'tasks', 'artisan', 'runs');
  await rename(join(folder, 'run-script.js'), join(folder, 'run-script-itself.js'));
  const noting = [
    "import { appendFileSync } from 'node:fs';",
    "import { createHash } from 'node:crypto';",
    "import { runScript as run } from './run-script-itself.js';",
    "export * from './run-script-itself.js';",
    'export const runScript = (script, options) => {',
    "  const hash = createHash('sha256').update(script).digest('hex');",
    `  appendFileSync(${JSON.stringify(join(checkout, NOTES))}, \`\${hash} \${options.artifact}\\n\`);`,
    '  return run(script, options);',
    '};',
  ];
  await writeFile(join(folder, 'run-script.js'), noting.join('\n'));
}

/** The runs that were begun, oldest first. */
const notedRuns = async (): Promise<string[]> =>
  (await readFile(join(checkout, NOTES), 'utf8')).split('\n').filter((line) => line !== '');

/** Runs of scripts of the project's worker. */
async function ownRuns(): Promise<ScriptRun[]> {
  const pid = String(readStackState(project.stateDir)?.services.worker.process?.pid);
  return (await scriptRuns(docker, 'judged')).filter(({ instance }) => instance.split('/')[1] === pid);
}

/** What a kill of the worker hit. */
interface Hit {
  run: ScriptRun;
  /** The run as it was noted. */
  noted: string;
  /** Those that were the last ones begun when a kill came too late for them: they had ended, and may not have been kept yet. */
  missed: string[];
}

/** Kills the worker in the middle of a run, which went on when its worker was dead. */
async function killIn(isIt: (run: ScriptRun) => boolean): Promise<Hit> {
  const missed: string[] = [];
  for (;;) {
    const run = await waitUntil(async () => (await ownRuns()).find(isIt), { intervalMs: 20 });
    if (run === undefined) throw new Error('no such run was ever under way');
    await killService(project.stateDir, 'worker');
    const left = await scriptRuns(docker, 'judged');
    const noted = (await notedRuns()).at(-1) ?? '';
    if (left.some(({ container }) => container === run.container)) return { run, noted, missed };
    missed.push(noted);
  }
}

async function builtTask(): Promise<ArtisanTask> {
  const { tasks } = JSON.parse((await made(PACKAGE_ROOT))[0] ?? '') as { tasks: { sha256: string }[] };
  return readJsonBlob(blobs(), tasks[0]?.sha256 ?? '');
}

const blobs = () => createFileBlobs({ folder: join(project.stateDir, 'blobs') });

test('a build whose worker is killed in a run of the reference and in one on a twin makes the same lock, and repeats no run that had ended', async () => {
  await Promise.all(MADE.map((path) => rm(join(checkout, path))));
  const building = project.start('dataset', 'build', 'artisan', '--project', 'silver');
  let said = '';
  for (const stream of [building.stdout, building.stderr])
    stream?.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const ended = once(building, 'close') as Promise<[number | null]>;
  // Artifacts in the order of their runs: whole, without result files, twins.
  const seen: string[] = [];
  const nth = ({ volumes }: ScriptRun): number => {
    const [volume = ''] = volumes;
    if (!seen.includes(volume)) seen.push(volume);
    return seen.indexOf(volume);
  };
  const hits = [await killIn((run) => nth(run) === 0), await killIn((run) => nth(run) >= 2)];
  expect({ end: await ended, said }).toMatchObject({ end: [0, null] });
  expect(await made(checkout)).toEqual(await made(PACKAGE_ROOT));
  const { artifacts, twins } = await builtTask();
  const volumeOf = ({ sha256 }: { sha256: string }): string => contentVolume({ sha256, path: '/artifact' });
  const [reference, twin] = hits.map(({ run }) => run.volumes);
  expect(reference).toEqual([volumeOf(artifacts.whole)]);
  expect(twins.map(({ artifact }) => [volumeOf(artifact)])).toContainEqual(twin);

  const counts = new Map<string, number>();
  for (const noted of await notedRuns()) counts.set(noted, (counts.get(noted) ?? 0) + 1);
  // Of each of two tables the reference and three copies or more, and the reference without result files and on two twins.
  expect(counts.size).toBeGreaterThanOrEqual(14);
  const hit = hits.map(({ noted }) => noted);
  for (const [index, { run }] of hits.entries())
    expect(run.volumes).toEqual([volumeOf({ sha256: hit[index]?.split(' ')[1] ?? '' })]);
  const again = [...counts].filter(([, times]) => times > 1);
  expect(again.map(([noted]) => noted)).toEqual(expect.arrayContaining(hit));
  const missed = hits.flatMap((each) => each.missed);
  for (const [noted, times] of again)
    expect(times - 1, noted).toBeLessThanOrEqual([...hit, ...missed].filter((each) => each === noted).length);
});

test('a run longer than every lease, its worker killed once, is done again once and judged as ever', async () => {
  await project.json(['dataset', 'fetch', 'artisan', '--project', 'silver']);
  const task = await builtTask();
  const [path = ''] = /(?<=\/artifact\/)data\/[\w.]+/.exec(task.scripts.reference) ?? [];
  const hash = sha256Hex((await unpackFiles(blobs(), task.artifacts.whole.sha256)).get(path) ?? '');
  // Slow on the whole artifact alone: neither on a twin nor without result files.
  const isWhole = `[ -d /artifact/results ] && sha256sum /artifact/${path} | grep -q ${hash}`;
  const script = `if ${isWhole}; then sleep ${RUN_SECONDS}; fi\n${task.scripts.reference}`;
  const folder = join(project.folder, 'scripts', task.id);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'repro.sh'), script);
  const campaign = {
    ...{ name: 'long', suite: 'artisan', dataset: { tasks: [task.id] }, judge: { remember: false } },
    systems: [{ id: 'slow', generator: 'snapshot', path: 'scripts' }],
  };
  await writeFile(join(project.folder, 'long.yaml'), stringify(campaign));
  const cli = project.start('run', 'long.yaml', '--json');
  cli.stdout?.resume();
  cli.stderr?.resume();
  const ended = once(cli, 'close') as Promise<[number | null]>;
  const begun = await waitUntil(async () => (await ownRuns())[0]);
  await sleep(LEASE_MS + 1_000);
  const hit = await killIn(() => true);
  expect(hit.run.container).toBe(begun?.container);
  expect(await ended).toEqual([0, null]);

  const record = new CampaignRecord(async () => readStackState(project.stateDir)?.addresses.databaseUrl ?? '');
  const id = (await record.campaignNamed('long')) ?? '';
  const [trial] = await record.trials(id);
  expect(trial).toMatchObject({ outcome: 'passed', reason: null });
  expect(await record.evidence(trial?.id ?? '', 'repro.sh')).toEqual([sha256Hex(script)]);
  const whole = (await record.steps(id)).filter(({ step }) => step === 'judge/whole');
  expect(whole.map(({ startedAt, endedAt }) => endedAt - startedAt > LEASE_MS)).toEqual([true]);
  expect([await record.stepsAgain(id, 'judge/whole'), await record.stepsAgain(id, '')]).toEqual([1, 1]);
  await project.json(['clean', '--yes']);
  expect(await waitUntil(async () => (await containersOf(docker, id)).length === 0)).toBe(true);
});
