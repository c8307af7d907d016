import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SystemSpec } from '../../src/contract/campaign.js';
import type { TaskSummary } from '../../src/contract/task.js';
import type { Verdict } from '../../src/contract/verdict.js';
import { runTrial, systemSpec } from '../../src/fakes/suite-bench.js';
import { datasetDigest } from '../../src/domain/campaign/dataset-digest.js';
import { sha256Hex } from '../../src/domain/text/content-hash.js';
import { packFiles, unpackFiles } from '../../src/suite-kit/packed-files.js';
import type { DatasetTools } from '../../src/suite/dataset.js';
import { readJsonBlob } from '../../src/suite-kit/json-blobs.js';
import { listByHand } from '../../tasks/artisan/calibration/by-hand.js';
import { artisanDataset } from '../../tasks/artisan/dataset/artisan-dataset.js';
import type { ArtisanTask } from '../../tasks/artisan/dataset/artisan-task.js';
import { longValues, tellingNumbers } from '../../tasks/artisan/dataset/paper.js';
import { buildImagesOf, IMAGES, STUDIES } from '../../tasks/artisan/dataset/selection.js';
import { copiedCells } from '../../tasks/artisan/judge/method.js';
import { judgeTrial } from '../../tasks/artisan/judge/verdict.js';
import { outputOf, runScript, type ScriptRun } from '../../tasks/artisan/runs/run-script.js';
import { openArtisanBench, type ArtisanBench } from '../fixtures/artisan/artisan-bench.js';
import { tellingIn, trackedTexts } from '../fixtures/artisan/told-values.js';
import { drawn, IS_WHOLE_RUN } from '../vitest/drawn.js';

// Tasks, made from their pinned packages and judged in real containers: the reference passes, and nothing that copies does. A sample
// of the studies; DURABENCH_ARTISAN_STUDIES="a b" names others, `all` means all of them (half an hour on two cores).

/** Of each language; and one whose best method is the last mile. */
const SAMPLE = ['silver', 'ozone', 'voles'];
const asked = process.env.DURABENCH_ARTISAN_STUDIES?.split(' ') ?? (IS_WHOLE_RUN ? ['all'] : SAMPLE);
// Tests of single scripts take these two.
const PROJECTS = asked.includes('all') ? [...STUDIES] : [...new Set(['silver', 'ozone', ...asked])];

/** Where a hidden value might have been written down. */
const FOLDERS = [
  ...['tasks/artisan', 'tests/artisan', 'tests/fixtures/artisan', 'examples/artisan-demo'],
  'docs/reference/datasets',
];

let opened: ArtisanBench;
let summaries: TaskSummary[];
let tasks: ArtisanTask[];
type Part = NonNullable<Parameters<DatasetTools['onProgress']>[1]>;
/** What was told while they were made, and what it came to. */
const parts: Part[] = [];
let fetched: Awaited<ReturnType<typeof artisanDataset.fetch>>;
/** sha-256 of the published data of silver. */
let published: string;

beforeAll(async () => {
  opened = await openArtisanBench(buildImagesOf(PROJECTS));
  const tools = { ...opened.tools, slots: 2, onProgress: (_: string, part?: Part) => void (part && parts.push(part)) };
  fetched = await artisanDataset.fetch({ projects: PROJECTS, verify: true }, tools);
  summaries = (await artisanDataset.select({ projects: PROJECTS }, 0, opened.bench.suiteFolder)).tasks;
  tasks = await Promise.all(summaries.map(({ sha256 }) => readJsonBlob<ArtisanTask>(opened.bench.blobs, sha256)));
  const whole = tasks.find(({ study }) => study === 'silver')?.artifacts.whole ?? { sha256: '' };
  published = sha256Hex((await unpackFiles(opened.bench.blobs, whole.sha256)).get('data/AtmWtAg.dat') ?? '');
});

afterAll(async () => opened?.close());

const summaryOf = (id: string): TaskSummary => {
  const found = summaries.find((task) => task.id === id);
  if (found === undefined) throw new Error(`no task ${id}`);
  return found;
};

