import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { featureTreeProblems } from '../feature-tree.js';
import { scanTree } from './scan-tree.js';
import { pathTo } from './tree-index.js';

/** Reads a text in pieces of a few bytes. */
async function scanned(text: string | Buffer, pieceBytes = 7, mostLeaves?: number) {
  const bytes = Buffer.from(text);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  return scanTree(pieces(), mostLeaves);
}

async function pathsOf(text: string): Promise<string[][]> {
  const table = await scanned(text);
  if ('problems' in table) return [table.problems];
  const parents = new Set(table.parentOf);
  return Array.from(table.nameOf.keys()).flatMap((node) => (parents.has(node) ? [] : [pathTo(table, node)]));
}

describe('a feature tree that is read in pieces', () => {
  it('has the leaves that stand in it: texts, empty objects and empty lists', async () => {
    const tree = { A: { b: {}, c: [] }, D: ['e', { f: ['g\n"é"\\'] }], H: 'i' };
    expect(await pathsOf(`\ufeff${JSON.stringify(tree, null, 1)}`)).toEqual([
      ['A', 'b'],
      ['A', 'c'],
      ['D', 'e'],
      ['D', 'f', 'g\n"é"\\'],
      ['H', 'i'],
    ]);
  });

  it('is judged as one in the campaign file is', async () => {
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 5 },
        fc.string({ minLength: 1 }),
        fc.array(tie('node'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('node'), { maxKeys: 4 }),
        fc.constant(3),
      ),
    })).node;
    await fc.assert(
      fc.asyncProperty(tree, fc.integer({ min: 1, max: 9 }), async (node, pieceBytes) => {
        const read = await scanned(JSON.stringify(node), pieceBytes);
        expect('problems' in read).toBe(featureTreeProblems(node).length > 0);
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  it('takes every published tree', async () => {
    const folder = join(import.meta.dirname, '..', '..', '..', 'published', 'trees');
    for (const name of await readdir(folder)) {
      expect(await scanned(await readFile(join(folder, name)), 1000)).toHaveProperty('leaves');
    }
  });

  it.each([
    ['is empty', '', /^is not JSON: it ends too early$/],
    ['is cut off', '{"A": {"b', /^is not JSON: it ends too early$/],
    ['has a comma too many', '{"A": ["b",]}', /^is not JSON: "]" where a text, .* below A$/],
    ['goes on', '{"A": {}} {', /^is not JSON: "{" where nothing more may stand/],
    ['has no leaf', '{}', /^has no leaf$/],
    ['holds a number', '{"A": {"b": 3}}', /^A \/ b holds a number, true, false or null, which is no name$/],
    ['has a cycle', '{"A": {"B": {"c": {"B": {}}}}}', /^has a cycle: B \/ c \/ B$/],
    ['has an empty name', '{"A": {" ": {}}}', /^has a name without a letter below A$/],
    ['has a path of 10 KB', nested(40, 'x'.repeat(250)), /^is more than 20 levels deep at n0x+ \/ /],
    ['has a name of 20 KB', `{"A": ["${'x'.repeat(20_000)}"]}`, /^has a name of more than 10000 characters below A$/],
    ['is deeper than any stack', '['.repeat(100_000), /^is more than 20 levels deep$/],
    ['is UTF-16', Buffer.from('\ufeff{"A": {}}', 'utf16le'), /^is UTF-16; save it as UTF-8$/],
    ['is Latin-1', Buffer.from('{"A": ["caf\xe9"]}', 'latin1'), /^is not UTF-8 \(after \d+ bytes\); save it as UTF-8$/],
    ['is no text at all', Buffer.from([0x1f, 0x8b, 8, 0, 0xff]), /^is not (JSON|UTF-8)/],
  ])('that %s is refused with its place', async (_, text, says) => {
    const read = await scanned(text);
    expect('problems' in read && read.problems.join()).toMatch(says);
  });

  it('ends where it has too many leaves, without reading on', async () => {
    let pieces = 0;
    async function* endless() {
      yield Buffer.from('{"A": ["a"');
      for (;;) {
        pieces += 1;
        yield Buffer.from(`, "feature ${pieces}"`);
      }
    }
    expect(await scanTree(endless(), 1000)).toEqual({ problems: ['has more than 1,000 leaves'] });
    expect(pieces).toBe(1000);
  });
});

function nested(levels: number, tail = ''): string {
  const names = Array.from({ length: levels }, (_, n) => `{"n${n}${tail}":`).join('');
  return `${names}{}${'}'.repeat(levels)}`;
}
