/**
 * Ways to say which leaf of a taxonomy a feature is about, compared on `coverage/labelled-features.json` (labels are ours): how many
 * features are put where their label says, with Cohen's kappa, and how well inside is told from outside, by floor. Floors are
 * chosen on the even features and shown on the odd ones.
 *
 *   npx tsx bench/repocraft/coverage.ts
 *
 * Needs the embedder's model, which is downloaded once.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPackageIndex } from '../../src/adapters/docker/pip/package-index.js';
import { createOnnxEmbedder } from '../../src/adapters/onnx/onnx-embedder.js';
import { readEnvironment } from '../../src/config/env.js';
import { agreementOf } from '../../src/domain/statistics/agreement.js';
import { clusteredLeaves, nearestLeaves, type Assigned } from '../../tasks/repocraft/coverage/assign.js';
import { readTaxonomy } from '../../tasks/repocraft/coverage/taxonomy.js';
import { PACKAGE_ROOT } from '../../tests/fixtures/package-root.js';

interface Labelled {
  project: string;
  feature: string;
  leaf: string | null;
}

const suiteFolder = join(PACKAGE_ROOT, 'tasks', 'repocraft');
const { cacheDir, variable } = readEnvironment();
const packages = createPackageIndex({ packageRoot: PACKAGE_ROOT, cacheFolder: cacheDir, variable });
const embedder = await createOnnxEmbedder({ cacheFolder: cacheDir, packageRoot: PACKAGE_ROOT, packages, variable });
const labelled = JSON.parse(
  await readFile(join(suiteFolder, 'coverage', 'labelled-features.json'), 'utf8'),
) as Labelled[];
const projects = await Promise.all([...new Set(labelled.map(({ project }) => project))].map(prepared));
const FLOORS = Array.from({ length: 13 }, (_, step) => 0.2 + step * 0.02);

for (const [half, parity] of [
  ['even', 0],
  ['odd', 1],
] as const)
  for (const floor of FLOORS)
    console.log(JSON.stringify({ half, floor: Number(floor.toFixed(2)), ...figures(floor, parity) }));
process.exit();

async function prepared(project: string) {
  const own = labelled.filter((one) => one.project === project);
  const { leaves } = (await readTaxonomy(suiteFolder, project))!;
  const meant: Assigned = own.map(({ leaf }) => (leaf === null ? null : leaves.indexOf(leaf)));
  if (meant.includes(-1)) throw new TypeError(`a label of ${project} is no leaf`);
  const [features, places] = await Promise.all([
    embedder.embed(own.map(({ feature }) => feature)),
    embedder.embed(leaves),
  ]);
  return { meant, features, leaves: places };
}

function figures(floor: number, parity: number) {
  const all = projects.map(({ meant, features, leaves }) => ({
    meant,
    nearest: nearestLeaves(features, leaves, floor),
    clustered: clusteredLeaves(features, leaves, floor),
  }));
  const half = (assigned: Assigned): Assigned => assigned.filter((_, place) => place % 2 === parity);
  // Leaves of one project are no leaves of another.
  const joined = (of: 'meant' | 'nearest' | 'clustered'): Assigned =>
    all.flatMap((each, project) => half(each[of]).map((leaf) => (leaf === null ? null : 1000 * project + leaf)));
  const meant = joined('meant');
  const told = (assigned: Assigned) => ({
    leaf: agreed(assigned, meant),
    inside: percent(balanced(assigned, meant)),
    outside: assigned.filter((leaf) => leaf === null).length,
  });
  const [nearest, clustered] = [joined('nearest'), joined('clustered')];
  return { nearest: told(nearest), clustered: told(clustered), agree: agreed(nearest, clustered) };
}

/** In how many they name the same leaf, or both outside, and Cohen's kappa. */
function agreed(one: Assigned, other: Assigned): string {
  const { total, agreed: alike, kappa } = agreementOf(one.map((leaf, place) => [leaf, other[place] ?? null]));
  return `${percent(alike / total)}, κ ${kappa?.toFixed(2) ?? 'none'}`;
}

/** The mean of: inside told as inside, outside as outside. */
function balanced(assigned: Assigned, meant: Assigned): number {
  const rate = (isOutside: boolean): number => {
    const places = [...meant.keys()].filter((place) => (meant[place] === null) === isOutside);
    return places.filter((place) => (assigned[place] === null) === isOutside).length / places.length;
  };
  return (rate(true) + rate(false)) / 2;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
