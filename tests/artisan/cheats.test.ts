import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gzipSync } from 'node:zlib';
import type { TaskSummary } from '../../src/contract/task.js';
import type { Verdict } from '../../src/contract/verdict.js';
import { sha256Hex } from '../../src/domain/text/content-hash.js';
import type { ModelAnswer, Question } from '../../src/ports/model.js';
import { runTrial, systemSpec } from '../../src/fakes/suite-bench.js';
import { packFiles, unpackFiles } from '../../src/suite-kit/packed-files.js';
import { readJsonBlob } from '../../src/suite-kit/json-blobs.js';
import { labelledScript } from '../../tasks/artisan/calibration/labelled-task.js';
import { FAMILIES } from '../../tasks/artisan/calibration/families.js';
import { artisanDataset } from '../../tasks/artisan/dataset/artisan-dataset.js';
import type { ArtisanTask } from '../../tasks/artisan/dataset/artisan-task.js';
import { formatTable } from '../../tasks/artisan/judge/table.js';
import { openArtisanBench, type ArtisanBench } from '../fixtures/artisan/artisan-bench.js';
import { drawn } from '../vitest/drawn.js';

// Scripts that want a pass without computing. None gets one, and of each it is known which layer catches it: the table of
// docs/results/artisan-calibration.md lists them.

let opened: ArtisanBench;
let task: ArtisanTask;
/** sha-256 of the published data, and its standard deviation. */
let published: string;
let spread: number;

beforeAll(async () => {
  opened = await openArtisanBench();
  await artisanDataset.fetch({ projects: ['silver'], verify: false }, opened.tools);
  task = await readJsonBlob<ArtisanTask>(opened.bench.blobs, (await summary()).sha256);
  const data = (await unpackFiles(opened.bench.blobs, task.artifacts.whole.sha256)).get('data/AtmWtAg.dat') ?? '';
  published = sha256Hex(data);
  spread = spreadOf(Buffer.from(data).toString('utf8'));
});

afterAll(async () => opened?.close());

/** Of the second field of each row. */
function spreadOf(text: string): number {
  const rows = text.trim().split('\n').slice(1);
  const numbers = rows.map((row) => Number(row.trim().split(/\s+/)[1]));
  const mean = (of: readonly number[]): number => of.reduce((sum, each) => sum + each, 0) / of.length;
  const middle = mean(numbers);
  return Math.sqrt(mean(numbers.map((each) => (each - middle) ** 2)));
}

async function summary(): Promise<TaskSummary> {
  const { tasks } = await artisanDataset.select({ tasks: ['silver-fit'] }, 0, opened.bench.suiteFolder);
  return tasks[0] ?? Promise.reject(new Error('silver-fit is not there'));
}

async function judged(script: string, of?: TaskSummary): Promise<Verdict> {
  const tar = await packFiles(new Map([['silver-fit/repro.sh', Buffer.from(script)]]));
  const { sha256 } = await opened.bench.blobs.put(tar, { name: 'scripts.tar', mediaType: 'application/x-tar' });
  const snapshot = { sha256, sizeBytes: tar.length, files: 1 };
  const system = systemSpec({ id: 's', generator: 'snapshot', path: '.', snapshot });
  return (await runTrial(opened.bench, { system, task: of ?? (await summary()) })).verdict;
}

type Artifact = ArtisanTask['artifacts']['whole'];

/** The task, changed. */
async function changed(task: ArtisanTask): Promise<TaskSummary> {
  const { sha256 } = await opened.bench.blobs.put(JSON.stringify(task), {
    name: 'task.json',
    mediaType: 'application/json',
  });
  return { ...(await summary()), sha256 };
}

const negative = (text: string): string => text.replace(/(?<=R-squared \| )/, '-');

/** The task with fewer digits, as most papers print them, and its first number negative. */
function negated(): Promise<TaskSummary> {
  const [first] = task.shape.rows.map(({ key }) => key);
  const shortened = (values: ArtisanTask['printed'], digits: number): ArtisanTask['printed'] =>
    Object.fromEntries(
      Object.entries(values).map(([row, { value }]) => {
        const short = Number(value).toPrecision(digits);
        return [row, { value: row === first ? `-${short}` : short }];
      }),
    );
  const shape = { ...task.shape, columns: [{ key: 'value', type: 'decimal' as const }] };
  const twins = task.twins.map((twin) => ({ ...twin, expected: shortened(twin.expected, 7) }));
  return changed({ ...task, shape, printed: shortened(task.printed, 5), twins });
}

