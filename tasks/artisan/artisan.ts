import { z } from 'zod';
import type { Suite } from '../../src/suite/suite.js';
import { artisanDataset } from './dataset/artisan-dataset.js';
import { imagesOf, selectionSchema } from './dataset/selection.js';
import { artisanExplanations } from './explanations.js';
import { GENERATORS } from './generators/generators.js';
import { packSnapshot } from './generators/pack-snapshot.js';
import { reportStatuses } from './report.js';
import { judgeSchema, optionsOf, optionsSchema } from './settings.js';
import { execute } from './stages/execute.js';
import { explain } from './stages/explain.js';
import { generate } from './stages/generate.js';
import { harvest } from './stages/harvest.js';
import { score } from './stages/score.js';
import { artisanManifest } from './suite.js';

const nothing = z.strictObject({});
const column = (metric: string, title = metric) => ({ id: metric, title, metric, absent: 'left-out' as const });

/** Artisan-Bench for the worker and the command line. */
export const artisan: Suite = {
  manifest: artisanManifest,
  folder: 'tasks/artisan',
  schemas: { dataset: selectionSchema, judge: judgeSchema, vote: nothing, options: optionsSchema },
  generators: GENERATORS,
  referenceGenerator: 'reference',
  campaignProblems: () => [],
  images: ({ dataset }) => imagesOf(selectionSchema.parse(dataset ?? {}).projects),
  dataset: artisanDataset,
  trialSettings: (_spec, system) => {
    const { turns, work_seconds: seconds } = optionsOf(system);
    return {
      asks: GENERATORS[system.generator]?.needsModel === true,
      ...(system.generator === 'agent' ? { agent: { turns, seconds } } : {}),
    };
  },
  stages: { harvest, generate, execute, score },
  packCandidate: packSnapshot,
  resultColumns: [column('matched', 'cells'), column('full'), column('lastMile', 'last mile'), column('copied')],
  explain,
  explanations: artisanExplanations,
  report: reportStatuses,
};
