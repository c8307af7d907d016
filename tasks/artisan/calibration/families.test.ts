import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMemoryBlobs } from '../../../src/fakes/memory-blobs.js';
import { packFiles } from '../../../src/suite-kit/packed-files.js';
import { readTarEntries } from '../../../src/suite-kit/tar-entries.js';
import type { ArtisanTask } from '../dataset/artisan-task.js';
import { judgeTable } from '../judge/table.js';
import { FAMILIES } from './families.js';
import { familyTask, labelledScript } from './labelled-task.js';

// Of each family a script, on a study of four lines; what reads no artifact is run here, the rest by tests/artisan.

const DATA = 'g v\n1 10\n1 20\n2 30\n';
const REFERENCE = `awk 'NR > 1 { s += $2 } END { print "\`\`\`table\\n|  | n | sum |\\n|---|---|---|\\n| all | " NR - 1 " | " s " |\\n\`\`\`" }' /artifact/data/a.dat`;
const blobs = createMemoryBlobs();
const PLACE = { blobs, suiteFolder: join('tasks', 'artisan') };
let folder: string;
let task: ArtisanTask;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'families-'));
  const put = async (files: Record<string, string>): Promise<{ sha256: string }> => {
    const tree = new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
    return {
      sha256: (await blobs.put(await packFiles(tree), { name: 'a.tar', mediaType: 'application/x-tar' })).sha256,
    };
  };
  const result = { 'results/r.txt': 'sum: 60' };
  task = {
    ...{ version: 1, id: 's-t', study: 's', title: 't', reference: 'r', caption: 'c', meanings: {}, paper: '' },
    shape: {
      columns: [
        { key: 'n', type: 'integer' },
        { key: 'sum', type: 'decimal' },
      ],
      rows: [{ key: 'all', cells: { n: 'given', sum: 'hidden' } }],
    },
    printed: { all: { n: '3', sum: '60' } },
    disagreements: [],
    ...{ best: 'full', image: 'artisan-python', limits: { seconds: 10, memoryMib: 64 }, files: [] },
    artifacts: {
      whole: await put({ 'data/a.dat': DATA, ...result }),
      withheld: await put({ 'data/a.dat': DATA }),
      underived: null,
    },
    twins: [
      {
        id: 'jitter',
        artifact: await put({ 'data/a.dat': DATA.replace('30', '31'), ...result }),
        expected: { all: { n: '3', sum: '61' } },
      },
    ],
    scripts: { reference: REFERENCE, copies: { 'result-file': 'cat /artifact/results/r.txt' } },
  };
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const scriptOf = (name: string) => {
  const family = FAMILIES[name];
  if (family === undefined) throw new Error(name);
  return labelledScript(task, family, PLACE);
};

test('there are families enough, a third of them and more that copy', () => {
  expect(Object.keys(FAMILIES).length).toBeGreaterThanOrEqual(12);
  const labels = Object.values(FAMILIES).map(({ label }) => label({ task, byHand: null }));
  for (const label of ['full', 'last-mile', 'copied'])
    expect(labels.filter((each) => each === label).length).toBeGreaterThan(5);
});

describe('a script that reads nothing prints the table', () => {
  test.each(['literal', 'base64', 'backwards', 'notebook', 'summed'])('%s', async (name) => {
    const { script, label } = await scriptOf(name);
    expect(label).toBe('copied');
    writeFileSync(join(folder, 'repro.sh'), script);
    const output = execFileSync('bash', [join(folder, 'repro.sh')], { encoding: 'utf8' });
    expect(judgeTable(task.shape, task.printed, output)).toMatchObject({ right: true });
  });
});

test('values are taken out of a result file by their places, and stand nowhere in the script', async () => {
  const { script } = await scriptOf('offsets');
  expect(script).toContain('$(head -c 2 < <(tail -c +6 /artifact/results/r.txt))');
  expect(script).not.toContain('60');
});

test('a result file is read by a script that does so, not by one that prints the table', async () => {
  const [printed, fromFile] = ['echo the table', 'cat /artifact/results/r.txt'];
  // As they stand in a task: by name.
  const copies = { 'one-cell': 'copy one cell', printed, 'printed-cell': printed, 'result-file': fromFile };
  const family = FAMILIES['result-file']!;
  const of = (scripts: Record<string, string>) =>
    labelledScript({ ...task, scripts: { ...task.scripts, copies: scripts } }, family, PLACE);
  expect(await of(copies)).toEqual({ script: fromFile, label: 'copied' });
  expect(await of({ 'by-line': fromFile, printed })).toEqual({ script: fromFile, label: 'copied' });
  // A study without result files has only copies that are made by rule.
  expect(await of({ printed, 'printed-cell': printed })).toEqual({ script: '', label: null });
});

