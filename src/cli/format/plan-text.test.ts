import { expect, it } from 'vitest';
import { missingLines } from './plan-text.js';

it('says what is built and fetched first, and nothing where all is there', () => {
  expect(missingLines({ docker: true, images: [], tasks: 0 })).toEqual([]);
  expect(missingLines({ docker: true, images: ['base', 'gha-lint'], tasks: 1 })).toEqual([
    'first        build 2 images (durabench images build base gha-lint); fetch 1 task',
  ]);
  expect(missingLines({ docker: false, images: [], tasks: 1_022 })).toEqual([
    'first        start Docker, which does not answer; fetch 1,022 tasks',
  ]);
});
