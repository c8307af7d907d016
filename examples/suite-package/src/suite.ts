import { join } from 'node:path';
import type { Suite } from 'durabench/suite';
import { z } from 'zod';
import { execute } from './execute.js';
import { generate, GENERATORS } from './generate.js';
import { manifest } from './manifest.js';
import { createPlayer } from './player.js';
import { explanations, score } from './score.js';
import { dataset, readTasks, selectionSchema } from './tasks.js';

const nothing = z.strictObject({});
/** The root of this package, from `dist/src`. */
const folder = join(import.meta.dirname, '..', '..');

/** What the worker and the command line know of the suite; named in package.json (`durabench.suite.module`). */
export const suite: Suite = {
  manifest,
  folder,
  schemas: { dataset: selectionSchema, judge: nothing, vote: nothing, options: nothing },
  generators: GENERATORS,
  referenceGenerator: 'reference',
  campaignProblems: () => [],
  images: () => ['base'],
  dataset,
  trialSettings: () => ({}),
  stages: { generate, execute, score },
  explanations,
  resultColumns: [
    { id: 'matched', title: 'matched', metric: 'matched', absent: 'zero' },
    { id: 'rejected', title: 'rejected', metric: 'rejected', absent: 'zero' },
  ],
  scriptedPlayer: async () => createPlayer(await readTasks(folder)),
};
