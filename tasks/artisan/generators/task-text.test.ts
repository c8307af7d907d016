import { expect, test } from 'vitest';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { createMemoryBlobs } from '../../../src/fakes/memory-blobs.js';
import { systemSpec } from '../../../src/fakes/suite-bench.js';
import { loadPrompt } from '../../../src/suite-kit/load-prompt.js';
import { artisan } from '../artisan.js';
import type { ArtisanTask } from '../dataset/artisan-task.js';
import { readStudy } from '../dataset/read-study.js';
import { IMAGES, STUDIES, toolsOf } from '../dataset/selection.js';
import { optionsOf } from '../settings.js';
import { agentValues } from './agent/agent.js';
import { scriptOf } from './single-prompt.js';
import { artisanTaskText, fileList, maskedTable, taskValues } from './task-text.js';

const TASK: ArtisanTask = {
  ...{ version: 1, id: 'study-table', study: 'study', title: 'A study', reference: 'A journal', caption: 'A table' },
  meanings: { F: 'F statistic' },
  shape: {
    columns: [
      { key: 'df', type: 'integer' },
      { key: 'F', type: 'decimal', tolerance: { significant: 7 } },
    ],
    rows: [
      { key: 'Between', cells: { df: 'given', F: 'hidden' } },
      { key: 'Within', cells: { df: 'hidden' } },
    ],
  },
  disagreements: [],
  printed: { Between: { df: '1', F: '17.94673' }, Within: { df: '46' } },
  ...{ paper: 'Between 1 ??.?????', best: 'full', image: 'artisan-python', limits: { seconds: 120, memoryMib: 1024 } },
  files: [{ path: 'data/a.dat', bytes: 12 }],
  artifacts: { whole: { sha256: 'a' }, withheld: null, underived: null },
  ...{ twins: [], scripts: { reference: 'secret reference', copies: {} } },
};

const SUITE = join(import.meta.dirname, '..');

/** What each generator that asks somebody says of a task. */
async function prompts(task: ArtisanTask): Promise<string[]> {
  const values = taskValues(task);
  const filled = [
    await loadPrompt(SUITE, 'agent.v3', agentValues(task, optionsOf({ options: {} }))),
    await loadPrompt(SUITE, 'command.v2', { ...values, files: fileList(task) }),
    await loadPrompt(SUITE, 'single-prompt.v2', { ...values, contents: 'the files' }),
  ];
  return filled.map(({ messages }) => messages.map(({ content }) => content).join('\n'));
}

/** The R packages that the recipes of an image name, its base's too, in small letters. */
async function installed(image: string): Promise<string[]> {
  const folder = join(SUITE, '..', '..', 'deploy', 'images', image);
  const recipe = parse(await readFile(join(folder, 'recipe.yaml'), 'utf8')) as { base?: string; debian?: string[] };
  const own = (recipe.debian ?? []).flatMap((name) => /^r-(?:cran|bioc)-(.+)$/.exec(name)?.[1] ?? []);
  const base = recipe.base?.startsWith('artisan-r') === true ? await installed(recipe.base) : [];
  return [...own, ...base];
}

test('a masked table shows given cells, and of hidden ones their form', () => {
  expect(maskedTable(TASK).split('\n')).toEqual([
    ...['```table', '|  | df | F |', '| --- | --- | --- |', '| Between | 1 | ??.????? |', '| Within | ?? |  |', '```'],
  ]);
});

test('people are told what is asked, masked, and which runs decide; of a task that is not here nothing', async () => {
  const blobs = createMemoryBlobs();
  const twins = [{ id: 'drop', artifact: { sha256: 'b' }, expected: {} }];
  const task = {
    ...TASK,
    artifacts: { ...TASK.artifacts, withheld: { sha256: 'c' } },
    twins,
  } as unknown as ArtisanTask;
  const { sha256 } = await blobs.put(JSON.stringify(task), { name: 'task.json', mediaType: 'application/json' });
  const told = await artisanTaskText({ sha256 }, blobs);
  expect(told?.asked).toBe(
    'A table\n\n|  | df | F |\n| --- | --- | --- |\n| Between | 1 | ??.????? |\n| Within | ?? |  |\n',
  );
  expect(told?.test?.text.split('\n')).toEqual([
    ...['- df: integer', '- F: decimal, to 7 significant digits; F statistic'],
    ...['- run: the whole artifact', '- run: without result files', '- run: altered data: drop'],
  ]);
  expect(await artisanTaskText({ sha256: 'd'.repeat(64) }, blobs)).toBeNull();
  // And the suite says so where a trial is shown.
  const asked = { id: task.id, sha256, system: systemSpec({ id: 'a', generator: 'reference' }), steps: [] };
  expect(await artisan.taskText?.(asked, blobs)).toEqual(told);
});

test('a prompt has every blank filled, and neither values nor the reference', async () => {
  for (const text of await prompts(TASK)) {
    expect(text).toContain('decimal, to 7 significant digits; F statistic');
    expect(text).not.toMatch(/15\.9|46|secret/);
  }
});

test('a prompt says what the image of the task has, and nothing of another one', async () => {
  for (const text of await prompts(TASK)) {
    expect(text).toContain('There is Python 3.11 with numpy, scipy and pandas.');
    expect(text).not.toContain('lme4');
  }
  for (const text of await prompts({ ...TASK, image: 'artisan-r' })) {
    expect(text).toMatch(/There is R 4\.2 with .*\blme4, .*\bpsych, /);
    expect(text).not.toMatch(/numpy|scipy|pandas/);
  }
});

test('of the image of every study it is said what it has: what its recipe installs, and what reference scripts load', async () => {
  for (const id of STUDIES) {
    const { study, tables } = await readStudy(join(SUITE, 'dataset', 'tasks', id), id);
    const packages = IMAGES[study.image]?.packages.map((name) => name.toLowerCase()) ?? [];
    const loaded = tables.flatMap(({ reference }) => [
      ...[...reference.matchAll(/library\((\w+)\)/g)].map(([, name]) => name ?? ''),
      ...[...reference.matchAll(/^(?:import|from) (\w+)/gm)].map(([, name]) => name ?? ''),
    ]);
    expect(packages, id).toEqual(expect.arrayContaining(loaded.map((name) => name.toLowerCase())));
    expect(packages, id).toEqual(expect.arrayContaining(await installed(study.image)));
    expect(toolsOf(study.image), id).toMatch(/^There is (R|Python) /);
  }
});

test('the last block of bash in an answer is the script', () => {
  const text = (answer: string): string => Buffer.from(scriptOf(answer).script).toString();
  expect(text('Try:\n```bash\none\n```\nor\n```sh\ntwo\n```\n```python\nthree\n```')).toBe('two\n');
  expect(scriptOf('no block').note).toMatch(/no block/);
  expect(text('```bash\ncut off')).toBe('');
});
