/**
 * What judging a trial of Artisan-Bench takes beside its scripts: the reference of every table is judged as a trial (the whole
 * artifact, withheld files, every twin, nothing remembered, one run at a time), and then the same scripts are run on the same artifacts
 * by plain `docker run`, untraced.
 *
 *   npx tsx bench/artisan/against-bare.ts [--studies silver,ozone]
 *
 * Prints a line of JSON for each table and one for all: seconds of the clock of the trial and of its bare scripts, and how many runs.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { readEnvironment } from '../../src/config/env.js';
import { runTrial, systemSpec } from '../../src/fakes/suite-bench.js';
import type { SandboxRun } from '../../src/ports/sandbox.js';
import { ARTIFACT_PATH } from '../../tasks/artisan/dataset/artisan-task.js';
import { buildImagesOf, STUDIES } from '../../tasks/artisan/dataset/selection.js';
import { openArtisanBench, tasksOf } from '../../tests/fixtures/artisan/artisan-bench.js';
import { ensureImages } from '../../tests/fixtures/docker/ensure-images.js';

const { values } = parseArgs({ options: { studies: { type: 'string' } } });
const studies = values.studies?.split(',') ?? [...STUDIES];

const folder = await mkdtemp(join(tmpdir(), 'durabench-bare-'));
const opened = await openArtisanBench(buildImagesOf(studies));
const sums = { tables: 0, runs: 0, trial: 0, bare: 0 };
try {
  const bench = { ...opened.bench, spec: { ...opened.bench.spec, judge: { remember: false } } };
  const system = systemSpec({ id: 'reference', generator: 'reference' });
  for await (const task of tasksOf(studies, opened)) {
    opened.runs.length = 0;
    const [trial, { verdict }] = await timed(() => runTrial(bench, { system, task }));
    const scripts = opened.runs.filter(({ files }) => files?.['repro.sh'] !== undefined);
    let bare = 0;
    for (const [index, run] of scripts.entries()) bare += await bareSeconds(run, index === 0);
    sums.tables += 1;
    sums.runs += scripts.length;
    sums.trial += trial;
    sums.bare += bare;
    print({ table: task.id, passed: verdict.passed, runs: scripts.length, trial, bare });
  }
  print({ ...sums, ratio: sums.trial / sums.bare, load: loadavg()[0] });
} finally {
  await opened.close();
  await rm(folder, { recursive: true, force: true });
}

/**
 * What its files take to be unpacked is not counted; a trial's are, once for each content. `isWhole`: it has the whole artifact, and must
 * end well; without a file that it reads it does not.
 */
async function bareSeconds({ image, files, mounts }: SandboxRun, isWhole: boolean): Promise<number> {
  const [tag = ''] = await ensureImages(readEnvironment().cacheDir, image);
  const [artifact, script] = [join(folder, mounts[0]!.sha256), join(folder, 'script')];
  await mkdir(script, { recursive: true });
  await writeFile(join(script, 'repro.sh'), files!['repro.sh']!);
  if ((await mkdir(artifact, { recursive: true })) !== undefined) {
    const tar = spawn('tar', ['-xf', '-', '-C', artifact], { stdio: ['pipe', 'inherit', 'inherit'] });
    await Promise.all([pipeline(await mounts[0]!.load(), tar.stdin), once(tar, 'close')]);
  }
  const command = [
    ...['run', '--rm', '--network', 'none', '--tmpfs', '/tmp', '--tmpfs', '/work:exec,mode=1777', '--workdir', '/work'],
    ...[
      '--volume',
      `${artifact}:${ARTIFACT_PATH}:ro`,
      '--volume',
      `${script}:/script:ro`,
      tag,
      'bash',
      '/script/repro.sh',
    ],
  ];
  let said = '';
  const [seconds, code] = await timed(async () => {
    const run = spawn('docker', command, { stdio: ['ignore', 'ignore', 'pipe'] });
    run.stderr.on('data', (piece: Buffer) => (said = (said + piece.toString()).slice(-2_000)));
    return ((await once(run, 'close')) as [number])[0];
  });
  if (isWhole && code !== 0) throw new Error(`the bare script ended with ${code} on ${image}: ${said}`);
  return seconds;
}

async function timed<Value>(work: () => Promise<Value>): Promise<[number, Value]> {
  const started = performance.now();
  const value = await work();
  return [(performance.now() - started) / 1000, value];
}

function print(line: Record<string, unknown>): void {
  const rounded = (value: unknown): unknown => (typeof value === 'number' ? Math.round(value * 100) / 100 : value);
  console.log(JSON.stringify(Object.fromEntries(Object.entries(line).map(([key, value]) => [key, rounded(value)]))));
}
