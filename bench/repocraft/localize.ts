/**
 * What finding an implementation costs without a model: embedding a large library, reading it back, one query, and the
 * stages `localize` and `vote` of a task.
 *
 *   npm run build && npx tsx bench/repocraft/localize.ts [--entries 5000] [--queries 50] [--tasks 20]
 *
 * Entries, each with all its views, are made up from words of the embedder's vocabulary (seeded), as long as those of the
 * references are. `once` starts with an empty store of vectors, `cached` is another embedder on the same store, a query is
 * a text nobody asked for before, in a process that has answered one. The stages are those of a gold campaign on requests,
 * searched and voted on by the heuristic voter; their times are the steps' own, start to end.
 */
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createPackageIndex } from '../../src/adapters/docker/pip/package-index.js';
import { ensureModelFile } from '../../src/adapters/onnx/model-file.js';
import { createOnnxEmbedder } from '../../src/adapters/onnx/onnx-embedder.js';
import { readEnvironment } from '../../src/config/env.js';
import { readStackState } from '../../src/stack/stack-state.js';
import type { CandidateEntry } from '../../tasks/repocraft/candidate/candidate-index.js';
import { entryViews } from '../../tasks/repocraft/search/entry-text.js';
import { TOP_MATCHES } from '../../tasks/repocraft/search/closest-entries.js';
import { queryVector } from '../../tasks/repocraft/search/query.js';
import { closestRows } from '../../tasks/repocraft/search/rank.js';
import { CampaignRecord } from '../../tests/fixtures/chaos/campaign-record.js';
import { seededRandom } from '../../tests/fixtures/chaos/seeded-random.js';
import { createCliProject, type CliProject } from '../../tests/fixtures/cli/cli-project.js';
import { PACKAGE_ROOT } from '../../tests/fixtures/package-root.js';
import { untilInterrupted } from '../until-interrupted.js';

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '5000' },
    queries: { type: 'string', default: '50' },
    tasks: { type: 'string', default: '20' },
  },
});
const [entries, queries, tasks] = [Number(values.entries), Number(values.queries), Number(values.tasks)];

console.log(`npx tsx bench/repocraft/localize.ts --entries ${entries} --queries ${queries} --tasks ${tasks}`);
console.log(`${cpus().length} x ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`);
await measureEmbedder();
await measureStages();
process.exit();

async function measureEmbedder(): Promise<void> {
  const { cacheDir, variable } = readEnvironment();
  const packages = createPackageIndex({ packageRoot: PACKAGE_ROOT, cacheFolder: cacheDir, variable });
  await ensureModelFile(join(cacheDir, 'models'), packages);
  const cacheFolder = await mkdtemp(join(tmpdir(), 'durabench-bench-'));
  try {
    await symlink(join(cacheDir, 'models'), join(cacheFolder, 'models'));
    const made = await madeUpEntries(entries + queries + 1);
    const library = made.slice(0, entries).flatMap(entryViews);
    const [first = '', ...others] = made
      .slice(entries)
      .map(({ name, doc }) => `A class for ${name}. Expected behaviour: ${doc}`);
    const open = () => createOnnxEmbedder({ cacheFolder, packageRoot: PACKAGE_ROOT, packages, variable });
    const once = await timed(async () => (await open()).embed(library));
    console.log(`${entries} entries embedded once: ${seconds(once.ms)} s (aim 60), process start included`);
    const cached = await timed(async () => (await open()).embed(library));
    console.log(`from the store: ${seconds(cached.ms)} s (aim 1)`);
    const embedder = await open();
    const warming = await timed(() => embedder.embed([first]));
    const table = Float32Array.from(cached.result.flatMap((vector) => [...vector]));
    const times: number[] = [];
    for (const text of others) {
      const query = await timed(async () => {
        return closestRows(await queryVector(embedder, text), table, {
          top: TOP_MATCHES,
          views: library.length / entries,
        });
      });
      times.push(query.ms);
    }
    console.log(
      `a query, its text new, ranked over all: ${spread(times)} ms (aim 40); the first: ${warming.ms.toFixed(0)} ms`,
    );
  } finally {
    await rm(cacheFolder, { recursive: true, force: true });
  }
}

async function measureStages(): Promise<void> {
  const project = await createCliProject();
  try {
    await untilInterrupted(runAndRead(project));
  } finally {
    await project.close();
  }
}

async function runAndRead(project: CliProject): Promise<void> {
  await Promise.all([project.json(['up']), project.json(['images', 'build', 'repocraft-requests'])]);
  await project.json(['dataset', 'fetch', 'repocraft', '--project', 'requests']);
  const file = join(project.folder, 'localize.yaml');
  await writeFile(
    file,
    `name: localize\nsuite: repocraft\ndataset: { projects: [requests], limit: ${tasks} }
systems:\n  - { id: gold, generator: gold, vote: { voter: heuristic } }\n`,
  );
  const { code, stderr } = await project.durabench('run', file, '--json');
  if (code !== 0) throw new Error(stderr);
  const record = new CampaignRecord(async () => readStackState(project.stateDir)?.addresses.databaseUrl ?? '');
  const steps = await record.steps((await record.campaignNamed('localize')) ?? '');
  for (const stage of ['localize', 'vote']) {
    const times = steps.filter((step) => step.stage === stage).map(({ startedAt, endedAt }) => endedAt - startedAt);
    console.log(`${stage}, ${times.length} steps of ${tasks} tasks: ${spread(times)} ms (aim for a task: 60000)`);
  }
}

/** Entries with a path of three words, three parameters and a sentence of twelve words. */
async function madeUpEntries(count: number): Promise<CandidateEntry[]> {
  const vocabulary = await readFile(join(PACKAGE_ROOT, 'src/adapters/onnx/bert-uncased-vocab.txt'), 'utf8');
  const all = vocabulary.split('\n').filter((word) => /^[a-z]{3,10}$/.test(word));
  const random = seededRandom(1);
  const words = (number: number): string[] =>
    Array.from({ length: number }, () => all[Math.floor(random() * all.length)] ?? '');
  return Array.from({ length: count }, () => {
    const [name, owner, module] = [words(2).join('_'), words(1).join(''), words(2).join('.')];
    return {
      ...{ kind: 'method' as const, name, owner, module, qualname: `${owner}.${name}`, file: '' },
      ...{
        lines: [1, 9] as [number, number],
        signature: `(self, ${words(3).join(', ')})`,
        doc: `${words(12).join(' ')}.`,
      },
    };
  });
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ ms: number; result: Result }> {
  const startedAt = performance.now();
  const result = await work();
  return { ms: performance.now() - startedAt, result };
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2);
}

function spread(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  return `median ${(sorted[Math.floor((sorted.length - 1) / 2)] ?? NaN).toFixed(1)}, most ${(sorted.at(-1) ?? NaN).toFixed(1)}`;
}