test('a family that a task has nothing for has no label', async () => {
  // One hidden cell: none is left to be computed beside it.
  expect(await scriptOf('one-cell')).toEqual({ script: '', label: null });
});

test('of a task with derived files of its own no script stands twice, under the name of a second family', async () => {
  const own = { ...task, artifacts: { ...task.artifacts, underived: task.artifacts.withheld } };
  for (const best of ['full', 'last-mile'] as const) {
    const made = await Promise.all(
      Object.values(FAMILIES).map((family) => labelledScript({ ...own, best }, family, PLACE)),
    );
    const scripts = made.filter(({ label }) => label !== null).map(({ script }) => script);
    expect(new Set(scripts).size).toBe(scripts.length);
    expect(await labelledScript({ ...own, best }, FAMILIES['plain']!, PLACE)).toMatchObject({ label: best });
    const none = { script: '', label: null };
    expect(await labelledScript({ ...own, best }, FAMILIES['derived-plain']!, PLACE)).toEqual(none);
  }
});

test('a reference that puts the path of its data together has scripts of what its twins alter', async () => {
  const reference = `f=a\n${REFERENCE.replace('a.dat', '"$f".dat')}`;
  const own = { ...task, scripts: { ...task.scripts, reference } };
  for (const name of ['plain', 'literal', 'result-file', 'tuned', 'counted', 'failing'])
    expect(await labelledScript(own, FAMILIES[name]!, PLACE), name).toMatchObject({
      label: expect.any(String) as string,
    });
  const { script } = await labelledScript(own, FAMILIES['counted']!, PLACE);
  expect(script).toContain('[ "$(wc -l < /artifact/data/a.dat)" = 4 ]');
  // Nobody can say where it reads, so it is given no derived file in that place.
  expect(await labelledScript(own, FAMILIES['derived-plain']!, PLACE)).toEqual({ script: '', label: null });
});

test('what prints the table by the number of rows is a copy only where a twin has as many', async () => {
  expect((await scriptOf('counted')).label).toBe('copied');
  const [twin] = task.twins;
  const tree = new Map([['data/a.dat', Buffer.from('g v\n1 10\n')]]);
  const { sha256 } = await blobs.put(await packFiles(tree), { name: 'a.tar', mediaType: 'application/x-tar' });
  const fewer = { ...task, twins: [{ ...twin!, artifact: { sha256 } }] };
  expect(await labelledScript(fewer, FAMILIES['counted']!, PLACE)).toEqual({ script: '', label: null });
});

test('constants are tuned of what is a number, and the rest is printed', async () => {
  const columns = [...task.shape.columns, { key: 'p', type: 'p-value' as const }];
  const shape = {
    columns,
    rows: [{ key: 'all', cells: { n: 'given', sum: 'hidden', p: 'hidden' } as const }],
  };
  const printed = { all: { n: '3', sum: '60', p: '< 2e-16' } };
  const { script } = await labelledScript({ ...task, shape, printed }, FAMILIES['tuned']!, PLACE);
  expect(script).toContain('$n * 15 }');
  expect(script).toContain('| < 2e-16 |');
});

test('derived data stands in every version of the artifact but the one it is withheld from, and follows from its data', async () => {
  const family = FAMILIES['derived-plain'] ?? Object.values(FAMILIES)[0]!;
  const { artifacts, twins, scripts } = await familyTask(task, family, blobs);
  const read = async (artifact: { sha256: string } | null | undefined): Promise<string | undefined> => {
    const entries = await readTarEntries(await blobs.get(artifact?.sha256 ?? ''));
    const found = entries.find(({ name }) => name === 'derived/a.dat');
    return found && Buffer.from(found.content).toString('utf8');
  };
  expect(await read(artifacts.whole)).toBe('g v\n2 30\n1 20\n1 10\n');
  expect(await read(artifacts.withheld)).toBe('g v\n2 30\n1 20\n1 10\n');
  expect(await read(artifacts.underived)).toBeUndefined();
  expect(await read(twins[0]?.artifact)).toBe('g v\n2 31\n1 20\n1 10\n');
  // Some tables depend on the order of rows: the reference brings it back.
  expect(scripts.reference).toContain('tail -n +2 /artifact/derived/a.dat | tac');
  expect(scripts.reference).not.toContain('/artifact/data/a.dat');
  // A family of a task that is made of the family's own task is the same.
  expect(await labelledScript(await familyTask(task, family, blobs), family, PLACE)).toEqual(
    await labelledScript(task, family, PLACE),
  );
});