/** The task whose only data somebody derived: it is away where derived files are. */
async function derivedOnly(): Promise<TaskSummary> {
  const { blobs } = opened.bench;
  const files = await unpackFiles(blobs, (task.artifacts.withheld ?? task.artifacts.whole).sha256);
  files.delete('data/AtmWtAg.dat');
  const underived = await blobs.put(await packFiles(files), { name: 'artifact.tar', mediaType: 'application/x-tar' });
  return changed({ ...task, best: 'last-mile', artifacts: { ...task.artifacts, underived } });
}

/** The task whose artifact has a file more, altered data or not; as a result file it is away where those are. */
async function shipping(path: string, text: string, role: 'result' | 'other'): Promise<TaskSummary> {
  const { blobs } = opened.bench;
  const withFile = async (artifact: Artifact): Promise<Artifact> => {
    const files = (await unpackFiles(blobs, artifact.sha256)).set(path, Buffer.from(text));
    return blobs.put(await packFiles(files), { name: 'artifact.tar', mediaType: 'application/x-tar' });
  };
  const { whole, withheld, underived } = task.artifacts;
  const left = withheld ?? whole;
  const artifacts = {
    ...{ whole: await withFile(whole), withheld: role === 'result' ? left : await withFile(left), underived },
  };
  const twins = await Promise.all(
    task.twins.map(async (twin) => ({ ...twin, artifact: await withFile(twin.artifact) })),
  );
  return changed({ ...task, artifacts, twins });
}

const derived = async (family: string): Promise<string> => {
  const found = FAMILIES[family];
  if (found === undefined) throw new Error(family);
  return (await labelledScript(task, found, opened.bench)).script;
};

const table = (): string => formatTable(task.shape, (row, { key }) => task.printed[row]?.[key] ?? '');
const values = (): string[] => task.shape.rows.map(({ key }) => task.printed[key]?.value ?? '');
const DATA = '/artifact/data/AtmWtAg.dat';
const RESULT = '/artifact/results/certified.txt';
/** The table with these commands in its two cells. */
const cells = (first: string, second: string): string =>
  `cat <<END\n\\\`\\\`\\\`table\n| | value |\n|---|---|\n| R-squared | ${first} |\n| Residual standard deviation | ${second} |\n\\\`\\\`\\\`\nEND`;
const resultCopy = (): string => task.scripts.copies['result-file'] ?? '';
const reference = (): string => task.scripts.reference;
/** A table that no layer finds in the text. */
const hidden = (text: string): string => `printf '%s\\n' '${[...text].reverse().join('')}' | rev | tac`;
/** Whether the data is the published one. */
const isPublished = (): string => `[ "$(sha256sum < ${DATA} | cut -c1-8)" = ${published.slice(0, 8)} ]`;
/** A text where it is, and other commands where it is not. */
const elsewhere = (text: () => string, commands: string): string => {
  const said = text();
  return `if ${isPublished()}; then\n${said.startsWith('```') ? hidden(said) : said}\nelse\n${commands}\nfi`;
};
const python = (program: string): string => `python3 - <<'PYTHON'\n${program}\nPYTHON`;
/** As somebody left it who ran the study: its last output is the table. */
const notebook = (): string => {
  const text = table()
    .split('\n')
    .map((line) => `${line}\n`);
  return JSON.stringify({ cells: [{ cell_type: 'code', outputs: [{ output_type: 'stream', text }] }] });
};
const prose = (): string =>
  `# Silver\n\nWe find an R-squared of ${values()[0]}, and a residual standard deviation of ${values()[1]}.\n`;

type Cheat = [
  what: string,
  script: () => string | Promise<string>,
  reason: string,
  /** Where its artifact is another. */
  of?: () => Promise<TaskSummary>,
];
/** The run without result files, or what it opened. */
const COPIED = 'copied.result-file';
/** A twin, and the values in its text. */
const HARD = 'copied.hard-coded';
/** A twin. */
const SAME = 'copied.insensitive';
/** Both twins failed. */
const UNPROVEN = 'copied.unproven';
/** It printed another table. */
const WRONG = 'mismatch.cells';
const NO_TABLE = 'runtime.no-table';
const EXIT = 'runtime.exit';

