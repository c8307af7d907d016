/**
 * Ways to search a candidate, compared where the truth is known: how often what became of a task's main target is first, and
 * among the first five, on renamed, moved and reworded libraries; of the last, targets with and without a docstring apart. What
 * `localize` does is `with evidence`; the others are here to be compared with it: `reranked` by a model, the description alone,
 * description and lead by similarity alone, words alone (BM25+ over names, docstrings and signatures), and both fused by
 * reciprocal ranks.
 *
 *   npx tsx bench/repocraft/search.ts --state .durabench [--projects requests,sympy] [--kinds reworded] [--seed 1] \
 *     [--base-url http://127.0.0.1:8000/v1 --model NAME]
 *
 * Needs the images and the fetched tasks of the projects (`durabench dataset fetch repocraft`) in that state folder. Prints a
 * JSON line a library and way, and one for each floor that the similarity of a match could have. McNemar's exact test compares
 * each way with `with evidence`.
 */
import { parseArgs } from 'node:util';
import MiniSearch from 'minisearch';
import { createProcessMemory } from '../../src/adapters/memory/process-memory.js';
import { createOnnxEmbedder } from '../../src/adapters/onnx/onnx-embedder.js';
import { readEnvironment } from '../../src/config/env.js';
import { gradeCandidateOffline, type OfflineCandidate } from '../../tasks/repocraft/calibration/offline-candidate.js';
import { entryPath } from '../../tasks/repocraft/candidate/candidate-index.js';
import { readLock } from '../../tasks/repocraft/dataset/lock/dataset-lock.js';
import type { RepocraftTask } from '../../tasks/repocraft/dataset/repocraft-task.js';
import { BENCHMARK_PROJECTS } from '../../tasks/repocraft/dataset/project-settings.js';
import { lockedTasks } from '../../tasks/repocraft/dataset/task-blobs.js';
import { deriveSettings, MOVABLE_PROJECTS } from '../../tasks/repocraft/generators/derived/derive-settings.js';
import { isDocumented, isRightEntry } from '../../tasks/repocraft/generators/derived/truth.js';
import { searchEntries } from '../../tasks/repocraft/search/closest-entries.js';
import { rerank } from '../../tasks/repocraft/search/rerank.js';
import { queryVector } from '../../tasks/repocraft/search/query.js';
import { closestEntries, closestRows } from '../../tasks/repocraft/search/rank.js';
import { tokenize } from '../../src/suite-kit/tokenize.js';
import { PACKAGE_ROOT } from '../../tests/fixtures/package-root.js';
import { askOverHttp, createRepocraftTools } from './repocraft-tools.js';

const { values } = parseArgs({
  options: {
    state: { type: 'string', default: '.durabench' },
    projects: { type: 'string', default: BENCHMARK_PROJECTS.join(',') },
    kinds: { type: 'string', default: 'renamed,moved,reworded' },
    seed: { type: 'string', default: '1' },
    'base-url': { type: 'string' },
    model: { type: 'string', default: '' },
  },
});
const seed = Number(values.seed);
const tools = createRepocraftTools({ state: values.state, owner: 'search' });
const { packages, sandbox, suiteFolder } = tools;
const { cacheDir, variable } = readEnvironment();
const embedder = await createOnnxEmbedder({
  cacheFolder: cacheDir,
  packageRoot: PACKAGE_ROOT,
  packages,
  variable,
});
const context = { ...tools, embedder, memory: createProcessMemory() };

type Ask = Parameters<typeof rerank>[0]['ask'];

/** Who orders what is found, with `--base-url`; asked over HTTP, and no ledger counts it. */
const asking = values['base-url'] === undefined ? null : askOverHttp(values['base-url'], values.model);

/** Ranks considered for fusion. */
const DEPTH = 200;
/** The constant of reciprocal rank fusion (Cormack et al. 2009). */
const RRF = 60;
/** Similarities that a floor could have. */
const FLOORS = [0.25, 0.3, 0.35, 0.4, 0.45, 0.5];
const LEAD = 'description and lead';
const OURS = 'with evidence';
type Ranking = number[];
/** Kind → way → of each task with a target, the place of the right entry, from 0; Infinity where it is not among the first five. */
const places = new Map<string, Map<string, number[]>>();
/** Of each task: how similar the right entry is, and how similar the closest of all others. */
const similarities: { right: number; other: number }[] = [];

try {
  for (const project of values.projects.split(','))
    for (const kind of values.kinds.split(','))
      if (kind !== 'moved' || MOVABLE_PROJECTS.includes(project)) await compare(project, kind);
  for (const [library, ways] of places)
    for (const [way, all] of ways) report(`all ${library}`, way, all, ways.get(OURS) ?? []);
  for (const floor of FLOORS) console.log(JSON.stringify(atFloor(floor)));
} finally {
  await sandbox.close();
}

