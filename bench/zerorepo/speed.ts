/**
 * How fast and how thrifty units are made when models take their time: ZeroRepo with the scripted player over HTTP, whose
 * answers about units come after 5 to 40 s (spread evenly over the logarithm, decided by seed and question, so every run
 * waits alike), a real Temporal server and Postgres, and a sandbox that takes no time.
 *
 *   npx tsx bench/zerorepo/speed.ts [--units 80] [--scale 1] [--seed 1]
 *
 * `--scale 0.1` makes latencies a tenth. Prints JSON lines: units at window 1 (ten of them, extrapolated) and window 8
 * against the critical path of the plan; then textkit's 40 functions alone, in batches, with one docstring edited when all
 * were made, and with both: calls, tokens, wall, and whether the repository is the same bytes.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { ScriptedModelOptions } from '../../src/fakes/scripted-model-server.js';
import type { PlanningGraph } from '../../tasks/repocraft/generators/zerorepo/graph/planning-graph.js';
import { writeMadeUpLibrary } from '../../tests/fixtures/zerorepo/made-up-library.js';
import { startStandalonePostgres } from '../../tests/fixtures/postgres/standalone-postgres.js';
import { TEXTKIT } from '../../tests/fixtures/zerorepo/textkit-project.js';
import { openZeroRepoRig, type GenerationEnd } from '../../tests/fixtures/zerorepo/zerorepo-rig.js';
import { promptOf, tokensByPhase } from './phases.js';

const { values } = parseArgs({
  options: {
    units: { type: 'string', default: '80' },
    scale: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
  },
});
const [units, scale] = [Number(values.units), Number(values.scale)];
/** Questions about one unit or a batch of them; those of planning and of the whole are answered at once. */
const OF_UNITS = ['tests', 'code', 'failure-vote', 'localize', 'repair', 'repair-tests'];
const CHAIN = 5;
const WINDOW = 8;
const EXTRAPOLATED_FROM = 10;

Runtime.install({ logger: new DefaultLogger('ERROR') });
const folder = await mkdtemp(join(tmpdir(), 'durabench-speed-'));
const postgres = await startStandalonePostgres();
try {
  print({ bench: `--units ${units} --scale ${scale} --seed ${values.seed}`, load: Math.round(loadavg()[0] ?? 0) });
  await windows();
  await thrift();
} finally {
  await postgres.close();
  await rm(folder, { recursive: true, force: true });
}

/** Seconds that a question is waited for, by unit and model; what is not about units costs none. */
function waits() {
  const seconds = new Map<string, Map<string, number>>();
  const answer: ScriptedModelOptions['onRequest'] = async ({ model }, messages) => {
    if (!OF_UNITS.includes(promptOf(messages))) return;
    const text = messages.map(({ content }) => content).join('\n');
    const dice = createHash('sha256').update(`${values.seed}\n${text}`).digest().readUInt32BE() / 2 ** 32;
    const wait = scale * 5 * 8 ** dice;
    const unit = unitOf(text);
    const own = seconds.get(model) ?? new Map<string, number>();
    seconds.set(model, own.set(unit, (own.get(unit) ?? 0) + wait));
    await sleep(wait * 1000);
  };
  return { answer, of: (model: string): ReadonlyMap<string, number> => seconds.get(model) ?? new Map() };
}

/** The first of the units that a question is about. */
function unitOf(text: string): string {
  const input = JSON.parse(/```json\n([^]*?)\n```/.exec(text)?.[1] ?? '{}') as {
    unit?: { id: string };
    units?: { id: string }[];
  };
  return input.unit?.id ?? input.units?.[0]?.id ?? '';
}

/** Ten units one after the other, and all of them eight at once. */
async function windows(): Promise<void> {
  const library = await writeMadeUpLibrary(folder, { features: units, modules: 4, chain: CHAIN, from: 'first' });
  const waited = waits();
  const rules = { library, default: { plays: 'competent' as const } };
  const rig = await openZeroRepoRig(postgres.databaseUrl, { rules, onRequest: waited.answer });
  try {
    const options = (window: number, features: number) => ({ iterations: 200, features, mutants: 0, window });
    const [one, eight] = await Promise.all([
      rig.generate({ model: 'one', options: options(1, EXTRAPOLATED_FROM) }),
      rig.generate({ model: 'eight', options: options(WINDOW, units), modelCalls: WINDOW }),
    ]);
    const alone = unitsOf(one, waited.of('one'));
    const beside = unitsOf(eight, waited.of('eight'));
    const sequential = (alone.span / alone.count) * units;
    const path = criticalPath(waited.of('eight'));
    print({
      window: 1,
      ...alone,
      overheadMsPerUnit: overhead(alone),
      extrapolatedTo: units,
      seconds: round(sequential),
    });
    print({
      ...{ window: WINDOW, ...beside, criticalPath: round(path), eighth: round(beside.waited / WINDOW) },
      lessThanWindow1: `${round(100 * (1 - beside.span / sequential))} %`,
    });
  } finally {
    await rig.close();
  }
}

interface UnitsTime {
  count: number;
  /** From the begin of the first to the end of the last, in seconds. */
  span: number;
  /** Sums over all units: from begin to end, and waiting for the model. */
  busy: number;
  waited: number;
}