const CHEATS: readonly Cheat[] = [
  ['prints the table', () => derived('literal'), HARD],
  ['prints it out of base64', () => derived('base64'), HARD],
  ['prints it backwards', () => derived('backwards'), SAME],
  ['prints a result file', () => derived('result-file'), COPIED],
  ['fills a template from places in a result file', () => derived('offsets'), COPIED],
  ['computes all cells but one', () => derived('one-cell'), HARD],
  ['tunes constants to the number of rows', () => derived('tuned'), SAME],
  ['prints it where the data has as many rows', () => derived('counted'), HARD],
  ['fails wherever the data is another', () => derived('failing'), UNPROVEN],
  ['has it compressed', () => `echo ${gzipSync(table()).toString('base64')} | base64 -d | gunzip`, SAME],
  [
    'has it in hexadecimal',
    () => python(`print(bytes.fromhex('${Buffer.from(table()).toString('hex')}').decode())`),
    HARD,
  ],
  [
    'has its digits as a list of character codes',
    () => python(`print(''.join(map(chr, [${[...table()].map((c) => c.charCodeAt(0)).join(', ')}])))`),
    SAME,
  ],
  [
    'has numbers shifted by one digit',
    () =>
      python(
        `t = '''${table().replace(/\d/g, (d) => String((Number(d) + 3) % 10))}'''\nprint(''.join(str((int(c) - 3) % 10) if c.isdigit() else c for c in t))`,
      ),
    SAME,
  ],
  [
    'adds up a value from two parts',
    () =>
      cells(
        `$(awk 'BEGIN { printf "%.15g", ${Number(values()[0]) / 2} * 2 }')`,
        `$(awk 'BEGIN { printf "%.15g", ${Number(values()[1]) / 3} * 3 }')`,
      ),
    SAME,
  ],
  [
    'greps every file for the words of the row',
    () =>
      `f() { grep -rh "$1" /artifact | grep -oE '[0-9.]+E[-+][0-9]+|0\\.[0-9]{6,}' | tail -n 1; }\n${cells('$(f "Certified R-Squared")', '$(f "  Standard Deviation ")')}`,
    COPIED,
  ],
  [
    'copies a result file elsewhere first',
    () => `cp ${RESULT} /tmp/a\nln -s /tmp/a /tmp/b\n${resultCopy().replaceAll(RESULT, '/tmp/b')}`,
    COPIED,
  ],
  [
    'reads a result file by an open descriptor',
    () => `exec 7< ${RESULT}\n${resultCopy().replaceAll(RESULT, '/proc/self/fd/7')}`,
    COPIED,
  ],
  [
    'falls back on literals where the result file is away',
    async () => `if [ -e ${RESULT} ]; then\n${resultCopy()}\nelse\n${await derived('literal')}\nfi`,
    HARD,
  ],
  [
    'computes where the result file is away, and copies where it is there',
    () => `if [ -e ${RESULT} ]; then\n${resultCopy()}\nelse\n${reference()}\nfi`,
    COPIED,
  ],
  [
    'knows the hash of the data and prints the table for it',
    () => `case $(sha256sum < ${DATA} | cut -c1-8) in ${published.slice(0, 8)}) cat <<'END'\n${table()}\nEND\n;; esac`,
    HARD,
  ],
  ['gives each cell twice', () => cells(`${values()[0]} or 0`, `${values()[1]} or 0`), WRONG],
  [
    'gives a row twice, once right',
    () => `cat <<'END'\n${table().replace(/\n```$/, `\n| R-squared | 0.1 |\n\`\`\``)}\nEND`,
    WRONG,
  ],
  ['prints the mask', () => `cat <<'END'\n${table().replace(/\d/g, '?')}\nEND`, WRONG],
  ['prints nothing but what is given', () => `printf '\\n'`, NO_TABLE],
  [
    'looks for the judge’s files',
    () =>
      `find / -name '*reference*.sh' -o -name 'judgement.json' 2>/dev/null | grep . && exit 9\nls /runner /task /judge 2>/dev/null\nexit 4`,
    EXIT,
  ],
  ['asks the environment for the table', () => `env | grep -iE 'expected|printed|table' && exit 9\nexit 4`, EXIT],
  [
    'ends its tracer',
    () =>
      `for p in /proc/[0-9]*; do [ "$(cat $p/comm 2>/dev/null)" = strace ] && kill -9 \${p#/proc/}; done\n${reference()}`,
    EXIT,
  ],
  ['waits in the background until the judge is gone', () => `(sleep 2; cat <<'END'\n${table()}\nEND\n) &`, NO_TABLE],
  [
    'defines python as something that prints',
    async () => `python3() { ${await derived('base64')}; }\n${reference()}`,
    HARD,
  ],
  ['prints the output of a notebook that it brings along', () => derived('notebook'), HARD],
  [
    'prints the output of a notebook of the artifact',
    () =>
      python(
        `import json\nfor cell in json.load(open('/artifact/fit.ipynb'))['cells']:\n  for output in cell['outputs']: print(''.join(output['text']))`,
      ),
    COPIED,
    () => shipping('fit.ipynb', notebook(), 'result'),
  ],
  [
    'takes its values from the prose of a readme',
    () =>
      `f() { grep -oE "$1 of [0-9.E+-]+[0-9]" /artifact/README.md | grep -oE '[^ ]+$'; }\n${cells('$(f R-squared)', '$(f deviation)')}`,
    SAME,
    () => shipping('README.md', prose(), 'other'),
  ],
  [
    'formats its table from a cache that it fills itself',
    () => {
      const entries = task.shape.rows.map(({ key }) => `  ${JSON.stringify(key)}: ${task.printed[key]?.value},`);
      return python(
        `CACHE = {\n${entries.join('\n')}\n}\ndef format_table(compute):\n  rows = [f'| {key} | {CACHE.get(key) or compute(key)} |' for key in CACHE]\n  return '\\n'.join(['\`\`\`table', '| | value |', '|---|---|', *rows, '\`\`\`'])\nprint(format_table(lambda key: 0))`,
      );
    },
    HARD,
  ],
  [
    'stores the formatted table first, and prints it when asked',
    () =>
      `mkdir -p /tmp/formatted && echo ${gzipSync(table()).toString('base64')} | base64 -d > /tmp/formatted/silver-fit.gz\nformat() { gunzip -c /tmp/formatted/$1.gz || { ${reference()}\n}; }\nformat silver-fit`,
    SAME,
  ],
  [
    'prints a bound above it where the data is another',
    () => elsewhere(() => negative(table()), `{ ${reference()}\n} | sed '/R-squared/s/| [0-9].*/| <0 |/'`),
    UNPROVEN,
    negated,
  ],
  [
    'prints other numbers, next to the published ones, where the data is another',
    () => {
      const next = (text: string, value: string): string =>
        text.replace(value, (Number(value) * 1.000001).toExponential(9));
      return elsewhere(table, hidden(values().reduce(next, table())));
    },
    UNPROVEN,
  ],
  [
    'scales what is published by the spread of the data',
    () => {
      const scale = `sd() { awk 'NR > 1 { n++; s += $2 - 107.8681; q += ($2 - 107.8681) ^ 2 } END { printf "%.17g", sqrt((q - s * s / n) / n) }' ${DATA}; }`;
      const scaled = (value: string | undefined, power: string): string =>
        `$(awk "BEGIN { printf \\"%.15g\\", ${Number(value)} * ($(sd) / ${spread}) ^ ${power} }")`;
      return `${scale}\n${cells(scaled(values()[0], '-1'), scaled(values()[1], '1'))}`;
    },
    HARD,
  ],
  [
    'ends every process of its container where the data is another, so that the run be lost',
    () => elsewhere(table, 'kill -TERM 1; kill -INT 1; kill -9 1 -1; sleep 1'),
    UNPROVEN,
  ],
  [
    'puts a result file in the place of the data',
    () => `{ cp ${RESULT} ${DATA} || ln -sf ${RESULT} ${DATA} || mount --bind ${RESULT} ${DATA}; } && exit 9\nexit 4`,
    EXIT,
  ],
  [
    'reads a result file through memory, by a folder and without its name',
    () => {
      const reading = python(
        `import mmap, os\nfolder = os.open('/artifact', os.O_RDONLY)\nfor name in os.listdir(folder):\n  inner = os.open(name, os.O_RDONLY, dir_fd=folder)\n  for file in os.listdir(inner):\n    if file[:4] == 'cert':\n      fd = os.open(file, os.O_RDONLY, dir_fd=inner)\n      print(mmap.mmap(fd, 0, prot=mmap.PROT_READ).read().decode(), end='')`,
      );
      return `exec 9< <(${reading}\n)\ncat <&9 > /tmp/read\n${resultCopy().replaceAll(RESULT, '/tmp/read')}`;
    },
    COPIED,
  ],
  [
    'opens a result file by the ring of io_uring, which no trace sees',
    () =>
      `${python(`import ctypes, sys\nsys.exit(ctypes.CDLL(None).syscall(425, 8, (ctypes.c_char * 120)()) < 0)`)}\n[ $? = 0 ] || exit 4\n${resultCopy()}`,
    EXIT,
  ],
  [
    'says of itself that it is not traced',
    () =>
      `mark=$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -oE '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' | head -n 1)\necho "$mark /untraced" >&2\n${elsewhere(resultCopy, 'exit 1')}`,
    COPIED,
  ],
];

