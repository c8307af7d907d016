import { expect, it } from 'vitest';
import { buildLines } from './build-lines.js';

it('says of every project of a build where it stands', () => {
  const built = { tasks: 40, digest: 'abcdef0123456789', files: [], leftOut: '' };
  const failure = { type: 'dataset.missing', blame: 'infrastructure', message: 'no index' } as const;
  const lines = buildLines([
    { project: 'a', done: 0, running: [], end: null },
    { project: 'pandas', done: 1, running: ['gold 1 of 2', 'gold 2 of 2'], end: null },
    { project: 'b', done: 6, running: [], end: { ended: 'built', built } },
    { project: 'c', done: 2, running: [], end: { ended: 'failed', failure } },
  ]);
  expect(lines).toEqual([
    'a       0 steps done; waits for its turn',
    'pandas  1 step done; gold 1 of 2; gold 2 of 2',
    'b       built: 40 tasks, digest abcdef012345',
    'c       failed: dataset.missing',
  ]);
});
