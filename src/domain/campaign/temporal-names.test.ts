import { expect, test } from 'vitest';
import { LONGEST_TRIAL_ID, namesBeside, temporalNames } from './temporal-names.js';

const ONE = '3f2a91bc-7d10-4c55-9d0e-0f6a1b2c3d4e';
const OTHER = '3f2a91bc-7d11-4c55-9d0e-0f6a1b2c3d4e';

test('queues and workflows carry the installation', () => {
  const names = temporalNames(ONE);
  expect(names.queue('light')).toBe('3f2a91bc7d10/light');
  expect(names.trial('mine-0123456789/task/system/1')).toBe('3f2a91bc7d10/trial/mine-0123456789/task/system/1');
  expect(names.dataset('repocraft', 3)).toBe('3f2a91bc7d10/dataset/repocraft/3');
  expect(temporalNames(OTHER).queue('light')).not.toBe(names.queue('light'));
});

test('a workflow finds the names of its installation by its own id', () => {
  const names = temporalNames(ONE);
  const beside = namesBeside(names.workflow('zerorepo-unit', 'mine-0123456789/big/flask/1/src/a.py::f@0123'));
  expect(beside.queue('sandbox')).toBe(names.queue('sandbox'));
  expect(beside.generation('g')).toBe(names.generation('g'));
});

test('the longest trial id makes the longest workflow id that Temporal takes', () => {
  expect(temporalNames(ONE).trial('x'.repeat(LONGEST_TRIAL_ID))).toHaveLength(255);
});