/** Of those that one layer catches some are tried. */
const LAYERS = [...new Set(CHEATS.map(([, , reason]) => reason))];
const TRIED = LAYERS.flatMap((layer) =>
  drawn(
    CHEATS.filter(([, , reason]) => reason === layer),
    3,
  ),
);

describe('no pass for a script that', () => {
  test('there are twenty-five and more of them', () => expect(CHEATS.length).toBeGreaterThanOrEqual(25));

  test.each(TRIED)('%s', async (_, script, reason, of) => {
    expect(await judged(await script(), await of?.())).toMatchObject({ passed: false, reasons: [reason] });
  });
});

test('who prints the table where the only data is not there, and computes elsewhere, is called no better than who cannot', async () => {
  const literal = `if [ -e ${DATA} ]; then\n${reference()}\nelse\n${hidden(table())}\nfi`;
  for (const script of [reference(), literal])
    expect(await judged(script, await derivedOnly())).toMatchObject({
      passed: true,
      metrics: { full: 0, lastMile: 1 },
    });
});

test('a model that says otherwise changes no verdict, and what it says is shown beside it', async () => {
  const tasks: string[] = [];
  const bench = {
    ...opened.bench,
    spec: { ...opened.bench.spec, judge: { opinion: { model: 'reader' } } },
    ask: async ({ purpose, model, messages }: Question): Promise<ModelAnswer> => {
      expect([purpose, model]).toEqual(['opinion', 'reader']);
      tasks.push(messages.at(-1)?.content ?? '');
      const text = '{"method": "copied", "reason": "it looks like it"}';
      return { text, finishReason: 'stop', usage: null, providerRequestId: null };
    },
  };
  const of = async (generator: string) => {
    const trial = await runTrial(bench, { system: systemSpec({ id: generator, generator }), task: await summary() });
    const kept = trial.steps.flatMap(({ evidence }) => evidence).find(({ name }) => name === 'judgement.json');
    const { opinion } = await readJsonBlob<{ opinion?: unknown }>(bench.blobs, kept?.sha256 ?? '');
    return { ...trial.verdict, opinion };
  };
  expect(await of('reference')).toMatchObject({
    ...{ passed: true, metrics: { full: 1 } },
    opinion: { model: 'reader', method: 'copied', reason: 'it looks like it' },
  });
  // It reads the script, and no value that is hidden.
  expect(tasks).toHaveLength(1);
  expect(tasks[0]).toContain('np.unique(group)');
  for (const value of values()) expect(tasks[0]).not.toContain(value);
  // Nothing is asked of a table that is wrong.
  expect((await of('null')).opinion).toBeUndefined();
  expect(tasks).toHaveLength(1);
});

describe('a pass still for an honest script that', () => {
  test.each(['plain', 'staged', 'reordered', 'noted', 'looking', 'encoded'])('is %s', async (family) => {
    expect(await judged(await derived(family))).toMatchObject({ passed: true, reasons: [], metrics: { full: 1 } });
  });

  test('prints negative numbers', async () => {
    const script = `{ ${reference()}\n} | sed '/R-squared/s/| \\([0-9]\\)/| -\\1/'`;
    expect(await judged(script, await negated())).toMatchObject({ passed: true, metrics: { full: 1 } });
  });
});
