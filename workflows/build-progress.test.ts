import { expect, it } from 'vitest';
import type { BuildEnd } from '../src/contract/dataset-build.js';
import { createBuildProgress } from './build-progress.js';

const built: BuildEnd = { ended: 'built', built: { tasks: 3, digest: 'd', files: [], leftOut: '' } };
const failed: BuildEnd = {
  ended: 'failed',
  failure: { type: 'dataset.missing', blame: 'infrastructure', message: 'no index' },
};

it('counts what ended well, names what runs, and shows every change', () => {
  let shown = '';
  const progress = createBuildProgress(['a', 'b'], (details) => (shown = details));
  const first = progress.began('a', 'gold 1 of 2');
  progress.began('a', 'gold 2 of 2');
  expect(shown).toContain('| a | 0 | gold 1 of 2; gold 2 of 2 |');
  expect(shown).toContain('| b | 0 | waits for its turn |');
  first('done');
  expect(shown).toContain('| a | 1 | gold 2 of 2 |');
  expect(progress.projects()[0]).toEqual({ project: 'a', done: 1, running: ['gold 2 of 2'], end: null });
});

it('says how many chunks of the part under way are left', () => {
  const progress = createBuildProgress(['a'], () => undefined);
  const chunks = () => progress.projects()[0]?.chunks;
  const ended = progress.beganChunks('a', 2);
  expect(chunks()).toEqual({ done: 0, left: 2 });
  ended();
  expect(chunks()).toEqual({ done: 1, left: 1 });
  ended();
  expect(chunks()).toBeUndefined();
  progress.beganChunks('a', 3);
  expect(chunks()).toEqual({ done: 0, left: 3 });
  progress.ended('a', failed);
  expect(chunks()).toBeUndefined();
  progress.beganChunks('a', 0);
  expect(chunks()).toBeUndefined();
});

it('does not count what failed', () => {
  const progress = createBuildProgress(['a'], () => undefined);
  progress.began('a', 'harvest')('failed');
  expect(progress.projects()).toEqual([{ project: 'a', done: 0, running: [], end: null }]);
});

it('ends as built, or as what failed first', () => {
  const progress = createBuildProgress(['a', 'b'], () => undefined);
  progress.ended('a', built);
  expect(progress.outcome()).toEqual({ outcome: 'built', blame: null });
  progress.ended('b', failed);
  expect(progress.outcome()).toEqual({ outcome: 'dataset.missing', blame: 'infrastructure' });
  expect(progress.ends()).toEqual({ a: built, b: failed });
});
