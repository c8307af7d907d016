import type { SuiteManifest } from '../../src/contract/suite.js';

/** What GHA-Bench is; pure data, read by workflows, worker and command line alike. */
export const ghaBenchManifest: SuiteManifest = {
  id: 'gha-bench',
  title: 'GHA-Bench: write GitHub Actions workflows that are valid, safe, mean what was asked, and run',
  version: '1',
  stages: {
    harvest: { queue: 'light' },
    // Only the step that asks a model takes one of the model slots.
    generate: { queue: 'light', steps: { ask: { queue: 'model' } } },
    localize: { queue: 'light' },
    vote: null,
    execute: null,
    score: { queue: 'light' },
  },
  needsDocker: false,
};
