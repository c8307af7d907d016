import { PLANNING_LIMITS, type Generator } from '../generator.js';
import type { ZeroRepoSettings } from './graph/steps.js';
import { MODEL_PURPOSES } from './steps/asking/answers.js';
import { planningGraph } from './steps/planning-graph.js';
import { optionsOf, zerorepoOptions } from './settings.js';
import { zerorepoStep } from './steps/zerorepo-steps.js';

/** From a purpose to a whole tested repository over a planning graph; hours, in a workflow of its own. */
export const zerorepoGenerator: Generator = {
  needsModel: true,
  needsPath: false,
  purposes: MODEL_PURPOSES,
  phase: 'generate',
  description: 'plans a graph of features, then designs, writes, tests and repairs a whole repository',
  provenance: 'generated',
  limits: PLANNING_LIMITS,
  options: Object.keys(zerorepoOptions.shape),
  workflow: 'zerorepo',
  settings: (system) => {
    const { iterations, patience, rounds, window, repairs } = optionsOf(system);
    return { iterations, patience, rounds, window, repairs } satisfies ZeroRepoSettings;
  },
  graph: planningGraph,
  step: zerorepoStep,
};