async function verdictOf(
  id: string,
  system: Pick<SystemSpec, 'generator'> & Partial<SystemSpec>,
  judge = {},
): Promise<Verdict> {
  const bench = { ...opened.bench, spec: { ...opened.bench.spec, judge } };
  const { verdict } = await runTrial(bench, {
    system: systemSpec({ id: system.generator, ...system }),
    task: summaryOf(id),
  });
  return verdict;
}

/** A script of somebody's own, by path. */
async function judged(id: string, script: string | Uint8Array): Promise<Verdict> {
  const tar = await packFiles(new Map([[`${id}/repro.sh`, Buffer.from(script)]]));
  const { sha256 } = await opened.bench.blobs.put(tar, { name: 'scripts.tar', mediaType: 'application/x-tar' });
  return verdictOf(id, { generator: 'snapshot', path: '.', snapshot: { sha256, sizeBytes: tar.length, files: 1 } });
}

/** A run of a script on the whole artifact. */
async function tried(id: string, script: string, limits?: ArtisanTask['limits']): Promise<{ run: ScriptRun }> {
  const found = tasks.find((each) => each.id === id) ?? tasks[0]!;
  const task = limits === undefined ? found : { ...found, limits };
  const { blobs } = opened.bench;
  const owner = { campaignId: 'tests', ownerId: id };
  const place = { task, artifact: task.artifacts.whole.sha256, blobs, sandbox: opened.tools.sandbox };
  return { run: await runScript(script, { ...place, owner, signal: opened.tools.signal }) };
}

const taskOf = (id: string): ArtisanTask => tasks.find((each) => each.id === id) ?? tasks[0]!;

/** The copies that the repository holds; those made by rule have the values in them, on purpose. */
const authored = ({ scripts: { copies } }: ArtisanTask): string[] =>
  Object.entries(copies).flatMap(([name, script]) => (name.startsWith('printed') ? [] : [script]));

describe('the dataset', () => {
  test('is made study beside study, in the order and to the bytes of the lock', async () => {
    // The lock is held against what was made by `fetch` itself.
    expect(fetched).toEqual({ tasks: summaries.length, digest: datasetDigest(summaries) });
    expect(parts).toEqual(PROJECTS.map((_, index) => ({ ended: index + 1, of: PROJECTS.length })));
    const owners = opened.runs.map(({ owner }) => owner.ownerId.split('-')[0] ?? '');
    const of = (study: string, at: 'indexOf' | 'lastIndexOf'): number => owners[at](study);
    const [first = '', second = ''] = PROJECTS;
    expect(of(second, 'indexOf')).toBeLessThan(of(first, 'lastIndexOf'));
  });

  test('has the studies of its folder, and no hidden value in a script or a masked paper', async () => {
    const folder = join(opened.bench.suiteFolder, 'dataset', 'tasks');
    expect((await readdir(folder)).sort()).toEqual([...STUDIES]);
    expect(new Set(tasks.map(({ study }) => study))).toEqual(new Set(PROJECTS));
    for (const task of tasks) {
      const values = longValues({ shape: task.shape, values: task.printed });
      expect(values.length).toBeGreaterThanOrEqual(2);
      expect(tellingNumbers(task.paper, [{ shape: task.shape, values: task.printed }]), task.id).toEqual([]);
      for (const value of values)
        for (const text of [task.paper, task.scripts.reference, ...authored(task)]) expect(text).not.toContain(value);
    }
  });

  test('has no hidden value in any file of the suite and of its tests', () => {
    const telling = tellingIn(tasks);
    const texts = trackedTexts(...FOLDERS);
    expect(texts.size).toBeGreaterThan(300);
    const told = [...texts].flatMap(([path, text]) => telling(text).map((number) => `${path}: ${number}`));
    expect(told).toEqual([]);
    // It finds a value as it is printed, with another sign, and to fewer digits.
    const [first = ''] = tasks.flatMap((task) => longValues({ shape: task.shape, values: task.printed }));
    const value = Number(first);
    for (const text of [first, `x = -${value};`, `[${value.toPrecision(5)},1]`]) expect(telling(text)).toHaveLength(1);
  });

  test('has twins on which at least four of five cells are others, and every cell in one of them', () => {
    for (const { id, shape, printed, twins } of tasks) {
      expect(twins.length).toBeGreaterThanOrEqual(2);
      const hidden = shape.rows.flatMap(({ cells }) => Object.values(cells).filter((cell) => cell === 'hidden')).length;
      const changed = twins.map((twin) => copiedCells(shape, printed, twin).map((cell) => JSON.stringify(cell)));
      for (const cells of changed) expect(cells.length / hidden, id).toBeGreaterThanOrEqual(0.8);
      expect(new Set(changed.flat()).size, id).toBe(hidden);
    }
  });
});

