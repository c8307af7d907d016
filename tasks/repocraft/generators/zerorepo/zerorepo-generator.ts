import type { Generator } from '../generator.js';
import type { ZeroRepoSettings } from '../../../../src/zerorepo/steps.js';
import { optionsOf } from './settings.js';
import { zerorepoStep } from './zerorepo-steps.js';

/** From a purpose to a whole tested repository over a planning graph; hours, in a workflow of its own. */
export const zerorepoGenerator: Generator = {
  needsModel: true,
  needsPath: false,
  lane: 'generate',
  description: 'plans a graph of features, then designs, writes, tests and repairs a whole repository',
  provenance: 'generated',
  // The paper's generations stayed below this; a plan that runs away ends here.
  limits: { usd: 50, tokens: 5_000_000, total: { usd: null, tokens: null } },
  workflow: 'zerorepo',
  settings: (system) => {
    const { iterations, patience, rounds, window, repairs } = optionsOf(system);
    return { iterations, patience, rounds, window, repairs } satisfies ZeroRepoSettings;
  },
  step: zerorepoStep,
};
