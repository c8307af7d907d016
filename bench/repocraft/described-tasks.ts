/**
 * Has a model describe the tasks of a sample, and lays each of its texts beside the one made by rule for a reader who does not know
 * which is which: `sheet.md` with target, tests and the two texts in an order drawn by hash, `key.json` with what each is and why
 * the model's was not taken, where it was not.
 *
 *   npx tsx bench/repocraft/described-tasks.ts --base-url http://127.0.0.1:8000/v1 --model NAME --out FOLDER [--words "review 11 "] [--count 60]
 *
 * The sample is the tasks with the smallest sha-256 of the words and their id (docs/results/dataset-version-4.md). Needs the fetched
 * tasks (`durabench dataset fetch repocraft`) in `--state`; the key is OPENAI_API_KEY. What a model costs here no ledger counts.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sha256Hex } from '../../src/domain/text/content-hash.js';
import { createMemoryBlobs } from '../../src/fakes/memory-blobs.js';
import type { Question } from '../../src/ports/model.js';
import { describeTask, type Description } from '../../tasks/repocraft/dataset/describing/describe-task.js';
import { readLock } from '../../tasks/repocraft/dataset/lock/dataset-lock.js';
import { BENCHMARK_PROJECTS, readProjectSettings } from '../../tasks/repocraft/dataset/project-settings.js';
import type { RepocraftTask } from '../../tasks/repocraft/dataset/repocraft-task.js';
import { lockedTasks } from '../../tasks/repocraft/dataset/task-blobs.js';
import { askOverHttp, createRepocraftTools } from './repocraft-tools.js';

const { values } = parseArgs({
  options: {
    'base-url': { type: 'string', default: 'https://api.openai.com/v1' },
    model: { type: 'string', default: '' },
    out: { type: 'string', default: 'described' },
    words: { type: 'string', default: 'review 11 ' },
    count: { type: 'string', default: '60' },
    state: { type: 'string', default: '.durabench' },
  },
});
const ask = askOverHttp(values['base-url'], values.model);
const tools = createRepocraftTools({ state: values.state, owner: 'described-tasks' });
const drawn = (words: string, id: string): string => sha256Hex(`${words}${id}`);

try {
  const sample = (await Promise.all(BENCHMARK_PROJECTS.map(tasksOf)))
    .flat()
    .sort((a, b) => (drawn(values.words, a.task.id) < drawn(values.words, b.task.id) ? -1 : 1))
    .slice(0, Number(values.count));
  const described = await Promise.all(
    sample.map(async ({ task, telling }) => ({ task, description: await describeTask(task, telling, describing()) })),
  );
  await mkdir(values.out, { recursive: true });
  await writeFile(join(values.out, 'sheet.md'), described.map(sheetOf).join('\n'));
  await writeFile(join(values.out, 'key.json'), `${JSON.stringify(described.map(keyOf), null, 2)}\n`);
  const byModel = described.filter(({ description }) => description.byRule === null).length;
  console.log(JSON.stringify({ tasks: described.length, byModel, byRule: described.length - byModel }));
} finally {
  await tools.sandbox.close();
}

async function tasksOf(name: string): Promise<{ task: RepocraftTask; telling: readonly string[] }[]> {
  const { settings } = await readProjectSettings(name, tools.suiteFolder);
  const tasks = await lockedTasks(tools.blobs, await readLock(name, tools.suiteFolder));
  return tasks.map((task) => ({ task, telling: settings.givingAway }));
}

/** Asked as a build asks, but for the ledger; nothing is remembered. */
function describing(): Parameters<typeof describeTask>[2] {
  const asking = { model: values.model, ask: (_place: string, question: Question) => ask(question) };
  return { blobs: createMemoryBlobs(), suiteFolder: tools.suiteFolder, asking };
}

type Described = { task: RepocraftTask; description: Description };

function isModelFirst({ task }: Described): boolean {
  return Number.parseInt(drawn('first ', task.id).slice(0, 1), 16) < 8;
}

function sheetOf(one: Described): string {
  const { task, description } = one;
  const [first, second] = isModelFirst(one)
    ? [description.text, task.description]
    : [task.description, description.text];
  const test = `\`\`\`python\n${task.test_code.trim()}\n\`\`\``;
  return `# ${task.id}\n\nTargets: ${task.targets.join(', ')}\n\n## A\n\n${first}\n\n## B\n\n${second}\n\n## Tests\n\n${test}\n`;
}

function keyOf(one: Described): object {
  const { task, description } = one;
  return { task: task.id, model: isModelFirst(one) ? 'A' : 'B', byRule: description.byRule };
}
