/**
 * Draws labelled scripts of the calibration, of each family one in each language, for a person to say what they are before seeing
 * what the rules call them. Runs nothing: it reads what `durabench dataset fetch artisan` left in the state folder of the project.
 *
 *   npx tsx bench/artisan/labelled-scripts.ts --out FOLDER [--seed 18] [--studies silver,bcg] [--state .durabench]
 *
 * Writes FOLDER/01.txt and so on (study, table and names of its files, then the script), FOLDER/files with what they hold, and
 * FOLDER/labels.json for afterwards.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { createFileBlobs } from '../../src/adapters/blobs/file-blobs.js';
import { drawingKey } from '../../src/domain/drawing-key.js';
import { readJsonBlob } from '../../src/suite-kit/json-blobs.js';
import { readTarEntries } from '../../src/suite-kit/tar-entries.js';
import { FAMILIES, type Family } from '../../tasks/artisan/calibration/families.js';
import { familyTask, labelledScript } from '../../tasks/artisan/calibration/labelled-task.js';
import { artisanDataset } from '../../tasks/artisan/dataset/artisan-dataset.js';
import type { ArtisanTask } from '../../tasks/artisan/dataset/artisan-task.js';
import { STUDIES } from '../../tasks/artisan/dataset/selection.js';
import { formatTable } from '../../tasks/artisan/judge/table.js';

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    seed: { type: 'string', default: '18' },
    studies: { type: 'string' },
    state: { type: 'string', default: '.durabench' },
  },
});
const { out, seed, state } = values;
const studies = values.studies?.split(',') ?? [...STUDIES];
const SUITE_FOLDER = join('tasks', 'artisan');
const blobs = createFileBlobs({ folder: join(state, 'blobs') });

interface Drawn {
  task: ArtisanTask;
  family: Family;
  script: string;
  label: string;
}

void main();

async function main(): Promise<void> {
  if (out === undefined) throw new Error('--out names a folder');
  const { tasks } = await artisanDataset.select({ projects: studies }, 0, SUITE_FOLDER);
  const all = await Promise.all(tasks.map(({ sha256 }) => readJsonBlob<ArtisanTask>(blobs, sha256)));
  const used = new Map<string, number>();
  const drawn: Drawn[] = [];
  for (const family of Object.values(FAMILIES))
    for (const image of ['artisan-python', 'artisan-r'])
      drawn.push(...(await drawOne(family, { tasks: all.filter((task) => task.image === image), used })));
  const shuffled = inOrder(drawn, ({ task, family }) => `${task.id}/${family.name}`);
  await mkdir(out, { recursive: true });
  for (const [index, each] of shuffled.entries())
    await writeFile(join(out, `${numberOf(index)}.txt`), await sheet(each));
  const labels = shuffled.map(({ task, family, label }, index) => [numberOf(index), task.id, family.name, label]);
  await writeFile(join(out, 'labels.json'), `${labels.map((line) => JSON.stringify(line)).join('\n')}\n`);
}

/** A script of the family, of a task whose study has been drawn least often so far. */
async function drawOne(
  family: Family,
  { tasks, used }: { tasks: readonly ArtisanTask[]; used: Map<string, number> },
): Promise<Drawn[]> {
  const timesUsed = ({ study }: ArtisanTask): number => used.get(study) ?? 0;
  const next = inOrder(tasks, ({ id }) => `${family.name}/${id}`).sort((one, two) => timesUsed(one) - timesUsed(two));
  for (const task of next) {
    const { script, label } = await labelledScript(task, family, { blobs, suiteFolder: SUITE_FOLDER });
    if (label === null) continue;
    used.set(task.study, timesUsed(task) + 1);
    return [{ task: await familyTask(task, family, blobs), family, script, label }];
  }
  return [];
}

const inOrder = <Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] =>
  items
    .map((item) => ({ item, key: drawingKey(seed, keyOf(item), 'labels') }))
    .sort((one, two) => (one.key < two.key ? -1 : 1))
    .map(({ item }) => item);

const numberOf = (index: number): string => String(index + 1).padStart(2, '0');

/** What a reviewer sees: nothing of the family or of its label, and no file's role, which he is to find from what the file holds. */
async function sheet({ task, script }: Drawn): Promise<string> {
  const { sha256 } = task.artifacts.whole;
  const folder = join('files', sha256.slice(0, 12));
  const files = await readTarEntries(await blobs.get(sha256));
  for (const { name, content } of files) await writeInto(join(out ?? '', folder, name), content);
  return [
    `${task.study}: ${task.title}`,
    task.caption,
    formatTable(task.shape, (row, { key }) => task.printed[row]?.[key] ?? ''),
    `--- /artifact, which is ${folder} ---`,
    ...files.map(({ name }) => name),
    '--- script ---',
    `${script}\n`,
  ].join('\n');
}

async function writeInto(path: string, content: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
