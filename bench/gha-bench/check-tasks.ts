/**
 * Runs every solution of every task, and every mutant that is to fail by a run, in two slots; prints what is not as it should be, and
 * how long scenarios took.
 *
 *   npx tsx bench/gha-bench/check-tasks.ts [--tasks t1-push-pr,…] [--repeats 1]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { authoredTasks } from '../../tasks/gha-bench/dataset/gha-dataset.js';
import type { GhaTask } from '../../tasks/gha-bench/dataset/task-schema.js';
import { judgeRuns } from '../../tasks/gha-bench/runs/judge-runs.js';
import { runScenario } from '../../tasks/gha-bench/runs/run-scenario.js';
import { assertionsOf, type Scenario } from '../../tasks/gha-bench/runs/scenario.js';

const ROOT = join(import.meta.dirname, '..', '..');
const SUITE = join(ROOT, 'tasks', 'gha-bench');
const SLOTS = 2;
const { values } = parseArgs({ options: { tasks: { type: 'string' }, repeats: { type: 'string', default: '1' } } });

/** A tree, and the assertion that must fail on it; null: none may. */
interface Subject {
  task: GhaTask;
  name: string;
  tree: Record<string, string>;
  trips: string | null;
}

const named = values.tasks?.split(',');
const tasks = (await authoredTasks(SUITE)).filter(({ id }) => named?.includes(id) ?? true);
const subjects = tasks.flatMap((task): Subject[] => {
  const solutions = Object.entries({ oracle: task.oracle, ...task.alternatives });
  const wrong = task.mutants.filter(({ layer }) => layer === 'runs');
  const right = solutions.flatMap(([name, tree]) =>
    Array.from({ length: Number(values.repeats) }, (): Subject => ({ task, name, tree, trips: null })),
  );
  return [...right, ...wrong.map(({ id, tree, trips }) => ({ task, name: id, tree, trips }))];
});
const stateFolder = await mkdtemp(join(tmpdir(), 'durabench-check-'));
const sandbox = createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot: ROOT, slots: SLOTS });
const seconds: Record<string, number[]> = {};
const waiting = [...subjects];
let wrong = 0;
const started = Date.now();
try {
  await Promise.all(Array.from({ length: SLOTS }, () => work()));
} finally {
  await sandbox.close();
  await rm(stateFolder, { recursive: true, force: true });
}
for (const [scenario, all] of Object.entries(seconds).sort()) console.log(`${scenario}: ${figures(all)}`);
const total = ((Date.now() - started) / 1000).toFixed(0);
console.log(`${subjects.length} trees in ${total} s, ${wrong} not as they should be`);

async function work(): Promise<void> {
  for (let subject = waiting.shift(); subject !== undefined; subject = waiting.shift()) {
    const { task, name, trips } = subject;
    const failed: string[] = [];
    for (const scenario of task.scenarios) failed.push(...(await failedIn(subject, scenario)));
    const isRight = trips === null ? failed.length === 0 : failed.some((each) => each.startsWith(`${trips} failed`));
    if (!isRight) wrong += 1;
    console.log(
      `${isRight ? 'as it should' : 'WRONG'}: ${task.id} ${name} (${trips ?? 'passes'}): ${failed.join('; ')}`,
    );
  }
}

async function failedIn({ task, tree }: Subject, scenario: Scenario): Promise<string[]> {
  const begun = performance.now();
  const evidence = await runScenario({
    ...{ scenario, files: { ...task.repo, ...tree }, suiteFolder: SUITE, sandbox },
    owner: { campaignId: 'check-tasks', ownerId: task.id },
    signal: new AbortController().signal,
  });
  (seconds[`${task.id} ${scenario.id}`] ??= []).push((performance.now() - begun) / 1000);
  const asked = assertionsOf([scenario]).map(({ id }) => id);
  const { assertions } = judgeRuns([{ scenario, evidence }], asked);
  return assertions.flatMap(({ id, verdict, found }) => (verdict === 'passed' ? [] : [`${id} ${verdict}: ${found}`]));
}

function figures(all: readonly number[]): string {
  const sorted = [...all].sort((left, right) => left - right);
  const at = (share: number): string => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} s, p95 ${at(0.95)} s of ${sorted.length}`;
}
