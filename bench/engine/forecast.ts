/**
 * Whether what a campaign comes to lies in the ranges that were printed before it, and its end in those told while it ran: 20
 * scripted campaigns of different shape on one stack, forecast by those that ran before them.
 *
 *   npm run build && npx tsx bench/engine/forecast.ts [CAMPAIGNS] [SEED]        (default 20 20261126)
 *
 * Shapes differ in tasks, repeats, systems, models (how long an answer is, how long it takes, what it costs) and in how much runs
 * at once; they are drawn by the seed. Two campaigns of every system come first, so that there is something to forecast by. Prints a
 * Markdown table with forecast and actual, how many campaigns kept within each range, and how wide the ranges of wall time were; then
 * the same of the time that was left when a quarter, half and three quarters of the trials had ended.
 */
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { stringify } from 'yaml';
import { openConnection, type Connection } from '../../src/client/connection.js';
import { secondsLeft } from '../../src/client/inspect/seconds-left.js';
import { openContext } from '../../src/client/open-context.js';
import type { StatusReport } from '../../src/contract/status.js';
import type { Interval } from '../../src/domain/statistics/statistics.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import type { DocumentBody } from '../../src/report/documents/documents.js';
import type { FullReport } from '../../src/report/full-report.js';
import { createCliProject, type CliProject } from '../../tests/fixtures/cli/cli-project.js';

const MEASURES = ['calls', 'tokens', 'usd', 'wall_seconds'] as const;
type Figures = Record<(typeof MEASURES)[number], number>;

interface Shape {
  systems: string[];
  tasks: number;
  repeats: number;
  atOnce: number;
}

const generator = xoroshiro128plus(Number(process.argv[3] ?? 20_261_126));
const drawn = (from: number, to: number): number => uniformInt(generator, from, to);

/** Of its trials, how many have ended when the time left is looked at. */
const SHARES = [0.25, 0.5, 0.75];
const LOOK_MS = 100;

/** What was told of the time left, in seconds; null where nothing was, or the campaign ended meanwhile. */
type Told = { range: Interval; actual: number } | null;

const campaigns = Number(process.argv[2] ?? 20);
const SYSTEMS = ['noise', 'short', 'long', 'slow'];
const [project, model] = await Promise.all([createCliProject(), scriptedModel()]);
try {
  await project.json(['up']);
  const variables = { DURABENCH_HOME: project.stateDir };
  const { connection, close } = await openConnection(openContext({ folder: project.folder, variables }));
  const on = { project, model, connection };
  for (const atOnce of [4, 16]) await ranCampaign(on, { systems: SYSTEMS, tasks: 8, repeats: 1, atOnce });
  const hits = Object.fromEntries(MEASURES.map((name) => [name, 0])) as Figures;
  const widths: number[] = [];
  const left = SHARES.map((): { isOfSeveral: boolean; told: Told }[] => []);
  console.log(`${cpus().length} cores, load ${load()} at the beginning\n`);
  console.log(
    `| systems | tasks × repeats | at once | ${MEASURES.join(' | ')} |\n|${' --- |'.repeat(3 + MEASURES.length)}`,
  );
  for (let n = 0; n < campaigns; n += 1) {
    const shape = drawnShape();
    const { forecast, actual, told } = await ranCampaign(on, shape);
    for (const [index, each] of told.entries())
      left[index]!.push({ isOfSeveral: shape.systems.length > 1, told: each });
    if (forecast.wall_seconds !== null) widths.push(forecast.wall_seconds.high / forecast.wall_seconds.low);
    const cells = MEASURES.map((name) => {
      const range = forecast[name];
      const isHit = range !== null && isWithin(range, actual[name]);
      if (isHit) hits[name] += 1;
      return `${rounded(actual[name])} in ${range === null ? 'none' : `${rounded(range.low)}–${rounded(range.high)}`}${isHit ? '' : ': missed'}`;
    });
    console.log(
      `| ${shape.systems.join(', ')} | ${shape.tasks} × ${shape.repeats} | ${shape.atOnce} | ${cells.join(' | ')} |`,
    );
  }
  console.log(
    `\nWithin the range, of ${campaigns}: ${MEASURES.map((name) => `${name} ${hits[name]}`).join(', ')}. Load ${load()} at the end.`,
  );
  const [least, median, most] = [0, 0.5, 1].map((share) => rounded(quantile(widths, share)));
  console.log(`High over low of wall time: ${median} in the median, ${least} to ${most}.`);
  console.log(
    '\n| trials that have ended | systems | end within | too short | too long | high over low: median | least to most |',
  );
  console.log(`|${' --- |'.repeat(7)}`);
  for (const isOfSeveral of [false, true])
    for (const [index, share] of SHARES.entries()) {
      const told = left[index]!.flatMap((each) => (each.isOfSeveral === isOfSeveral ? (each.told ?? []) : []));
      if (told.length > 0)
        console.log(`| ${100 * share} % | ${isOfSeveral ? 'several' : 'one'} | ${leftCells(told)} |`);
    }
  await close();
} finally {
  await project.close();
  await model.close();
}

