/**
 * Runs every scenario of every oracle again and again in two slots (or as many as --slots says), and compares verdicts and traces
 * (jobs, legs, steps, results, outputs, tools with their status, artifacts; no times, no order of legs). Prints what differs, and
 * times by scenario.
 *
 *   npx tsx bench/gha-bench/flakes.ts [--runs 10] [--slots 2] [--tasks t1-push-pr,…]
 */
import canonicalize from 'canonicalize';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { authoredTasks } from '../../tasks/gha-bench/dataset/gha-dataset.js';
import { readActLog } from '../../tasks/gha-bench/runs/act-log.js';
import { judgeRuns } from '../../tasks/gha-bench/runs/judge-runs.js';
import { runScenario, type ScenarioEvidence } from '../../tasks/gha-bench/runs/run-scenario.js';
import { assertionsOf } from '../../tasks/gha-bench/runs/scenario.js';

const ROOT = join(import.meta.dirname, '..', '..');
const SUITE = join(ROOT, 'tasks', 'gha-bench');
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10' },
    slots: { type: 'string', default: '2' },
    tasks: { type: 'string' },
  },
});
const slots = Number(values.slots);

const named = values.tasks?.split(',');
const tasks = (await authoredTasks(SUITE)).filter(({ id }) => named?.includes(id) ?? true);
const scenarios = tasks.flatMap((task) => task.scenarios.map((scenario) => ({ task, scenario })));
const waiting = Array.from({ length: Number(values.runs) }, () => scenarios).flat();
const all = waiting.length;
const seen = new Map<string, { traces: Map<string, number>; seconds: number[] }>();
const stateFolder = await mkdtemp(join(tmpdir(), 'durabench-flakes-'));
const sandbox = createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot: ROOT, slots });
let started = Date.now();
const loads: number[] = [];
try {
  // A slot's start is measured by slot.ts.
  const [first] = scenarios;
  if (first !== undefined) await Promise.all(Array.from({ length: slots }, () => run(first)));
  started = Date.now();
  await Promise.all(Array.from({ length: slots }, () => work()));
} finally {
  await sandbox.close();
  await rm(stateFolder, { recursive: true, force: true });
}
let flakes = 0;
for (const [name, { traces, seconds }] of [...seen].sort()) {
  const sorted = seconds.sort((left, right) => left - right);
  const at = (share: number): string => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(1);
  console.log(`${name}: ${seconds.length} runs, ${traces.size} traces, p50 ${at(0.5)} s, p95 ${at(0.95)} s`);
  if (traces.size === 1) continue;
  flakes += seconds.length - Math.max(...traces.values());
  for (const [trace, count] of traces) console.log(`  ${count} x ${trace}`);
}
const load = loads.reduce((sum, each) => sum + each, 0) / loads.length;
console.log(
  `${all} runs in ${((Date.now() - started) / 1000).toFixed(0)} s at a load of ${load.toFixed(0)}: ${flakes} flakes`,
);
if (flakes > 0) process.exitCode = 1;

async function work(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { task, scenario } = next;
    const begun = performance.now();
    const evidence = await run(next);
    loads.push(loadavg()[0] ?? 0);
    const asked = assertionsOf([scenario]).map(({ id }) => id);
    const verdicts = judgeRuns([{ scenario, evidence }], asked).assertions.map(({ id, verdict }) => `${id} ${verdict}`);
    const trace = JSON.stringify({ verdicts, ...traceOf(evidence) });
    const known = seen.get(`${task.id} ${scenario.id}`) ?? { traces: new Map<string, number>(), seconds: [] };
    known.traces.set(trace, (known.traces.get(trace) ?? 0) + 1);
    known.seconds.push((performance.now() - begun) / 1000);
    seen.set(`${task.id} ${scenario.id}`, known);
  }
}

function run({ task, scenario }: (typeof scenarios)[number]): Promise<ScenarioEvidence> {
  return runScenario({
    ...{ scenario, files: { ...task.repo, ...task.oracle }, suiteFolder: SUITE, sandbox },
    owner: { campaignId: 'flakes', ownerId: task.id },
    signal: new AbortController().signal,
  });
}

function traceOf({ refused, runs }: ScenarioEvidence): object {
  return {
    refused,
    runs: runs.map(({ exit, ended, log, errors, tools, artifacts }) => {
      const { legs, unsupported } = readActLog(log, errors);
      const told = legs.map(({ job, matrix, result, steps }) => {
        // Outputs come in any order.
        const done = steps.map(({ id, stage, result: end, outputs }) => [id, stage, end, canonicalize(outputs)]);
        return JSON.stringify([job, matrix, result, done]);
      });
      const ran = tools.map(({ tool, argv, exit: status }) => [tool, ...argv, status].join(' '));
      const kept = artifacts.map(({ name, files }) => [name, (files ?? []).map(({ path }) => path)]);
      return { exit, ended, unsupported, legs: told.sort(), tools: ran.sort(), artifacts: kept };
    }),
  };
}
