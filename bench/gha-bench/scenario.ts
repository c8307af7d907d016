/**
 * Runs the scenarios of a task by hand, on its oracle or on another tree, and prints each assertion with what was found.
 *
 *   npx tsx bench/gha-bench/scenario.ts TASK [--on oracle|ALTERNATIVE|MUTANT|FOLDER] [--scenario ID] [--keep FOLDER]
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { authoredTasks } from '../../tasks/gha-bench/dataset/gha-dataset.js';
import type { GhaTask } from '../../tasks/gha-bench/dataset/task-schema.js';
import { readActLog } from '../../tasks/gha-bench/runs/act-log.js';
import { judgeRuns } from '../../tasks/gha-bench/runs/judge-runs.js';
import { assertionsOf } from '../../tasks/gha-bench/runs/scenario.js';
import { runScenario } from '../../tasks/gha-bench/runs/run-scenario.js';

const ROOT = join(import.meta.dirname, '..', '..');
const SUITE = join(ROOT, 'tasks', 'gha-bench');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { on: { type: 'string', default: 'oracle' }, scenario: { type: 'string' }, keep: { type: 'string' } },
});

const task = (await authoredTasks(SUITE)).find(({ id }) => id === positionals[0]);
if (task === undefined) throw new Error('name a task');
const candidate = await treeOf(task, values.on);
const stateFolder = await mkdtemp(join(tmpdir(), 'durabench-scenario-'));
const sandbox = createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot: ROOT, slots: 1 });
let failed = 0;
try {
  for (const scenario of task.scenarios.filter(({ id }) => values.scenario === undefined || id === values.scenario)) {
    const started = Date.now();
    const evidence = await runScenario({
      ...{ scenario, files: { ...task.repo, ...candidate }, suiteFolder: SUITE, sandbox },
      owner: { campaignId: 'by-hand', ownerId: task.id },
      signal: new AbortController().signal,
    });
    const { refused, runs } = evidence;
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    console.log(`\n${task.id} ${values.on} ${scenario.id}: ${seconds} s ${refused.join('; ')}`);
    for (const [number, { log, errors, ended, exit, seconds: own }] of runs.entries()) {
      console.log(`  ${scenario.events[number]?.event}: ended by ${ended}, status ${exit}, ${own} s`);
      const read = readActLog(log, errors);
      const legs = read.legs.map(({ job, matrix, result }) => `${job} ${JSON.stringify(matrix)} ${result}`);
      console.log(`    ${[...legs, ...read.unsupported, ...read.errors].join('\n    ')}`);
      if (values.keep === undefined) continue;
      await mkdir(values.keep, { recursive: true });
      await writeFile(join(values.keep, `${scenario.id}.${number}.jsonl`), `${log}\n${errors}`);
    }
    const asked = assertionsOf([scenario]).map(({ id }) => id);
    for (const { id, event, verdict, expected, found } of judgeRuns([{ scenario, evidence }], asked).assertions) {
      if (verdict !== 'passed') failed += 1;
      console.log(`  ${verdict} ${event} ${id}: ${expected} | ${found}`);
    }
  }
} finally {
  await sandbox.close();
  await rm(stateFolder, { recursive: true, force: true });
}
console.log(`\n${failed} assertions do not hold`);

async function treeOf({ oracle, alternatives, mutants }: GhaTask, name: string): Promise<Record<string, string>> {
  const known = { oracle, ...alternatives, ...Object.fromEntries(mutants.map(({ id, tree }) => [id, tree])) }[name];
  if (known !== undefined) return known;
  const entries = await readdir(name, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = async (path: string) => [path.slice(resolve(name).length + 1), await readFile(path, 'utf8')] as const;
  return Object.fromEntries(await Promise.all(paths.map((path) => read(resolve(path)))));
}
