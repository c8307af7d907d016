import { expect, it } from 'vitest';
import type { RepocraftTask } from '../dataset/repocraft-task.js';
import type { CandidateEntry } from '../candidate/candidate-index.js';
import { heuristicVoter, overlap } from './heuristic-voter.js';

const task = {
  description: 'A function for parsing cookies of a header. Reads the cookies a server sets.',
} as RepocraftTask;
const entry = (parts: Partial<CandidateEntry>): CandidateEntry => ({
  kind: 'function',
  name: 'parse_cookie',
  module: 'm',
  qualname: parts.name ?? 'parse_cookie',
  owner: null,
  signature: '',
  doc: 'Reads the cookies of a header.',
  file: 'm.py',
  lines: [1, 2],
  ...parts,
});

const answers = async (parts: Partial<CandidateEntry>, similarity: number) =>
  Promise.all(
    [1, 2, 3].map(async (voter) => {
      const ballot = { task, entry: entry(parts), similarity, source: '' };
      return (await heuristicVoter(ballot, { voter, round: 1 })).answer;
    }),
  );

it('says yes to the entry of the same name and no to something else', async () => {
  expect(await answers({}, 0.7)).toEqual(['yes', 'yes', 'yes']);
  expect(await answers({ name: 'render', doc: 'Draws a chart.' }, 0.1)).toEqual(['no', 'no', 'no']);
});

it('does not compare words that say nothing', () => {
  expect(overlap(['get', 'the', 'self'], new Set(['get']))).toBe(1);
  expect(overlap(['the', 'of'], new Set(['the']))).toBeNull();
});
