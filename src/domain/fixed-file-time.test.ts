import { expect, test } from 'vitest';
import { FIXED_FILE_TIME } from './fixed-file-time.js';

test('is a time every archive format can hold, in every time zone', () => {
  // ZIP begins with 1980; found by the requests test that zips its own file.
  expect(FIXED_FILE_TIME.getTime()).toBeGreaterThan(Date.UTC(1980, 0, 2));
  expect(FIXED_FILE_TIME.getTime()).toBeLessThan(Date.now());
});