/** Says the language, and fails where one of the packages is not there. */
const LOOKING: Readonly<Record<string, string[]>> = {
  R: [
    ...['Rscript', '-e'],
    'invisible(find.package(commandArgs(TRUE))); with(R.version, cat("R ", major, ".", sub("[.].*", "", minor), sep = ""))',
  ],
  Python: [
    ...['python3', '-c'],
    'import importlib, sys; [importlib.import_module(n) for n in sys.argv[1:]]; print("Python 3.%d" % sys.version_info[1], end="")',
  ],
};

test('what systems are told of an image is in it', async () => {
  const { sandbox, signal } = opened.tools;
  for (const image of new Set(tasks.map((task) => task.image))) {
    const { language = '', packages = [] } = IMAGES[image] ?? {};
    const { exitCode, stdout, stderr } = await sandbox.run({
      ...{ image, signal, mounts: [], poolKey: null, owner: { campaignId: 'tests', ownerId: image } },
      command: [...(LOOKING[language.split(' ')[0] ?? ''] ?? []), ...packages],
    });
    expect({ image, exitCode, stderr: stderr.bytes.toString() }).toEqual({ image, exitCode: 0, stderr: '' });
    expect(stdout.bytes.toString()).toBe(language);
  }
});

describe('of every task', () => {
  test('the reference script passes, by the method that the task names as the best', async () => {
    for (const { id, best } of tasks) {
      const { passed, reasons, metrics } = await verdictOf(id, { generator: 'reference' }, { remember: false });
      const { matched, full, lastMile } = metrics;
      expect({ id, passed, reasons, matched, full, lastMile }).toEqual({
        ...{ id, passed: true, reasons: [], matched: 1 },
        ...{ full: Number(best === 'full'), lastMile: Number(best === 'last-mile') },
      });
    }
  });

  test('a script that somebody wrote, and which computes in another way, passes as what it is', async () => {
    const written = await listByHand(opened.bench.suiteFolder);
    const own = tasks.filter(({ id }) => id in written);
    expect(own.length).toBeGreaterThanOrEqual(2);
    for (const { id } of own) {
      const { reasons, metrics } = await verdictOf(id, { generator: 'derived', options: { family: 'by-hand' } });
      const judged = metrics.full === 1 ? 'full' : metrics.lastMile === 1 ? 'last-mile' : reasons.join(', ');
      expect({ id, judged }).toEqual({ id, judged: written[id]?.label });
    }
  });

  test('no copy passes, though its table is right', async () => {
    const all = tasks.flatMap(({ id, scripts }) => Object.keys(scripts.copies).map((copy) => ({ id, copy })));
    // Of each kind of copy, in some of the tasks.
    const kinds = [...new Set(all.map(({ copy }) => copy))];
    const tried = kinds.flatMap((kind) =>
      drawn(
        all.filter(({ copy }) => copy === kind),
        3,
      ),
    );
    for (const { id, copy } of tried) {
      const { passed, reasons, metrics } = await verdictOf(id, { generator: 'copy', options: { copy } });
      const why = copy.startsWith('printed') ? /^copied\.(hard-coded|insensitive)$/ : /^copied\.result-file$/;
      expect(reasons[0], `${id}, ${copy}`).toMatch(why);
      expect({ id, copy, passed, matched: metrics.matched, copied: metrics.copied }).toEqual({
        ...{ id, copy, passed: false, matched: 1, copied: 1 },
      });
    }
  });

  test('no script is nothing', async () => {
    for (const { id } of tasks)
      expect(await verdictOf(id, { generator: 'null' })).toMatchObject({ passed: false, reasons: ['static.empty'] });
  });
});

