import type { SuiteManifest } from '../../src/contract/suite.js';

/** Echo: repeat what you are told. Six stages on three queues, no Docker, no key. Pure data; sandbox-safe. */
export const echoManifest: SuiteManifest = {
  id: 'echo',
  title: 'Echo: repeat what you are told',
  version: '1',
  stages: {
    harvest: { queue: 'light' },
    // Only the step that asks a model takes one of the model slots.
    generate: { queue: 'light', steps: { ask: { queue: 'model' } } },
    localize: { queue: 'light' },
    vote: { queue: 'model' },
    execute: { queue: 'sandbox' },
    score: { queue: 'light' },
  },
  needsDocker: false,
};
