/**
 * Whether grades depend on what else a machine does: gold campaigns beside CPU hogs in sessions of their own, disk hogs, memory
 * pressure and loops that create, fill and remove containers, against one round without them.
 *
 *   npm run build && npx tsx bench/load/under-load.ts [--rounds 5] [--requests 1000] [--tasks 30] [--projects all] [--load 40]
 *     [--slots 2] [--minutes 240] [--hogs cpu=44,sessions=44,disk=2,memory=0.4,containers=3|none] [--no-idle]
 *
 * `--requests`: tasks of requests, `--tasks`: of each other project. `sessions`: how many the CPU hogs share; one each where it is
 * left out. Each round waits until the load (of a minute) is reached; with `--hogs none` it starts none and waits for nothing: what
 * else the machine does is the load, told as least, mean and most. Every non-passed trial is printed with its reason. Ends at
 * `--minutes` with what has ended until then, and with Ctrl-C, whatever it is doing: hogs, containers and stack go with it, and hogs
 * by themselves should it be killed. Prints one JSON line a round and a table. Exits 1 when a trial of a round failed, or was
 * blamed on model or task.
 */
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { readStackState } from '../../src/stack/stack-state.js';
import { BENCHMARK_PROJECTS } from '../../tasks/repocraft/dataset/project-settings.js';
import { readLock } from '../../tasks/repocraft/dataset/lock/dataset-lock.js';
import { createCliProject, type CliProject } from '../../tests/fixtures/cli/cli-project.js';
import { PACKAGE_ROOT } from '../../tests/fixtures/package-root.js';
import { startHogs, type HogCounts, type Hogs } from './hogs.js';
import { untilInterrupted } from '../until-interrupted.js';

const suiteFolder = join(PACKAGE_ROOT, 'tasks', 'repocraft');
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    requests: { type: 'string', default: '1000' },
    tasks: { type: 'string', default: '30' },
    projects: { type: 'string', default: 'all' },
    load: { type: 'string', default: '40' },
    slots: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '240' },
    hogs: { type: 'string', default: 'cpu=44,disk=2,memory=0.4,containers=3' },
    'no-idle': { type: 'boolean', default: false },
  },
});
const [rounds, wantedLoad, slots, minutes] = [values.rounds, values.load, values.slots, values.minutes].map(Number) as [
  number,
  number,
  number,
  number,
];
const libraries = values.projects === 'all' ? [...BENCHMARK_PROJECTS] : values.projects.split(',');
/** Null: no hogs of our own. */
const counts = values.hogs === 'none' ? null : hogCounts(values.hogs);
/** The load of a minute follows what runs slowly. */
const LOAD_WAIT_MS = 240_000;

interface Round {
  round: number | 'idle';
  load: { least: number; mean: number; most: number };
  wallSeconds: number;
  trials: number;
  outcomes: Record<string, number>;
  /** Of trials that did not pass. */
  blames: Record<string, number>;
  /** Failed attempts by failure type: what was tried again. */
  retries: Record<string, number>;
  cpu: { p50: number; p95: number };
  /** Of each task, against the idle round: median and 95th percentile. */
  growth: { p50: number; p95: number } | null;
  containersMade: number;
  /** Trials that had not ended at `--minutes`. */
  unfinished: number;
  notPassed: { task: string; outcome: string; blame: string | null; reason: string | null }[];
}

let hogs: Hogs | undefined;
const endsAt = Date.now() + minutes * 60_000;
const project = await createCliProject();
try {
  const results = await untilInterrupted(measure(project));
  process.stdout.write(table(results));
  const isWrong = results.some(
    ({ outcomes, blames }) => (outcomes['failed'] ?? 0) + (blames['model'] ?? 0) + (blames['task'] ?? 0) > 0,
  );
  process.exitCode = isWrong ? 1 : 0;
} finally {
  await hogs?.end();
  await project.close();
}

