import { Readable } from 'node:stream';
import { beforeAll, describe, expect, it } from 'vitest';
import { lettersEmbedder } from '../../../../../tests/fixtures/zerorepo/letters-embedder.js';
import { drawnLeaves, nearestLeaves } from './choose-leaves.js';
import { scanTree } from './scan-tree.js';
import { indexTree, type TreeIndex } from './tree-index.js';

/** One large area and two small ones. */
const AREAS = {
  Numbers: orders(['sort', 'numbers', 'twice', 'quickly']),
  Text: ['count words', 'count sentences', 'wrap lines', 'split words of a text'],
  Music: { pitches: ['name an interval', 'transpose a melody'], rhythm: ['quantise beats'] },
};

function orders(words: string[]): string[] {
  if (words.length < 2) return words;
  return words.flatMap((word) => orders(words.filter((other) => other !== word)).map((rest) => `${word} ${rest}`));
}

let index: TreeIndex;
beforeAll(async () => {
  const table = await scanTree(Readable.from([Buffer.from(JSON.stringify(AREAS))]));
  if ('problems' in table) expect.unreachable(table.problems.join());
  index = await indexTree(table, lettersEmbedder, () => undefined);
});

const round = (planned: string[][] = [], nth = 1, seed = 's') => ({
  ...{ purpose: 'text: count words and sentences of a text', planned, round: nth, seed },
});
const leaves = (paths: string[][]): string[] => paths.map((path) => path.at(-1) ?? '');

describe('exploiting a feature tree', () => {
  it('shows what is nearest to the purpose, the next leaves each round, and nothing that is planned', async () => {
    const nearest = async (nth: number, planned: string[][] = []) =>
      leaves(await nearestLeaves(index, lettersEmbedder, round(planned, nth), 2)).sort();
    const first = await nearest(1);
    expect(first).toEqual(['count sentences', 'count words']);
    const second = await nearest(2);
    expect(second.filter((leaf) => first.includes(leaf))).toEqual([]);
    expect(await nearest(1, [['Any', 'Count Words']])).not.toContain('count words');
    expect(await nearest(1)).toEqual(first);
    expect(await nearestLeaves(index, lettersEmbedder, round(), 0)).toEqual([]);
  });

  it('comes to an end where a tree has no more', async () => {
    expect(await nearestLeaves(index, lettersEmbedder, round([], 500), 40)).toEqual([]);
  });
});

describe('exploring a feature tree', () => {
  it('draws by its seed and round, each leaf once', () => {
    const drawn = (nth: number, seed = 's') => leaves(drawnLeaves(index, round([], nth, seed), 6));
    expect(drawn(1)).toEqual(drawn(1));
    expect(drawn(1)).not.toEqual(drawn(2));
    expect(drawn(1)).not.toEqual(drawn(1, 'another'));
    expect(new Set(drawn(1)).size).toBe(6);
  });

  it('rejects what is too near to what is drawn or planned, so that small areas have their turn', () => {
    const areas = (planned: string[][]) => drawnLeaves(index, round(planned), 4).map(([area]) => area);
    // Most leaves are numbers, and all of them say the same in another order.
    expect(areas([])).toContain('Numbers');
    expect(areas([['Numbers', 'sort numbers twice quickly again']])).not.toContain('Numbers');
  });
});
