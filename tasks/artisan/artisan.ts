import { z } from 'zod';
import { programImages } from '../../src/agents/program-system.js';
import type { Suite } from '../../src/suite/suite.js';
import { artisanCalibration } from './calibration/artisan-calibration.js';
import { artisanDataset } from './dataset/artisan-dataset.js';
import { datasetSchema, imagesOf, STUDIES } from './dataset/selection.js';
import { artisanExplanations } from './explanations.js';
import { GENERATORS } from './generators/generators.js';
import { answerFiles, packSnapshot } from './generators/pack-snapshot.js';
import { artisanTaskText } from './generators/task-text.js';
import { STATUSES, statusOf } from './judge/verdict.js';
import { reportStatuses } from './report/artisan-report.js';
import { artisanFailures } from './report/failure-analysis.js';
import { exportedFindings } from './report/findings.js';
import { trialTables } from './report/trial-tables.js';
import { judgeProblems, judgeSchema, opinionModel, optionsOf, optionsSchema, systemProblems } from './settings.js';
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
  schemas: { dataset: datasetSchema, judge: judgeSchema, vote: nothing, options: optionsSchema },
  generators: GENERATORS,
  referenceGenerator: 'reference',
  starter: ({ model, tasks, projects }) => ({
    dataset: { projects: [...(projects.length > 0 ? projects : STUDIES)], limit: tasks },
    systems: [
      { id: 'reference', generator: 'reference' },
      { id: 'null', generator: 'null' },
      ...(model === null ? [] : [{ id: 'asked', generator: 'single-prompt', model }]),
    ],
  }),
  campaignProblems: (spec) => [...judgeProblems(spec), ...spec.systems.flatMap(systemProblems)],
  images: ({ systems, dataset }) => [
    ...new Set([...imagesOf(datasetSchema.parse(dataset ?? {}).projects), ...systems.flatMap(programImages)]),
  ],
  dataset: artisanDataset,
  trialSettings: (spec, system) => {
    const { turns, work_seconds: seconds } = optionsOf(system);
    const { step } = GENERATORS[system.generator] ?? {};
    return {
      ...(step === undefined ? {} : { step }),
      ...(opinionModel(spec) === null ? {} : { opinion: true }),
      ...(system.generator === 'agent' ? { agent: { turns, seconds } } : {}),
    };
  },
  stages: { harvest, generate, execute, score },
  packCandidate: packSnapshot,
  answerFiles,
  resultColumns: [
    column('matched', 'cells'),
    column('rowsMatched', 'rows'),
    column('full'),
    column('lastMile', 'last mile'),
    column('copied'),
  ],
  explain,
  taskText: artisanTaskText,
  failures: artisanFailures,
  explanations: artisanExplanations,
  report: reportStatuses,
  findings: exportedFindings,
  trialTables,
  reviews: { statuses: STATUSES, statusOf: ({ metrics }) => statusOf(metrics) },
  calibration: artisanCalibration,
};