describe('a script that', () => {
  /** The published table of a task as a script that prints it. */
  const printing = ({ shape, printed }: ArtisanTask, change = (value: string) => value): string => {
    const columns = shape.columns.map(({ key }) => key);
    const line = (cells: string[]): string => `| ${cells.join(' | ')} |`;
    const rows = shape.rows.map(({ key }) =>
      line([key, ...columns.map((column) => change(printed[key]?.[column] ?? ''))]),
    );
    const table = [line(['', ...columns]), line(['---', ...columns.map(() => '---')]), ...rows];
    return ['```table', ...table, '```'].join('\n');
  };
  const here = (text: string): string => `cat <<'END'\n${text}\nEND\n`;
  const task = (): ArtisanTask => taskOf('silver-fit');

  test('has the values in it is hard-coded, in plain text and encoded', async () => {
    const encoded = Buffer.from(printing(task())).toString('base64');
    for (const script of [here(printing(task())), `echo ${encoded} | base64 -d`])
      expect(await judged('silver-fit', script)).toMatchObject({
        reasons: ['copied.hard-coded'],
        metrics: { matched: 1 },
      });
  });

  test('has them in it by a trick that nobody decodes is copied still', async () => {
    const reversed = [...printing(task())].reverse().join('');
    expect(await judged('silver-fit', `printf '%s\\n' '${reversed}' | rev | tac`)).toMatchObject({
      reasons: ['copied.insensitive'],
      metrics: { copied: 1 },
    });
  });

  test('computes by another way and in another order of rows passes', async () => {
    const script = [
      "awk 'NR > 1 { n[$1]++; s[$1] += $2 - 107.868; q += ($2 - 107.868) ^ 2; N++; S += $2 - 107.868 }",
      'END { for (g in n) b += s[g] ^ 2 / n[g]; w = q - b; b -= S ^ 2 / N',
      '  print "```table\\n| | value |\\n|-|-|"',
      '  printf "| residual standard deviation | %.10g |\\n| r-squared | %.10f |\\n", sqrt(w / (N - length(n))), b / (b + w)',
      '  print "```" }\' /artifact/data/AtmWtAg.dat',
    ].join('\n');
    expect(await judged('silver-fit', script)).toMatchObject({ passed: true, reasons: [], metrics: { full: 1 } });
  });

  /** A hash of the published data, so that a script can tell it from altered data. */
  const dataHash = (): string => published.slice(0, 32);

  test.each<[string, () => string | Uint8Array, string]>([
    [
      'prints one digit wrong',
      () => here(printing(task(), (value) => value.replace(/^\d/, (d) => `${(Number(d) + 1) % 10}`))),
      'mismatch.cells',
    ],
    ['prints no table', () => 'echo done', 'runtime.no-table'],
    ['prints the table of another task', () => here(printing(taskOf('silver-anova'))), 'mismatch.cells'],
    [
      'prints two blocks, the last of them wrong',
      () => here(`${printing(task())}\n\n${printing(task(), () => '1')}`),
      'mismatch.cells',
    ],
    [
      'prints a block whose rows break off',
      () => here(printing(task()).replace(/^(\| (?:R-squared|Residual[^|]*)) \|.*$/gm, '$1')),
      'mismatch.cells',
    ],
    ['prints control characters', () => here(printing(task(), (value) => `${value}\u0007`)), 'mismatch.cells'],
    [
      'prints the digits of another script',
      () => here(printing(task(), (value) => value.replace(/\d/g, (d) => String.fromCharCode(0x660 + Number(d))))),
      'mismatch.cells',
    ],
    ['is empty', () => ' \n', 'static.empty'],
    ['fails after its table', () => `${here(printing(task()))}exit 3`, 'runtime.exit'],
    ['is no bash', () => 'if true; then\n  echo "', 'static.syntax'],
    ['prints 100 MB', () => 'head -c 100000000 /dev/zero | tr "\\0" x', 'runtime.output'],
    [
      'uses too much memory',
      () => 'python3 -c \'x = bytearray(3 * 1024 ** 3); x[::4096] = b"x" * len(x[::4096])\'',
      'runtime.memory',
    ],
    ['is 10 MB', () => `# ${'x'.repeat(10 * 1024 * 1024)}`, 'static.size'],
    ['has a NUL in it', () => Buffer.from([0x65, 0, 0x63]), 'static.encoding'],
    ['is in no UTF-8', () => Buffer.from([0x23, 0xff, 0xfe]), 'static.encoding'],
    [
      'ends what reads its trace',
      () =>
        `for p in /proc/[0-9]*; do [ "$(cat $p/comm 2>/dev/null)" = sed ] && kill -9 \${p#/proc/}; done\n${task().scripts.reference}`,
      'runtime.exit',
    ],
    [
      'ends its tracer',
      () =>
        `for p in /proc/[0-9]*; do [ "$(cat $p/comm 2>/dev/null)" = strace ] && kill -9 \${p#/proc/}; done\n${task().scripts.reference}`,
      'runtime.exit',
    ],
    [
      'reads a result file, and fails where the data is other',
      () =>
        `cat /artifact/results/* > /dev/null\nsha256sum /artifact/data/AtmWtAg.dat | grep -q ${dataHash()} || exit 1\n${task().scripts.reference}`,
      'copied.result-file',
    ],
    ['wants to write into the artifact', () => 'set -e\necho 1 > /artifact/data/AtmWtAg.dat', 'runtime.exit'],
  ])('%s fails by its own doing', async (_, script, reason) => {
    expect(await judged('silver-fit', script())).toMatchObject({ passed: false, reasons: [reason] });
  });
});