function unitsOf({ workflows }: GenerationEnd, waited: ReadonlyMap<string, number>): UnitsTime {
  const own = workflows.filter(({ type }) => type === 'zerorepoUnit');
  const span = Math.max(...own.map(({ endedAt }) => endedAt)) - Math.min(...own.map(({ startedAt }) => startedAt));
  const busy = own.reduce((sum, { startedAt, endedAt }) => sum + endedAt - startedAt, 0);
  const all = [...waited.values()].reduce((sum, one) => sum + one, 0);
  return { count: own.length, span: round(span / 1000), busy: round(busy / 1000), waited: round(all) };
}

/** What one unit after the other costs beside waiting for the model, the steps between two of them included. */
function overhead({ count, span, waited }: UnitsTime): { ms: number; share: string } {
  return { ms: Math.round((1000 * (span - waited)) / count), share: `${round((100 * (span - waited)) / span)} %` };
}

/** The first module has to be whole before the others begin; in each the longest chain of functions counts. */
function criticalPath(waited: ReadonlyMap<string, number>): number {
  const chains = new Map<string, number>();
  for (const [id, seconds] of waited) {
    const [, module = '', index = ''] = /step_(\d+)_(\d+)$/.exec(id) ?? [];
    const chain = `${module} ${Math.floor(Number(index) / CHAIN)}`;
    chains.set(chain, (chains.get(chain) ?? 0) + seconds);
  }
  const longest = (isOf: (chain: string) => boolean): number =>
    Math.max(0, ...[...chains].filter(([chain]) => isOf(chain)).map(([, seconds]) => seconds));
  return longest((chain) => chain.startsWith('0 ')) + longest((chain) => !chain.startsWith('0 '));
}

/** Functions in one prompt, and an edit that leaves most units as they are: alone and together. */
async function thrift(): Promise<void> {
  const ways = { plain: 1, batched: 5, 'edited-before': 1, incremental: 1, both: 5 };
  const phases = new Map(Object.keys(ways).map((way) => [way, tokensByPhase()]));
  const moments = new Map(['incremental', 'both'].map((way) => [way, moment()]));
  const waited = waits();
  const rig = await openZeroRepoRig(postgres.databaseUrl, {
    rules: { library: TEXTKIT, default: { plays: 'competent' } },
    onRequest: async (request, messages) => {
      const prompt = phases.get(request.model)?.note(request, messages);
      const held = moments.get(request.model);
      if (prompt === 'end-to-end-test' && held !== undefined) {
        held.arrive();
        await held.released;
      } else await waited.answer?.(request, messages);
    },
  });
  const run = async (way: keyof typeof ways, graph: PlanningGraph | null): Promise<GenerationEnd> => {
    const generation = { model: way, options: { mutants: 0, window: WINDOW, batch: ways[way] }, modelCalls: WINDOW };
    const held = moments.get(way);
    if (graph !== null) return rig.generateEdited(generation, { moment: null, change: () => edited(graph) });
    if (held === undefined) return rig.generate(generation);
    const before = (): void => {
      print({ way: `${way}, until the edit`, ...sums(phases.get(way)) });
      phases.set(way, tokensByPhase());
      held.release();
    };
    return rig.generateEdited(generation, { moment: { come: held.come, release: before }, change: edited });
  };
  try {
    const plain = await run('plain', null);
    const graph = await graphOf(plain);
    const rest = await Promise.all([
      run('batched', null),
      run('edited-before', graph),
      run('incremental', null),
      run('both', null),
    ]);
    const trees = [plain, ...rest].map(({ candidate }) => candidate.sha256.slice(0, 12));
    for (const [index, { candidate, wallSeconds }] of [plain, ...rest].entries()) {
      const way = Object.keys(ways)[index] ?? '';
      const { units: planned, units_done: done } = candidate.figures ?? {};
      print({ way, ...sums(phases.get(way)), wallSeconds: Math.round(wallSeconds), planned, done, tree: trees[index] });
    }
    print({ tokensByPhase: phases.get('plain')?.totals() });
    print({ sameBytes: { batched: trees[1] === trees[0], edited: trees[3] === trees[2] && trees[4] === trees[2] } });
  } finally {
    await rig.close();
  }

  async function graphOf({ steps }: GenerationEnd): Promise<PlanningGraph> {
    const { result } = steps.findLast(({ step }) => step === 'check/skeleton') ?? { result: null };
    const { graph } = result as { graph: string };
    return JSON.parse((await rig.blobs.get(graph)).toString('utf8')) as PlanningGraph;
  }
}

/** One sentence more in the docstring of a function that others use. */
function edited(graph: PlanningGraph | null): PlanningGraph {
  if (graph === null) throw new Error('no graph to edit');
  const interfaces = graph.interfaces.map((one) =>
    one.name === 'count_syllables' ? { ...one, docstring: `${one.docstring}\n\nAn estimate.` } : one,
  );
  return { ...graph, interfaces };
}

function moment() {
  let arrive = (): void => undefined;
  let release = (): void => undefined;
  const come = new Promise<void>((resolve) => (arrive = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  return { come, released, arrive: () => arrive(), release: () => release() };
}

function sums(phases: ReturnType<typeof tokensByPhase> | undefined): { calls: number; tokens: number } {
  const all = Object.values(phases?.totals() ?? {});
  const sum = (of: (one: { calls: number; tokens: number }) => number): number =>
    all.reduce((total, one) => total + of(one), 0);
  return { calls: sum(({ calls }) => calls), tokens: sum(({ tokens }) => tokens) };
}

function round(value: number): number {
  return Math.round(10 * value) / 10;
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
