import type { SuiteCalibration } from '../../../src/suite/calibration.js';
import { DATASET_PROJECTS } from '../dataset/project-settings.js';
import { CONSTANT_KINDS, DERIVE_KINDS, isDeriveKind, MOVABLE_PROJECTS } from '../generators/derived/derive-settings.js';
import { calibrationReport } from './calibration-report.js';
import { readFacts } from './trial-facts.js';
import { factsWithoutExecution } from './without-execution.js';

/** How RepoCraft's graders are measured: on libraries changed in known ways (docs/concepts/calibration.md). */
export const repocraftCalibration: SuiteCalibration = {
  projects: DATASET_PROJECTS,
  kinds: (projects, { executed }) => [
    'renamed',
    ...(projects.every((project) => MOVABLE_PROJECTS.includes(project)) ? ['moved'] : []),
    'reworded',
    'partial-30',
    ...(executed ? ['mutated', 'stubbed', 'decoys', ...CONSTANT_KINDS] : []),
  ],
  isKind: isDeriveKind,
  kindRule: DERIVE_KINDS,
  voting: {
    voters: { truth: { voter: 'truth' }, heuristic: { voter: 'heuristic' } },
    modelVoter: (model) => ({ voter: 'model', model }),
  },
  system: (kind, seed) => ({ generator: 'derived', derive: { kind, seed } }),
  report: async (input) => {
    const { facts, ungraded } = await readFacts(input);
    return calibrationReport(facts, ungraded);
  },
  withoutExecution: async (spec, tools) => calibrationReport(await factsWithoutExecution(spec, tools), 0),
};
