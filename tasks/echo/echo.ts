import { z } from 'zod';
import type { Suite } from '../../src/suite/suite.js';
import { echoDataset } from './dataset/dataset.js';
import { selectionSchema } from './dataset/selection.js';
import { echoExplanations } from './explanations.js';
import { GENERATORS } from './generators/generators.js';
import { execute } from './stages/execute.js';
import { explain } from './stages/explain.js';
import { generate } from './stages/generate.js';
import { harvest } from './stages/harvest.js';
import { localize } from './stages/localize.js';
import { echoTaskText } from './stages/pinned-task.js';
import { score } from './stages/score.js';
import { vote } from './stages/vote.js';
import { optionsSchema } from './settings.js';
import { echoManifest } from './suite.js';

const nothing = z.strictObject({});

/** What the worker and the CLI know of echo; listed in `tasks/suites.ts`. */
export const echoSuite: Suite = {
  manifest: echoManifest,
  folder: 'tasks/echo',
  schemas: { dataset: selectionSchema, judge: nothing, vote: nothing, options: optionsSchema },
  generators: Object.fromEntries(
    Object.entries(GENERATORS).map(([name, { description, needsModel, purposes, phase }]) => {
      return [name, { description, needsModel, needsPath: false, ...(purposes && { purposes }), phase }];
    }),
  ),
  starter: ({ model, tasks }) => ({
    dataset: { tasks },
    systems: [
      { id: 'perfect', generator: 'echo' },
      model === null ? { id: 'noise', generator: 'noise' } : { id: 'asked', generator: 'model', model },
    ],
  }),
  campaignProblems: () => [],
  images: () => [],
  dataset: echoDataset,
  trialSettings: (_spec, system) => ({ generator: system.generator }),
  stages: { harvest, generate, localize, vote, execute, score },
  explain,
  taskText: echoTaskText,
  explanations: echoExplanations,
  resultColumns: [
    { id: 'localized', title: 'localized', metric: 'localized', absent: 'zero' },
    { id: 'voted', title: 'voted', metric: 'voted', absent: 'zero' },
  ],
};