async function measure(project: CliProject): Promise<Round[]> {
  const images = libraries.map((library) => `repocraft-${library}`);
  await Promise.all([project.json(['up']), project.json(['images', 'build', ...images])]);
  await project.json(['dataset', 'fetch', 'repocraft', '--project', libraries.join(',')]);
  await writeFile(join(project.folder, 'load.yaml'), await campaignFile());
  const image = await imageTag(project);
  const idle = values['no-idle'] ? null : await runCampaign(project, 'idle', null);
  const results = idle === null ? [] : [idle.round];
  if (idle !== null) process.stdout.write(`${JSON.stringify(idle.round)}\n`);
  for (let round = 1; round <= rounds && Date.now() < endsAt; round += 1) {
    const seconds = Math.max(60, Math.ceil((endsAt - Date.now()) / 1000));
    if (counts !== null) {
      hogs = await startHogs(counts, { image, seconds });
      await reachLoad();
    }
    const ended = await runCampaign(project, round, idle?.cpuOf ?? null);
    await hogs?.end();
    hogs = undefined;
    results.push(ended.round);
    process.stdout.write(`${JSON.stringify(ended.round)}\n`);
  }
  return results;
}

async function reachLoad(): Promise<void> {
  const until = Date.now() + LOAD_WAIT_MS;
  while ((loadavg()[0] ?? 0) < wantedLoad && Date.now() < until) await sleep(1_000);
}

async function imageTag(project: CliProject): Promise<string> {
  const { images } = await project.json<{ images: { name: string; tag: string }[] }>(['images', 'check']);
  return images.find(({ name }) => name === `repocraft-${libraries[0]}`)?.tag ?? '';
}

async function campaignFile(): Promise<string> {
  const ids: string[] = [];
  for (const library of libraries) {
    const { tasks } = await readLock(library, suiteFolder);
    const most = Number(library === 'requests' ? values.requests : values.tasks);
    // Spread over the whole project, not its first module.
    const every = Math.max(1, tasks.length / most);
    for (let at = 0; at < tasks.length && at / every < most; at += every) ids.push(tasks[Math.floor(at)]!.id);
  }
  return `
name: under-load
suite: repocraft
dataset: { projects: [${libraries.join(', ')}], tasks: [${ids.join(', ')}] }
systems:
  - { id: gold, generator: gold, vote: { voter: oracle } }
concurrency: { sandbox: ${slots} }
`;
}

async function runCampaign(
  project: CliProject,
  round: Round['round'],
  idleCpu: ReadonlyMap<string, number> | null,
): Promise<{ round: Round; cpuOf: Map<string, number> }> {
  const loads = watchLoad();
  const begun = Date.now();
  const name = `under-load-${round}`;
  const left = sleep(Math.max(0, endsAt - begun), null, { ref: false });
  const end = await Promise.race([project.durabench('run', 'load.yaml', '--json', '--id', name), left]).finally(() =>
    loads.end(),
  );
  if (end !== null && !end.stdout.startsWith('{')) throw new Error(end.stderr);
  const { trials, retries, cpuOf } = await recordsOf(project, name);
  const shares = (values: number[]): Round['cpu'] => ({ p50: percentile(values, 0.5), p95: percentile(values, 0.95) });
  const grown = [...cpuOf].flatMap(([task, cpu]) => {
    const before = idleCpu?.get(task);
    return before === undefined || before === 0 ? [] : [cpu / before];
  });
  return {
    cpuOf,
    round: {
      ...{ round, load: loads.seen(), trials: trials.length, retries },
      wallSeconds: rounded((Date.now() - begun) / 1000),
      outcomes: tally(trials.flatMap(({ outcome }) => outcome ?? [])),
      unfinished: trials.filter(({ outcome }) => outcome === null).length,
      blames: tally(trials.flatMap(({ blame }) => (blame === null ? [] : [blame]))),
      cpu: shares([...cpuOf.values()]),
      growth: idleCpu === null ? null : shares(grown),
      containersMade: hogs?.containersMade() ?? 0,
      notPassed: trials.flatMap(({ outcome, ...trial }) =>
        outcome === null || outcome === 'passed' ? [] : [{ ...trial, outcome }],
      ),
    },
  };
}

