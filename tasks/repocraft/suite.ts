import type { SuiteManifest } from '../../src/contract/suite.js';

/** What RepoCraft is; pure data, read by workflows, worker and command line alike. */
export const repocraftManifest: SuiteManifest = {
  id: 'repocraft',
  title: 'RepoCraft: generate a whole Python repository, graded with tests harvested from the real one',
  version: '1',
  stages: {
    harvest: { queue: 'light' },
    // `candidate` makes one (a model call of minutes at worst); without a step name the stage only verifies it.
    generate: { queue: 'light', steps: { candidate: { queue: 'model', startToCloseSeconds: 3600 } } },
    localize: { queue: 'light' },
    vote: { queue: 'model' },
    // `adapt` asks a model, but checks what it gets in containers: a worker of the model role need not have Docker.
    execute: { queue: 'sandbox' },
    score: { queue: 'light' },
  },
  // Parses in a container, then embeds every entry: a minute or two for the largest libraries.
  prepare: { queue: 'sandbox' },
  needsDocker: true,
};
