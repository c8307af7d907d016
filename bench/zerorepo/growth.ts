/**
 * What a feature tree costs and gives.
 *
 *   npx tsx bench/zerorepo/growth.ts --leaves 1500000                 seconds and memory of indexing made-up leaves and choosing 30 times
 *   npx tsx bench/zerorepo/growth.ts [--tree FILE] [--project P]     a curve over 30 rounds: leaves planned, coverage, novelty
 *
 * The planner of the second is scripted, not a model: in each round it takes the nearest and the drawn leaves that it is shown whose
 * path is at least as near to the purpose as `--near` (cosine). So the curve tells what the tree offers, not what a
 * model makes of it. Coverage and novelty are those of the report, by the nearest leaf of the project's taxonomy.
 */
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createPackageIndex } from '../../src/adapters/docker/pip/package-index.js';
import { createOnnxEmbedder } from '../../src/adapters/onnx/onnx-embedder.js';
import { readEnvironment } from '../../src/config/env.js';
import { systemSpec } from '../../src/fakes/suite-bench.js';
import { nearestLeaves as leavesNear } from '../../tasks/repocraft/coverage/assign.js';
import { countCoverage, FLOOR } from '../../tasks/repocraft/coverage/place-features.js';
import { readTaxonomy } from '../../tasks/repocraft/coverage/taxonomy.js';
import { purposeOf } from '../../tasks/repocraft/generators/purposes.js';
import { drawnLeaves, nearestLeaves } from '../../tasks/repocraft/generators/zerorepo/knowledge/choose-leaves.js';
import { indexTree } from '../../tasks/repocraft/generators/zerorepo/knowledge/tree-index.js';
import { readTreeFile } from '../../tasks/repocraft/generators/zerorepo/knowledge/tree-file.js';
import { seededRandom } from '../../tests/fixtures/chaos/seeded-random.js';
import { PACKAGE_ROOT } from '../../tests/fixtures/package-root.js';

const { values } = parseArgs({
  options: {
    leaves: { type: 'string' },
    tree: { type: 'string', default: join(PACKAGE_ROOT, 'examples', 'feature-trees', 'python-packages.json') },
    project: { type: 'string', default: 'requests' },
    near: { type: 'string', default: '0.2' },
    rounds: { type: 'string', default: '30' },
    shown: { type: 'string', default: '60' },
    explore: { type: 'string', default: '0.3' },
  },
});
const ROUNDS = Number(values.rounds);
const suiteFolder = join(PACKAGE_ROOT, 'tasks', 'repocraft');
const { cacheDir, variable } = readEnvironment();
const packages = createPackageIndex({ packageRoot: PACKAGE_ROOT, cacheFolder: cacheDir, variable });
const embedder = await createOnnxEmbedder({ cacheFolder: cacheDir, packageRoot: PACKAGE_ROOT, packages, variable });
const purpose = purposeOf({ scope: values.project, system: systemSpec({ id: 'bench', generator: 'zerorepo' }) }).text;

console.log(`${cpus().length} x ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`);
if (values.leaves === undefined) await curve(values.tree);
else await cost(Number(values.leaves));
process.exit();

async function opened(path: string) {
  const read = await readTreeFile(path);
  if ('problems' in read) throw new TypeError(read.problems.join('; '));
  return { leaves: read.table.leaves, index: await indexTree(read.table, embedder, () => undefined) };
}

async function cost(leaves: number): Promise<void> {
  const path = join(tmpdir(), `durabench-tree-${leaves}.json`);
  await writeFile(path, JSON.stringify(madeUp(leaves)));
  const started = performance.now();
  const { index } = await opened(path);
  const indexed = performance.now();
  for (let round = 1; round <= ROUNDS; round += 1) await choose(index, [], round);
  const chosen = (performance.now() - indexed) / ROUNDS;
  const { maxRSS } = process.resourceUsage();
  const seconds = (indexed - started) / 1000;
  console.log(JSON.stringify({ leaves, indexSeconds: Number(seconds.toFixed(1)), roundMs: Math.round(chosen) }));
  console.log(JSON.stringify({ peakMiB: Math.round(maxRSS / 1024), words: index.words.length }));
}

async function choose(index: Awaited<ReturnType<typeof opened>>['index'], planned: string[][], round: number) {
  const shown = Number(values.shown);
  const drawn = Math.round(shown * Number(values.explore));
  const about = { purpose, planned, round, seed: 'growth' };
  const nearest = await nearestLeaves(index, embedder, about, shown - drawn);
  return { nearest, drawn: drawnLeaves(index, about, drawn) };
}

async function curve(path: string): Promise<void> {
  const { index, leaves } = await opened(path);
  const taxonomy = (await readTaxonomy(suiteFolder, values.project))!;
  const places = await embedder.embed(taxonomy.leaves);
  const [wanted] = await embedder.embed([purpose]);
  console.log(
    JSON.stringify({ tree: path.split('/').at(-1), leaves, project: values.project, near: Number(values.near) }),
  );
  const planned: string[][] = [];
  const vectors: Float32Array[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const { nearest, drawn } = await choose(index, planned, round);
    const offered = [...nearest, ...drawn];
    const texts = await embedder.embed(offered.map((names) => names.join(', ')));
    const taken = offered
      .flatMap((names, at) => ({ names, at, score: dot(texts[at], wanted) }))
      .filter(({ score }) => score >= Number(values.near));
    planned.push(...taken.map(({ names }) => names));
    vectors.push(...taken.flatMap(({ at }) => texts[at] ?? []));
    const assigned = leavesNear(vectors, places, FLOOR).map((leaf) => ({ leaf, isDone: false }));
    const counts = countCoverage(assigned, taxonomy.leaves.length);
    const share = (part: number, whole: number): number => Number((part / Math.max(1, whole)).toFixed(3));
    const explored = taken.filter(({ at }) => at >= nearest.length).length;
    const reached = {
      coverage: share(counts.planned.length, counts.leaves),
      novelty: share(counts.outside, counts.features),
    };
    console.log(JSON.stringify({ round, planned: planned.length, taken: taken.length, explored, ...reached }));
  }
}

function dot(one: Float32Array | undefined, other: Float32Array | undefined): number {
  return one?.reduce((sum, value, at) => sum + value * (other?.[at] ?? 0), 0) ?? 0;
}

/** Areas of areas of leaves of three words, out of 30,000 words. */
function madeUp(leaves: number): Record<string, Record<string, string[]>> {
  const random = seededRandom(1);
  const word = (): string => `w${Math.floor(30_000 * random() ** 2).toString(36)}`;
  const tree: Record<string, Record<string, string[]>> = {};
  for (let made = 0; made < leaves; made += 1) {
    const area = (tree[`area ${Math.floor(made / 20_000)}`] ??= {});
    (area[`part ${Math.floor(made / 200)}`] ??= []).push(`${word()} ${word()} ${word()} ${made}`);
  }
  return tree;
}