test('what a script opened of the artifact is known, and what it left running ends with it', async () => {
  const { scripts } = tasks.find(({ id }) => id === 'silver-fit') ?? tasks[0]!;
  const { run } = await tried(
    'silver-fit',
    `cat /artifact/results/certified.txt > /dev/null\nsleep 1000 &\n${scripts.reference}`,
  );
  expect(run).toMatchObject({ ended: 'exit', exitCode: 0, stderr: '' });
  expect(run.opened).toEqual(expect.arrayContaining(['data/AtmWtAg.dat', 'results/certified.txt']));
  expect(run.opened?.filter((file) => file.startsWith('code/'))).toEqual([]);
});

test('what a script opened of the artifact is known in every image', async () => {
  for (const image of new Set(tasks.map((task) => task.image))) {
    const { id, scripts } = tasks.find((task) => task.image === image) ?? tasks[0]!;
    const { run } = await tried(id, scripts.reference);
    expect({ image, opened: run.opened }).toMatchObject({
      opened: expect.arrayContaining([expect.stringMatching(/^data\//)]) as string[],
    });
  }
});

test.each([
  ['never ends', 'while :; do :; done', /^runtime\.timeout$/],
  ['waits without end', 'sleep 100000', /^runtime\.timeout$/],
  // Whichever limit it meets first.
  ['forks without end', 'f() { f | f & }; f; sleep 100000', /^runtime\.(timeout|memory|exit)$/],
])('a script that %s is ended at its limits, and judged as such', async (_, script, reason) => {
  const { run } = await tried('silver-fit', script, { seconds: 2, memoryMib: 256 });
  expect(outputOf(run)).toBeNull();
  const { status, verdict } = judgeTrial({
    ...{ task: taskOf('silver-fit'), script, refusal: null, runs: { whole: run }, results: [] },
    making: { turns: null, submissions: null, revealed: null, formatted: null, workSeconds: null },
  });
  expect({ status, verdict }).toMatchObject({
    status: 'runtime',
    verdict: { passed: false, reasons: [expect.stringMatching(reason) as string], metrics: { runtime: 1, matched: 0 } },
  });
});

test('each run has a container of its own, and finds nothing of the one before', async () => {
  const keeping = 'ls /tmp/kept /work/kept 2>/dev/null && exit 9\ntouch /tmp/kept /work/kept\n';
  const reference = tasks.find(({ id }) => id === 'ozone-anova')?.scripts.reference ?? '';
  expect(await judged('ozone-anova', keeping + reference)).toMatchObject({ passed: true });
  expect(new Set(opened.runs.map(({ poolKey }) => poolKey))).toEqual(new Set([null]));
});

test('what this installation has run before is not run again', async () => {
  const { length } = opened.runs;
  await verdictOf('silver-fit', { generator: 'reference' });
  expect(opened.runs).toHaveLength(length);
});
