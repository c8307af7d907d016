import { z } from 'zod';
import type { Suite } from '../../src/suite/suite.js';
import { ghaDataset } from './dataset/gha-dataset.js';
import { datasetSchema, TIERS } from './dataset/selection.js';
import { ghaExplanations } from './explanations.js';
import { GENERATORS } from './generators/generators.js';
import { answerFiles, packSnapshot } from './generators/pack-snapshot.js';
import { ghaFailures } from './grading/failure-analysis.js';
import { LINT_IMAGE } from './lint/run-linters.js';
import { RUN_IMAGES } from './runs/run-scenario.js';
import { isExecuted, judgeSchema, optionsSchema } from './settings.js';
import { explain } from './stages/explain.js';
import { ghaTaskText } from './stages/load-task.js';
import { execute } from './stages/execute.js';
import { generate } from './stages/generate.js';
import { harvest } from './stages/harvest.js';
import { localize } from './stages/localize.js';
import { score } from './stages/score.js';
import { ghaBenchManifest } from './suite.js';

const nothing = z.strictObject({});
const column = (id: string) => ({ id, title: id, metric: id, absent: 'left-out' as const });

/** GHA-Bench for the worker and the command line. */
export const ghaBench: Suite = {
  manifest: ghaBenchManifest,
  folder: 'tasks/gha-bench',
  schemas: { dataset: datasetSchema, judge: judgeSchema, vote: nothing, options: optionsSchema },
  generators: GENERATORS,
  referenceGenerator: 'oracle',
  starter: ({ model, tasks, projects }) => ({
    dataset: { projects: [...(projects.length > 0 ? projects : TIERS)], limit: tasks },
    judge: { execute: 'act' },
    systems: [
      { id: 'oracle', generator: 'oracle' },
      { id: 'null', generator: 'null' },
      ...(model === null
        ? []
        : [{ id: 'prompted', generator: 'prompted', model, prompt: 'detailed', context: 'full' }]),
    ],
  }),
  campaignProblems: () => [],
  images: (spec) => [LINT_IMAGE, ...(isExecuted(spec) ? RUN_IMAGES : [])],
  dataset: ghaDataset,
  trialSettings: (spec, { generator }) => ({
    asks: GENERATORS[generator]?.needsModel === true,
    executes: isExecuted(spec),
  }),
  stages: { harvest, generate, localize, execute, score },
  packCandidate: packSnapshot,
  answerFiles,
  resultColumns: ['syntax', 'lint', 'features', 'runs', 'core'].map(column),
  explain,
  failures: ghaFailures,
  taskText: ghaTaskText,
  explanations: ghaExplanations,
};
