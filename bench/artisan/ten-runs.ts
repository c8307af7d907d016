/**
 * Runs the reference script of every table ten times, each run anew (`judge: { remember: false }`), and writes how often it passes with
 * the method that the task names. Tables with cells of chance get a seed of their own each time, none of those that their bounds were
 * made with.
 *
 *   npx tsx bench/artisan/ten-runs.ts [--studies silver,ozone] [--runs 10]
 *   npx prettier --write docs/results/artisan-runs.md
 *
 * Adds a line for each table to docs/results/artisan-runs.jsonl, in the place of an earlier one, and writes
 * docs/results/artisan-runs.md; with `--studies none` the page alone.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { TaskSummary } from '../../src/contract/task.js';
import { runTrial, systemSpec } from '../../src/fakes/suite-bench.js';
import { packFiles } from '../../src/suite-kit/packed-files.js';
import { readJsonBlob } from '../../src/suite-kit/json-blobs.js';
import type { ArtisanTask } from '../../tasks/artisan/dataset/artisan-task.js';
import { buildImagesOf, STUDIES } from '../../tasks/artisan/dataset/selection.js';
import { statusOf } from '../../tasks/artisan/judge/verdict.js';
import { openArtisanBench, tasksOf, type ArtisanBench } from '../../tests/fixtures/artisan/artisan-bench.js';

const RESULTS = join(import.meta.dirname, '..', '..', 'docs', 'results');
const [LINES, PAGE] = [join(RESULTS, 'artisan-runs.jsonl'), join(RESULTS, 'artisan-runs.md')];
/** Bounds of cells of chance come from the seeds 1 to 10. */
const FIRST_SEED = 101;

/** A line of the record. */
interface TableRuns {
  table: string;
  at: string;
  /** sha-256 of the task. */
  task: string;
  best: ArtisanTask['best'];
  /** Hidden cells that chance has a hand in. */
  chance: number;
  runs: number;
  /** Status of a trial, or the reason why it failed → how often. */
  ends: Record<string, number>;
  /** Of the containers of one trial, the median. */
  seconds: number;
  load: number;
}

const { values } = parseArgs({
  options: { studies: { type: 'string' }, runs: { type: 'string', default: '10' } },
});
const studies = values.studies === 'none' ? [] : (values.studies?.split(',') ?? [...STUDIES]);
const runs = Number(values.runs);

void main();

async function main(): Promise<void> {
  const opened = await openArtisanBench(buildImagesOf(studies));
  try {
    for await (const summary of tasksOf(studies, opened)) await record(await ran(opened, summary));
  } finally {
    await opened.close();
  }
  await writeFile(PAGE, page(await recorded()));
}

async function ran(opened: ArtisanBench, summary: TaskSummary): Promise<TableRuns> {
  const { bench } = opened;
  const task = await readJsonBlob<ArtisanTask>(bench.blobs, summary.sha256);
  const anew = { ...bench, spec: { ...bench.spec, judge: { remember: false } } };
  const chance = chanceCells(task);
  const ends: Record<string, number> = {};
  const seconds: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const system =
      chance === 0 ? systemSpec({ id: 'reference', generator: 'reference' }) : await seeded(opened, task, run);
    const { verdict } = await runTrial(anew, { system, task: summary });
    const end = verdict.reasons[0] ?? statusOf(verdict.metrics) ?? 'none';
    ends[end] = (ends[end] ?? 0) + 1;
    seconds.push(verdict.metrics.seconds ?? 0);
  }
  const line: TableRuns = {
    ...{ table: task.id, at: new Date().toISOString(), task: summary.sha256, best: task.best, chance, runs, ends },
    seconds: seconds.sort((left, right) => left - right)[Math.floor(runs / 2)] ?? 0,
    load: Math.round(loadavg()[0]!),
  };
  console.log(JSON.stringify(line));
  return line;
}

/** The reference as somebody's script, with a seed. */
async function seeded({ bench }: ArtisanBench, { id, scripts }: ArtisanTask, run: number) {
  const script = `export SEED=${FIRST_SEED + run}\n${scripts.reference}`;
  const tar = await packFiles(new Map([[`${id}/repro.sh`, Buffer.from(script)]]));
  const { sha256 } = await bench.blobs.put(tar, { name: 'scripts.tar', mediaType: 'application/x-tar' });
  const snapshot = { sha256, sizeBytes: tar.length, files: 1 };
  return systemSpec({ id: 'reference', generator: 'snapshot', path: '.', snapshot });
}

const chanceCells = ({ shape }: ArtisanTask): number =>
  shape.rows.reduce((sum, { intervals = {} }) => sum + Object.keys(intervals).length, 0);

async function recorded(): Promise<TableRuns[]> {
  const text = await readFile(LINES, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as TableRuns);
}

async function record(line: TableRuns): Promise<void> {
  const all = [...(await recorded()).filter(({ table }) => table !== line.table), line];
  const sorted = all.sort((left, right) => (left.table < right.table ? -1 : 1));
  await writeFile(LINES, sorted.map((each) => `${JSON.stringify(each)}\n`).join(''));
}

function page(lines: readonly TableRuns[]): string {
  const passed = ({ ends, best }: TableRuns): number => ends[best] ?? 0;
  const whole = lines.filter((line) => passed(line) === line.runs);
  const rows = lines.map((line) => {
    const others = Object.entries(line.ends).filter(([end]) => end !== line.best);
    const rest = others.map(([end, count]) => `${count} × \`${end}\``).join(', ');
    const cells = [
      line.table,
      line.best,
      line.chance,
      `${passed(line)} of ${line.runs}`,
      rest,
      line.seconds.toFixed(1),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return `# Whether references pass, each time

\`\`\`sh
npx tsx bench/artisan/ten-runs.ts
\`\`\`

Reference scripts of Artisan-Bench, each table judged again and again as a trial: the whole artifact, withheld files, every twin, nothing remembered. Passed means the method that the task names. Tables with cells of chance were run with other seeds than those that their bounds come from. Written by the command above from \`artisan-runs.jsonl\`, which has hash of the task, time and load of each.

**${whole.length} of ${lines.length} tables passed every time.**

| table | method | cells of chance | passed | other ends | seconds of a trial |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}
