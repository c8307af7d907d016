import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runFunnel, verdictsPath } from '../../tasks/artisan/dataset/funnel/funnel-step.js';
import { buildImagesOf, STUDIES } from '../../tasks/artisan/dataset/selection.js';
import { openArtisanBench, type ArtisanBench } from '../fixtures/artisan/artisan-bench.js';

// The funnel over the real studies, out of their packages.

let opened: ArtisanBench;

beforeAll(async () => {
  opened = await openArtisanBench(buildImagesOf(STUDIES));
});
afterAll(async () => opened?.close());

test.each(STUDIES)('%s gets the verdicts that are committed', async (study) => {
  const { file } = await runFunnel(study, opened.tools);
  expect(file.path).toBe(verdictsPath(study));
  const made = (await opened.tools.blobs.get(file.sha256)).toString('utf8');
  expect(made).toBe(await readFile(join(opened.tools.suiteFolder, file.path), 'utf8'));
});