async function compare(project: string, kind: string): Promise<void> {
  const tasks = await lockedTasks(context.blobs, await readLock(project, suiteFolder));
  const settings = deriveSettings({ options: { derive: { kind, seed } } });
  const candidate = await gradeCandidateOffline(context, { project, settings, tasks });
  const lexical = wordIndex(candidate);
  const found = new Map<string, Map<string, number[]>>();
  const reranked = asking === null ? [] : await Promise.all(tasks.map((task) => rerankedBy(asking, candidate, task)));
  for (const [at, task] of tasks.entries()) {
    const { description, targets } = task;
    const [alone] = await embedder.embed([description]);
    const query = await queryVector(embedder, description);
    const similarity = similarityOf(candidate, targets[0] ?? '', query);
    // A constant is no entry: no floor finds or loses it.
    if (kind === 'renamed' && similarity.right >= 0) similarities.push(similarity);
    const closest = (query: Float32Array): Ranking => nearest(candidate, query);
    const ways: Record<string, Ranking> = {
      description: closest(alone ?? new Float32Array(0)),
      [LEAD]: closest(query),
      [OURS]: await withEvidence(candidate, task),
      words: lexical(description),
      ...(reranked[at] === undefined ? {} : { reranked: reranked[at] }),
    };
    ways['description, fused with words'] = fused([ways.description, ways.words]);
    ways['description and lead, fused with words'] = fused([ways[LEAD], ways.words]);
    const library = isDocumented(candidate.names, targets[0] ?? '') ? kind : `${kind}, no docstring`;
    for (const [way, rows] of Object.entries(ways)) {
      const place = placeOf(candidate, targets[0] ?? '', rows);
      noteIn(found, library, way, place);
      noteIn(places, library, way, place);
    }
  }
  for (const [library, ways] of found)
    for (const [way, all] of ways) report(`${project} ${library}`, way, all, ways.get(OURS) ?? []);
}

function noteIn(table: Map<string, Map<string, number[]>>, library: string, way: string, place: number): void {
  const ways = table.get(library) ?? new Map<string, number[]>();
  table.set(library, ways.set(way, [...(ways.get(way) ?? []), place]));
}

async function withEvidence({ index, table }: OfflineCandidate, task: RepocraftTask): Promise<Ranking> {
  const found = await searchEntries(embedder, task, { entries: index.entries, table });
  return found.map(({ row }) => row);
}

async function rerankedBy(ask: Ask, { index, table }: OfflineCandidate, task: RepocraftTask): Promise<Ranking> {
  const settings = { model: values.model, among: 20 };
  const found = await searchEntries(embedder, task, { entries: index.entries, table }, settings.among);
  const { found: ordered } = await rerank({ ask, suiteFolder }, { task, found, settings });
  return ordered.map(({ row }) => row);
}

function nearest({ index, table }: OfflineCandidate, query: Float32Array): Ranking {
  return closestEntries(query, { entries: index.entries, table }, DEPTH).map(({ row }) => row);
}

function similarityOf({ names, index, table }: OfflineCandidate, target: string, query: Float32Array) {
  const views = table.length / (index.entries.length * query.length);
  const width = views * query.length;
  const found = { right: -1, other: -1 };
  for (const [row, entry] of index.entries.entries()) {
    const kind = isRightEntry(names, target, entryPath(entry)) ? 'right' : 'other';
    const [closest] = closestRows(query, table.subarray(row * width, (row + 1) * width), { top: 1, views });
    found[kind] = Math.max(found[kind], closest?.score ?? -1);
  }
  return found;
}

/** What a floor would lose, and what it would still let through were the right entry not there. Shares of tasks. */
function atFloor(floor: number): object {
  const share = (is: (one: { right: number; other: number }) => boolean): string =>
    `${((100 * similarities.filter(is).length) / similarities.length).toFixed(1)} %`;
  return {
    ...{ floor, tasks: similarities.length },
    rightBelow: share(({ right }) => right < floor),
    othersAbove: share(({ other }) => other >= floor),
  };
}

function wordIndex({ index }: OfflineCandidate): (description: string) => Ranking {
  const search = new MiniSearch({ fields: ['text'], tokenize: tokenize, processTerm: (term) => term });
  search.addAll(
    index.entries.map((entry, id) => ({ id, text: `${entryPath(entry)} ${entry.doc} ${entry.signature}` })),
  );
  return (description) =>
    search
      .search(description)
      .slice(0, DEPTH)
      .map(({ id }) => Number(id));
}

/** Reciprocal rank fusion of equal voices. */
function fused(rankings: readonly (Ranking | undefined)[]): Ranking {
  const score = new Map<number, number>();
  for (const ranking of rankings)
    for (const [place, row] of (ranking ?? []).entries()) score.set(row, (score.get(row) ?? 0) + 1 / (RRF + place + 1));
  return [...score].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([row]) => row);
}

function placeOf({ names, index }: OfflineCandidate, target: string, rows: Ranking): number {
  const place = rows.slice(0, 5).findIndex((row) => {
    const entry = index.entries[row];
    return entry !== undefined && isRightEntry(names, target, entryPath(entry));
  });
  return place < 0 ? Infinity : place;
}

function report(library: string, way: string, all: readonly number[], ours: readonly number[]): void {
  const share = (count: number): string => `${((100 * count) / all.length).toFixed(1)} %`;
  const within = (top: number): number => all.filter((place) => place < top).length;
  const gained = all.filter((place, task) => place < 5 && (ours[task] ?? 0) >= 5).length;
  const lost = all.filter((place, task) => place >= 5 && (ours[task] ?? 0) < 5).length;
  const figures = { first: share(within(1)), firstFive: share(within(5)), hits: within(5), tasks: all.length };
  console.log(JSON.stringify({ library, way, ...figures, gained, lost, p: Number(mcNemar(gained, lost).toFixed(4)) }));
}

/** Two-sided exact McNemar test of `gained` against `lost` pairs. */
function mcNemar(gained: number, lost: number): number {
  const pairs = gained + lost;
  let term = 0.5 ** pairs;
  let below = 0;
  for (let k = 0; k <= Math.min(gained, lost); k += 1) {
    below += term;
    term *= (pairs - k) / (k + 1);
  }
  return Math.min(1, 2 * below);
}
