/**
 * What a trial takes beyond its scenarios: the oracle of every task, one trial at a time, nothing remembered. Of a trial's seconds are
 * taken off those in which act ran (`act`), those of its steps that run scenarios, with what a slot needs around act (`scenarios`), or
 * these and the linters' (`lint`).
 *
 *   npm run build && npx tsx bench/gha-bench/trial.ts
 *
 * Needs Docker and the images of GHA-Bench; starts a stack of its own. Prints a line of JSON for each trial, then p50 and p95.
 */
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { createCliProject } from '../../tests/fixtures/cli/cli-project.js';

const CAMPAIGN = `name: trial-seconds
suite: gha-bench
systems: [{ id: oracle, generator: oracle }]
judge: { remember: false }
concurrency: { batches: 1, trials: 1 }
`;

interface Timed {
  started_at: string;
  ended_at: string;
}

interface TrialDocument {
  trial: Timed & { id: string; outcome: string };
  steps: (Timed & { stage: string; step: string; result: { seconds?: number } })[];
}

const project = await createCliProject();
try {
  await project.json(['up']);
  await writeFile(join(project.folder, 'trial.yaml'), CAMPAIGN);
  const run = await project.durabench('run', 'trial.yaml', '--yes');
  if (run.code !== 0) throw new Error(run.stderr);
  const { stdout } = await project.durabench('export', 'latest', '--format', 'jsonl');
  const trials = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string });
  const beyond: { act: number[]; scenarios: number[]; lint: number[] } = { act: [], scenarios: [], lint: [] };
  for (const { id } of trials) {
    const { trial, steps } = await project.json<TrialDocument>(['show', id]);
    const runs = steps.filter(({ stage, step }) => stage === 'execute' && step.startsWith('act/'));
    const whole = secondsOf(trial);
    const act = whole - sum(runs.map(({ result }) => result.seconds ?? 0));
    const own = whole - sum(runs.map(secondsOf));
    beyond.act.push(act);
    beyond.scenarios.push(own);
    const lint = own - sum(steps.filter(({ step }) => step === 'lint').map(secondsOf));
    beyond.lint.push(lint);
    const line = {
      trial: id,
      outcome: trial.outcome,
      scenarios: runs.length,
      seconds: whole,
      beyondAct: act,
      beyondScenarios: own,
      beyondLint: lint,
    };
    console.log(
      JSON.stringify(line, (_, value: unknown) => (typeof value === 'number' ? Number(value.toFixed(2)) : value)),
    );
  }
  console.log(`${cpus().length} processors, load ${loadavg()[0]?.toFixed(1)}`);
  for (const [name, seconds] of Object.entries(beyond)) {
    const sorted = seconds.sort((one, other) => one - other);
    const at = (part: number): string => (sorted[Math.ceil(part * sorted.length) - 1] ?? NaN).toFixed(2);
    console.log(`beyond ${name}: p50 ${at(0.5)} s, p95 ${at(0.95)} s of ${sorted.length}`);
  }
} finally {
  await project.close();
}

function secondsOf({ started_at, ended_at }: Timed): number {
  return (Date.parse(ended_at) - Date.parse(started_at)) / 1000;
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