function leftCells(told: readonly NonNullable<Told>[]): string {
  const within = told.filter(({ range, actual }) => isWithin(range, actual)).length;
  const short = told.filter(({ range, actual }) => actual > range.high).length;
  const ratios = told.map(({ range }) => range.high / range.low);
  const [least, median, most] = [0, 0.5, 1].map((share) => rounded(quantile(ratios, share)));
  return `${within} of ${told.length} | ${short} | ${told.length - within - short} | ${median} | ${least} to ${most}`;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.round(share * (sorted.length - 1))]!;
}

/** Sums of doubles: the last digits of what is counted exactly do not decide. */
function isWithin({ low, high }: { low: number; high: number }, value: number): boolean {
  const slack = 1e-9 * Math.max(1, Math.abs(value));
  return value >= low - slack && value <= high + slack;
}

function load(): string {
  return loadavg()[0]!.toFixed(1);
}

function rounded(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}

function drawnShape(): Shape {
  const systems = SYSTEMS.filter(() => drawn(0, 1) === 1);
  return {
    systems: systems.length === 0 ? [SYSTEMS[drawn(0, SYSTEMS.length - 1)]!] : systems,
    tasks: drawn(5, 20),
    repeats: drawn(1, 2),
    atOnce: [2, 4, 8, 16][drawn(0, 3)]!,
  };
}

/** Answers of three kinds: the line, the line after thoughts of another length a task, the line after a while. */
function scriptedModel(): Promise<ScriptedModelServer> {
  const line = '"Answer: ":\\n(.*)';
  const thoughts = [40, 160, 400, 900].map((words, index) => ({
    match: { model: 'long', regex: line, share: (index + 1) / 4 },
    template: `${'Let me think. '.repeat(words)}\nAnswer: {{1}}`,
  }));
  return startScriptedModelServer({
    rules: {
      rules: [
        ...thoughts,
        { match: { model: 'slow', regex: line }, template: 'Answer: {{1}}', delayMs: 1_500 },
        { match: { model: 'short', regex: line, share: 0.7 }, template: 'Answer: {{1}}' },
      ],
      default: { answer: 'I would rather not.' },
    },
  });
}

function campaignFile(url: string, { systems, tasks, repeats, atOnce }: Shape): string {
  const asking = systems.filter((id) => id !== 'noise');
  const priced = { base_url: url, api_key_env: null, price: { input: 1.1, output: 4.4 } };
  return stringify({
    name: 'forecast',
    suite: 'echo',
    dataset: { tasks },
    models: Object.fromEntries(asking.map((name) => [name, { name, ...priced }])),
    systems: systems.map((id) => (id === 'noise' ? { id, generator: id } : { id, generator: 'model', model: id })),
    repeats,
    budget: { usd: 50 },
    concurrency: { batches: 2, trials: atOnce / 2, model: 8 },
  });
}

async function ranCampaign(
  on: { project: CliProject; model: ScriptedModelServer; connection: Connection },
  shape: Shape,
): Promise<{ forecast: Record<keyof Figures, Interval | null>; actual: Figures; told: Told[] }> {
  await writeFile(join(on.project.folder, 'campaign.yaml'), campaignFile(on.model.url, shape));
  const planned = await on.project.json<DocumentBody<'planned-campaign'>>(['run', 'campaign.yaml', '--dry-run']);
  const before = await on.connection.records.resolveCampaign('latest');
  const running = on.project.durabench('run', 'campaign.yaml', '--yes');
  const [{ code, stderr }, looks] = await Promise.all([running, lookedAt(on.connection, before, running)]);
  if (code !== 0) throw new Error(stderr);
  const { spend } = await on.project.json<StatusReport>(['status', 'latest']);
  const { calls, tokens, usd } = spend;
  const latest = await on.connection.records.resolveCampaign('latest');
  const { endedAt } = await on.connection.records.campaign(latest!);
  return {
    told: looks.map((look) => look && { range: look.range, actual: (Date.parse(endedAt!) - look.at) / 1000 }),
    forecast: planned.forecast!.all,
    actual: { calls, tokens, usd, wall_seconds: await wallSeconds(on.project) },
  };
}

/** What was told of the time left, and when, at each share of its trials. */
async function lookedAt(
  connection: Connection,
  before: string | null,
  running: Promise<unknown>,
): Promise<({ range: Interval; at: number } | null)[]> {
  let isOver = false;
  void running.then(() => (isOver = true));
  const { records } = connection;
  let id = before;
  while (!isOver && (id = await records.resolveCampaign('latest')) === before) await sleep(LOOK_MS);
  const looks: ({ range: Interval; at: number } | null)[] = [];
  while (!isOver && looks.length < SHARES.length) {
    const { planned, running: begun, done } = await records.trialStates(id!);
    const all = planned + begun.length + done;
    while (looks.length < SHARES.length && all > 0 && done >= SHARES[looks.length]! * all) {
      const range = done === all ? null : await secondsLeft(connection, id!);
      looks.push(range && { range, at: Date.now() });
    }
    await sleep(LOOK_MS);
  }
  return looks;
}

/** How long it ran, as its records have it. */
async function wallSeconds(of: CliProject): Promise<number> {
  const { stdout } = await of.durabench('report', 'latest', '--format', 'json');
  return (JSON.parse(stdout) as FullReport).used.wall_hours * 3600;
}