interface EndOf {
  task: string;
  outcome: string | null;
  blame: string | null;
  reason: string | null;
}

async function recordsOf(
  { stateDir }: CliProject,
  campaign: string,
): Promise<{ trials: EndOf[]; retries: Round['retries']; cpuOf: Map<string, number> }> {
  const client = new pg.Client({ connectionString: readStackState(stateDir)?.addresses.databaseUrl });
  await client.connect();
  try {
    const trials = await client.query<EndOf>(
      'select task_id as task, outcome, blame, reason from trials where campaign_id = $1 order by task_id',
      [campaign],
    );
    const retries = await client.query<{ type: string }>(
      `select failure ->> 'type' as type from attempts join trials on trials.id = owner_id
       where trials.campaign_id = $1 and failure is not null`,
      [campaign],
    );
    const cpu = await client.query<{ task: string; cpu: number }>(
      `select task_id as task, (steps.result ->> 'cpuSeconds')::float as cpu from steps join trials on trials.id = owner_id
       where trials.campaign_id = $1 and stage = 'execute' and step = 'run' and steps.result ->> 'cpuSeconds' is not null`,
      [campaign],
    );
    return {
      trials: trials.rows,
      retries: tally(retries.rows.map(({ type }) => type)),
      cpuOf: new Map(cpu.rows.map(({ task, cpu }) => [task, cpu])),
    };
  } finally {
    await client.end();
  }
}

function watchLoad(): { seen(): Round['load']; end(): void } {
  const seen: number[] = [];
  const timer = setInterval(() => seen.push(loadavg()[0] ?? 0), 2_000);
  const mean = (): number => seen.reduce((sum, load) => sum + load, 0) / Math.max(1, seen.length);
  return {
    seen: () => ({ least: rounded(Math.min(...seen)), mean: rounded(mean()), most: rounded(Math.max(...seen)) }),
    end: () => clearInterval(timer),
  };
}

function tally(words: readonly (string | null)[]): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const word of words) counted[String(word)] = (counted[String(word)] ?? 0) + 1;
  return counted;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function hogCounts(text: string): HogCounts {
  const given = Object.fromEntries(text.split(',').map((part) => part.split('=') as [string, string]));
  const of = (name: string): number => Number(given[name] ?? 0);
  const counts = { cpu: of('cpu'), sessions: of('sessions'), disk: of('disk') };
  return { ...counts, memoryShare: of('memory'), containers: of('containers') };
}

function table(results: readonly Round[]): string {
  const head =
    'round | load least / mean / most | trials | passed | failed | errored | unfinished | blamed | tried again | CPU p50 / p95 s | growth p50 / p95 | minutes';
  const words = (found: Record<string, number>): string =>
    Object.entries(found)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || '0';
  const rows = results.map((one) =>
    [
      ...[one.round, `${one.load.least} / ${one.load.mean} / ${one.load.most}`, one.trials],
      ...['passed', 'failed', 'errored'].map((outcome) => one.outcomes[outcome] ?? 0),
      one.unfinished,
      ...[words(one.blames), words(one.retries), `${one.cpu.p50} / ${one.cpu.p95}`],
      one.growth === null ? '–' : `${one.growth.p50} / ${one.growth.p95}`,
      rounded(one.wallSeconds / 60),
    ].join(' | '),
  );
  const lines = [head, head.replaceAll(/[^|]+/g, ' --- '), ...rows].map((line) => `| ${line} |`);
  return `\n${cpus().length} cores, ${process.argv.slice(2).join(' ')}\n\n${lines.join('\n')}\n`;
}
