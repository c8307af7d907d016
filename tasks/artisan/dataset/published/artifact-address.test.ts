import { expect, test } from 'vitest';
import { artifactAddress } from './artifact-address.js';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const ZENODO = { service: 'zenodo', api: 'https://zenodo.org/api/records' };
const FIGSHARE = { service: 'figshare', api: 'https://api.figshare.com/v2/articles' };
const CODE = {
  service: 'code',
  api: 'https://api.github.com/repos/a/b/commits',
  archives: 'https://github.com/a/b/archive',
};

test.each([
  ['https://zenodo.org/records/123', { ...ZENODO, record: '123' }],
  ['https://zenodo.org/record/123/files/a.zip?download=1', { ...ZENODO, record: '123' }],
  ['https://doi.org/10.5281/zenodo.123', { ...ZENODO, record: '123' }],
  [
    'https://records.example.org/records/9',
    { service: 'zenodo', api: 'https://records.example.org/api/records', record: '9' },
  ],
  ['https://figshare.com/articles/code/_b_Stones_b_/123', { ...FIGSHARE, article: '123', version: null }],
  ['https://somewhere.figshare.com/articles/dataset/Stones/123/4', { ...FIGSHARE, article: '123', version: '4' }],
  ['https://doi.org/10.6084/m9.figshare.123', { ...FIGSHARE, article: '123', version: null }],
  ['https://doi.org/10.6084/m9.figshare.123.v2', { ...FIGSHARE, article: '123', version: '2' }],
  ['https://github.com/a/b', { ...CODE, ref: 'HEAD', commit: null }],
  ['https://github.com/a/b.git', { ...CODE, ref: 'HEAD', commit: null }],
  ['https://github.com/a/b/tree/feature/x', { ...CODE, ref: 'feature/x', commit: null }],
  ['https://github.com/a/b/releases/tag/v1.0', { ...CODE, ref: 'v1.0', commit: null }],
  [`https://github.com/a/b/commit/${COMMIT}`, { ...CODE, ref: COMMIT, commit: COMMIT }],
])('%s', (address, read) => {
  expect(artifactAddress(address)).toEqual(read);
});

test.each([
  'https://doi.org/10.1145/3597503.3623352',
  'https://figshare.com/articles/code/Stones',
  'https://github.com/a/b/issues/3',
  'https://github.com/a',
  'ftp://zenodo.org/records/123',
  'no address',
])('%s is no artifact', (address) => {
  expect(artifactAddress(address)).toBeNull();
});
